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

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from contest.ledger.merkle import roots_of
from contest.ledger.notes import COSIGNER, Checkpoint, VerifierKey, text_to_cosign
from trust.for_teams.ed25519 import is_signed, public_key, sign
from trust.for_teams.receipts import Wrong, check, ledgers_in, read_mails

KEY_FILE = Path("witness.key")


def new_key(name: str) -> str:
    """Make the file with a new key; return the key that everybody may know. Raises
    FileExistsError."""
    secret = os.urandom(32)
    with open(KEY_FILE, "x", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        json.dump({"name": name, "secret": secret.hex(), "signed": {}}, file)
    return str(VerifierKey(name, public_key(secret), COSIGNER))


def cosignature(own: Any, mail: Path, now: int) -> str:
    """Check the ledger in this mail, note in `own` that it is signed, and return the line with the
    signature.

    Raises Wrong for a ledger that does not fit, or that is not the one of before.
    """
    mails = read_mails(mail)
    ledger, *others = ledgers_in(mails)
    if others:
        raise Wrong("the mail names two keys")
    check(ledger, mails, is_signed)
    latest = next((mail.receipt for mail in mails if mail.receipt and mail.receipt.hashes), None)
    if latest is None:
        raise Wrong("the ledger is not attached to this mail")
    roots = list(roots_of(latest.hashes[: latest.number]))
    before = own["signed"].get(
        ledger.commitment, {"key": ledger.public_key.hex(), "size": 0, "root": ""}
    )
    if before["key"] != ledger.public_key.hex():
        raise Wrong("the ledger is signed with another key than the one that you signed before")
    if before["size"] > latest.number:
        raise Wrong(f"you have signed a later ledger, of {before['size']} entries")
    if before["size"] and roots[before["size"]].hex() != before["root"]:
        raise Wrong(f"it does not contain the ledger of {before['size']} entries that you signed")
    own["signed"][ledger.commitment] = {**before, "size": latest.number, "root": latest.root.hex()}
    checkpoint = Checkpoint(ledger.commitment, latest.number, latest.root)
    secret = bytes.fromhex(own["secret"])
    signature = sign(secret, text_to_cosign(checkpoint.text, now))
    key = VerifierKey(own["name"], public_key(secret), COSIGNER)
    return key.line(now.to_bytes(8, "big") + signature).rstrip("\n")


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
    except (Wrong, OSError, ValueError) as error:
        print(f"Nothing is signed: {error}.", file=sys.stderr)
        return 1
    print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
