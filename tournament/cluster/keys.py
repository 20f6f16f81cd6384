"""The keys of a cluster: every side of a connection shows a certificate that this authority signed.

All computers of a cluster have the same key, because any of them could run programs on the others anyway.
The authority's own key is forgotten, so nobody can sign another certificate later.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from contest.errors import NotNow
from tournament.cluster.options import AUTHORITY, COMPUTER

DAYS = 3 * 365
_CLOCK_SKEW = timedelta(days=1)  # of computers whose clocks are late


def make_keys(folder: Path, now: datetime) -> datetime:
    """Make the folder with the keys of a new cluster; return until when they hold.

    Raises NotNow if it exists, because its computers would not know one another any more.
    """
    end = now + timedelta(days=DAYS)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        raise NotNow(
            f"{folder} exists", hint="remove it first if no computer shall use its keys any more"
        ) from None
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority_name = _name("knobeln cluster")
    authority = (
        _certificate(authority_name, authority_name, authority_key.public_key(), now, end)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    computer = (
        _certificate(_name("a computer of this knobeln cluster"), authority_name, key.public_key(), now, end)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    _write(folder / AUTHORITY, authority.public_bytes(Encoding.PEM))
    _write(folder / COMPUTER, private + computer.public_bytes(Encoding.PEM))
    return end


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, end: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(end)
    )


def _write(file: Path, data: bytes) -> None:
    file.touch(mode=0o600)
    file.write_bytes(data)
