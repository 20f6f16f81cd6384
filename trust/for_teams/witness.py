#!/usr/bin/env python3
"""Signs the ledger of a contest, as its witness: that it was so at this time, and has only grown.

    python3 witness.py new NAME
    python3 witness.py MAIL

The first makes your key in the file witness.key, and prints what the organizer writes into
contest.toml. NAME is one word, such as the address of a page of yours. The second checks the mail
that asks you to sign, saved as a file, and prints the line to answer it with. It refuses to sign a
ledger that does not contain the one that you have signed before. Exit code 0: it is printed; 1: it
does not fit; 2: usage error.

This file needs Python 3.7, its standard library, and receipts.py beside it. Keep witness.key: who
has it can sign in your name. The arithmetic is not hardened against others who measure this
computer while it signs. The forms are those of C2SP tlog-cosignature.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trust.for_teams import receipts
else:
    import receipts

KEY_FILE = Path("witness.key")
KIND = b"\x04"  # of a key that signs with the time


def encoded(point: Sequence[int]) -> bytes:
    """The 32 bytes that stand for a point (RFC 8032, section 5.1.2)."""
    inverse = pow(point[2], receipts.P - 2, receipts.P)
    x, y = (each * inverse % receipts.P for each in point[:2])
    return (y | (x & 1) << 255).to_bytes(32, "little")


def sign(secret: bytes, message: bytes) -> tuple[bytes, bytes]:
    """The public key of these 32 bytes, and their signature of the message (RFC 8032, section
    5.1.6)."""
    digest = hashlib.sha512(secret).digest()
    factor = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    key = encoded(receipts.multiple(factor, receipts.BASE))
    once = int.from_bytes(hashlib.sha512(digest[32:] + message).digest(), "little") % receipts.ORDER
    commitment = encoded(receipts.multiple(once, receipts.BASE))
    challenge = int.from_bytes(hashlib.sha512(commitment + key + message).digest(), "little")
    answer = (once + challenge * factor) % receipts.ORDER
    return key, commitment + answer.to_bytes(32, "little")


def key_id(name: str, key: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + KIND + key).digest()[:4]


def new_key(name: str) -> str:
    """Make the file with a new key; return the key that everybody may know. Raises
    FileExistsError."""
    secret = os.urandom(32)
    with open(KEY_FILE, "x", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        json.dump({"name": name, "secret": secret.hex(), "signed": {}}, file)
    key, _ = sign(secret, b"")
    return f"{name}+{key_id(name, key).hex()}+{base64.b64encode(KIND + key).decode()}"


def cosignature(own: Any, mail: Path, now: int) -> str:
    """Check the ledger in this mail, note in `own` that it is signed, and return the line with the
    signature.

    Raises receipts.Wrong for a ledger that does not fit, or that is not the one of before.
    """
    mails = receipts.read_mails(mail)
    ledger, *others = receipts.ledgers_in(mails)
    if others:
        raise receipts.Wrong("the mail names two keys")
    receipts.check(ledger, mails, receipts.is_signed)
    found = next((each.receipt for each in mails if each.receipt and each.receipt.hashes), None)
    if found is None:
        raise receipts.Wrong("the ledger is not attached to this mail")
    roots = list(receipts.roots_of(found.hashes[: found.number]))
    before = own["signed"].get(
        ledger.commitment, {"key": ledger.public_key.hex(), "size": 0, "root": ""}
    )
    if before["key"] != ledger.public_key.hex():
        raise receipts.Wrong(
            "the ledger is signed with another key than the one that you signed before"
        )
    if before["size"] > found.number:
        raise receipts.Wrong(f"you have signed a later ledger, of {before['size']} entries")
    if before["size"] and roots[before["size"]].hex() != before["root"]:
        raise receipts.Wrong(
            f"it does not contain the ledger of {before['size']} entries that you signed"
        )
    own["signed"][ledger.commitment] = {**before, "size": found.number, "root": found.root.hex()}
    root = base64.b64encode(found.root).decode()
    text = f"cosignature/v1\ntime {now}\nknobeln/{ledger.commitment}\n{found.number}\n{root}\n"
    key, signature = sign(bytes.fromhex(own["secret"]), text.encode())
    line = base64.b64encode(key_id(own["name"], key) + now.to_bytes(8, "big") + signature).decode()
    return f"\u2014 {own['name']} {line}"


def main(arguments: Sequence[str]) -> int:
    is_new = arguments[:1] == ["new"]
    if len(arguments) != 1 + is_new or (is_new and set(arguments[1]) & set("+ \t\n")):
        print("usage: python3 witness.py new NAME, or python3 witness.py MAIL", file=sys.stderr)
        return 2
    try:
        if is_new:
            print(new_key(arguments[1]))
            return 0
        own = json.loads(KEY_FILE.read_text())
        line = cosignature(own, Path(arguments[0]), int(time.time()))
        draft = KEY_FILE.with_suffix(".new")
        with open(draft, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            json.dump(own, file)
        os.replace(draft, KEY_FILE)
    except (receipts.Wrong, OSError, ValueError) as error:
        print(f"Nothing is signed: {error}.", file=sys.stderr)
        return 1
    print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
