"""The bytes of entries, checkpoints, signatures and receipts, which docs/archive.md promises."""

import base64
import hashlib
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from contest.ledger import merkle, signatures
from contest.ledger.notes import Checkpoint, VerifierKey
from contest.ledger.receipts import Effect, LedgerEntry, Receipt, program_digest

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


def test_a_checkpoint_is_three_lines() -> None:
    assert Checkpoint("ef" * 32, 17, bytes(32)).text == f"knobeln/{'ef' * 32}\n17\n{'A' * 43}=\n"


def test_signatures_are_those_of_rfc_8032() -> None:
    private = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    public = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    signature = bytes.fromhex(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0"
        "595bbe24655141438e7a100b"
    )
    assert signatures.public_key(private) == public
    assert signatures.sign(private, b"") == signature
    assert signatures.is_signed(public, b"", signature)
    assert not signatures.is_signed(public, b"x", signature)
    assert not signatures.is_signed(public[1:], b"", signature)


def test_a_note_is_signed_as_in_the_published_example() -> None:
    """That of C2SP signed-note."""
    key = VerifierKey(
        "example.com/foo",
        bytes.fromhex("e932791ae6e7a840a46164c904786426d5e7821dd8b29a00d61cae72afdd4da4"),
    )
    line = (
        "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONn"
        "cAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="
    )
    text, raw = "This is an example message.\n", base64.b64decode(line)
    assert str(key) == "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
    assert key.id == raw[:4]
    assert signatures.is_signed(key.key, text.encode(), raw[4:])
    assert key.note(text, raw[4:]) == f"{text}\n\N{EM DASH} example.com/foo {line}\n"


def test_a_receipt_is_one_line_in_the_text_and_short_lines_in_the_header() -> None:
    receipt = Receipt(1_234_567, b"", (), "", 1_234_566, (bytes(32),) * 20)
    assert receipt.text.count("\n") == 1
    assert max(map(len, f"X-Knobeln-Receipt: {receipt.header}".split("\r\n"))) <= 76


@given(st.integers(1, 300), st.integers(1, 300))
def test_each_tree_is_shown_to_contain_each_earlier_one_and_no_other(one: int, other: int) -> None:
    old, new = sorted((one, other))
    leaves = [bytes([number % 256, number // 256]) for number in range(new)]
    grown: list[merkle.Grown] = [merkle.Grown(b"", ())]
    for size, leaf in enumerate(leaves):
        grown.append(
            merkle.Grown(merkle.leaf_hash(leaf), merkle.grown(grown[-1].peaks, size, leaf))
        )
    proof = merkle.consistency(old, new, grown.__getitem__)
    roots = [merkle.root_of_peaks(grown[size].peaks) for size in (old, new)]
    assert merkle.has_grown(old, new, *roots, proof)
    assert not merkle.has_grown(old, new, bytes(32), roots[1], proof)
    assert not merkle.has_grown(old, new, *roots, (*proof, bytes(32)))
    assert old == new or not merkle.has_grown(old, new, *roots, proof[:-1])


def test_the_digest_of_a_program_is_what_sha256sum_makes_of_it(tmp_path: Path) -> None:
    files = {"b.py": b"import a\n", "a.py": b"x = 1\n", "B.txt": b""}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    listed = subprocess.run(
        ["sha256sum", "B.txt", "a.py", "b.py"], cwd=tmp_path, capture_output=True, check=True
    ).stdout
    assert program_digest(files) == hashlib.sha256(listed).hexdigest()
