"""The certificate of the listener, read again when it is renewed."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from pathlib import Path

from contest.errors import ConfigError
from contest.schema.sections import Mail
from contest.util.log import log


class Certificate:
    """Our own certificate for STARTTLS; a renewed one counts from the next connection on."""

    @classmethod
    def of(cls, mail: Mail, folder: Path) -> Certificate:
        return cls(folder / mail.tls_certificate, folder / (mail.tls_key or mail.tls_certificate))

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = (certificate, key)
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._loaded: tuple[int, ...] = ()

    @property
    def context(self) -> ssl.SSLContext:
        """Made of the present files, or of the last good ones if these are wrong."""
        try:
            self.load()
        except ConfigError as error:
            log.error(str(error))
        return self._context

    def load(self) -> None:
        """Raises ConfigError where the two files are no certificate with its key."""
        try:
            now = tuple(path.stat().st_mtime_ns for path in self._files)
            if now != self._loaded:
                self._context.load_cert_chain(*self._files)
                self._loaded = now
        except (OSError, ssl.SSLError) as error:
            names = " and ".join(map(str, self._files))
            raise ConfigError(
                f"mail.tls_certificate, mail.tls_key: cannot use {names}: {error}"
            ) from None

    def good_until(self) -> datetime:
        """Return when it expires. Raises ConfigError if it has. The issuer is not checked."""
        from cryptography.x509 import load_pem_x509_certificate  # its library takes long to import

        ends = load_pem_x509_certificate(self._files[0].read_bytes()).not_valid_after_utc
        if ends <= datetime.now(UTC):
            raise ConfigError("mail.tls_certificate: certificate has expired; renew it")
        return ends
