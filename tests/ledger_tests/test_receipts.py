"""The bytes of entries, checkpoints, signatures and receipts, which docs/archive.md promises."""

import hashlib
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from contest.ledger import signing
from contest.ledger.receipts import Checkpoint, Effect, LedgerEntry, Receipt, program_digest

SUMMER = timezone(timedelta(hours=2))


def test_an_entry_is_five_lines() -> None:
    at = datetime(1994, 5, 14, 14, 0, 0, 250_000, tzinfo=SUMMER)
    entry = LedgerEntry(Effect.PROGRAM_ACCEPTED, "heavy_lords", at, "ab" * 32, "cd" * 32)
    lines = (
        "program accepted",
        "heavy_lords",
        "1994-05-14T12:00:00.250000Z",
        "ab" * 32,
        "cd" * 32,
    )
    assert entry.leaf() == "".join(f"{line}\n" for line in lines).encode()


def test_an_entry_without_a_program_ends_with_an_empty_line() -> None:
    entry = LedgerEntry(Effect.WITHDRAWN, "heavy_lords", datetime(1994, 5, 1, tzinfo=UTC), "ab" * 32)
    assert entry.leaf().endswith(b"ab\n\n")


def test_a_checkpoint_is_three_lines() -> None:
    checkpoint = Checkpoint("ef" * 32, 17, bytes(32))
    assert checkpoint.to_bytes() == f"knobeln/{'ef' * 32}\n17\n{'A' * 43}=\n".encode()


def test_signatures_are_those_of_rfc_8032() -> None:
    private = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    public = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    signature = bytes.fromhex(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0"
        "595bbe24655141438e7a100b"
    )
    assert signing.public_key(private) == public
    assert signing.sign(private, b"") == signature
    assert signing.is_signed(public, b"", signature)
    assert not signing.is_signed(public, b"x", signature)
    assert not signing.is_signed(public[1:], b"", signature)


def test_a_receipt_has_at_most_five_lines_that_no_mailer_breaks() -> None:
    lines = Receipt(1_234_567, bytes(range(32)), bytes(range(64))).text.splitlines()
    assert len(lines) <= 5
    assert max(map(len, lines)) <= 72


def test_the_digest_of_a_program_is_what_sha256sum_makes_of_it(tmp_path: Path) -> None:
    files = {"b.py": b"import a\n", "a.py": b"x = 1\n", "B.txt": b""}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    listed = subprocess.run(
        ["sha256sum", "B.txt", "a.py", "b.py"], cwd=tmp_path, capture_output=True, check=True
    ).stdout
    assert program_digest(files) == hashlib.sha256(listed).hexdigest()
