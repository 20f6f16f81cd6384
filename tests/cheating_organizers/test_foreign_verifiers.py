"""Two programs that know nothing of us accept the receipts of a contest, and no damaged one."""

from __future__ import annotations

import base64
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from sigstore._internal.merkle import verify_merkle_inclusion
from sigstore._internal.rekor.checkpoint import SignedCheckpoint
from sigstore.errors import VerificationError

from contest.ledger.receipts import PROOF_FILE
from store import ledger
from tests.support.mailed_contest import HEAVY, LOST, MailedContest, Stages
from trust.for_teams.receipts import read_mails


def proofs_of(contest: MailedContest, team: str) -> list[tuple[str, int, list[bytes], bytes]]:
    """In the order of their entries: the note, the index, the path, and the entry of each proof."""
    found = []
    for mail in contest.mails(team):
        for part in mail.iter_attachments():
            if part.get_filename() == PROOF_FILE:
                head, note = part.get_payload(decode=True).decode().split("\n\n", 1)
                kind, extra, index, *path = head.splitlines()
                assert kind == "c2sp.org/tlog-proof@v1"
                entry, *hashes = map(base64.b64decode, (extra.removeprefix("extra "), *path))
                found.append((note, int(index.removeprefix("index ")), hashes, entry))
    return found


@pytest.fixture
def tlog() -> Any:
    return pytest.importorskip("aics_tlog", reason="aics-tlog is for Python 3.12 and later")


@pytest.mark.parametrize("team", [HEAVY, LOST])
def test_sigstore_accepts_every_receipt(honest: Stages, team: str) -> None:
    """Its form, and that the entry is in; `sigstore` checks signatures with keys of its own network
    alone."""
    for note, index, path, entry in proofs_of(honest.kept["played"], team):
        parsed = SignedCheckpoint.from_text(note).checkpoint
        proof = SimpleNamespace(
            log_index=index,
            tree_size=parsed.log_size,
            hashes=path,
            root_hash=bytes.fromhex(parsed.log_hash),
        )
        inner = SimpleNamespace(inclusion_proof=proof, canonicalized_body=entry)
        verify_merkle_inclusion(SimpleNamespace(_inner=inner))
        inner.canonicalized_body += b"x"
        with pytest.raises(VerificationError):
            verify_merkle_inclusion(SimpleNamespace(_inner=inner))


@pytest.mark.parametrize("team", [HEAVY, LOST])
def test_every_receipt_is_accepted(honest: Stages, team: str, tlog: Any) -> None:
    contest = honest.kept["played"]
    with contest.opened() as opened, opened.store.read() as tx:
        key = tlog.parse_vkey(str(ledger.public_key(tx)))
    proofs = proofs_of(contest, team)
    assert len(proofs) >= (3 if team == LOST else 4)
    for note, index, path, entry in proofs:
        parsed = SignedCheckpoint.from_text(note)
        (signature,) = parsed.signed_note.signatures
        assert (parsed.checkpoint.origin, parsed.checkpoint.log_size) == (key.name, index + 1)
        assert signature.name == key.name
        assert tlog.verify_checkpoint(tlog.parse_note(note), key).ok
        root = bytes.fromhex(parsed.checkpoint.log_hash)
        assert tlog.verify_leaf_inclusion(entry, index, index + 1, path, root)
        assert not tlog.verify_leaf_inclusion(entry + b"x", index, index + 1, path, root)
        assert not tlog.verify_checkpoint(
            tlog.parse_note(note.replace(str(index + 1), str(index + 2), 1)), key
        ).ok


@pytest.mark.parametrize("team", [HEAVY, LOST])
def test_every_ledger_is_accepted_to_contain_the_one_before(
    honest: Stages, team: str, tlog: Any
) -> None:
    mails = read_mails(honest.kept["played"].box(team))
    found = {
        each.receipt.number: (each.receipt.root, each.growth)
        for each in mails
        if each.receipt and each.growth[0]
    }
    roots = {each.receipt.number: each.receipt.root for each in mails if each.receipt}
    for before, number in pairwise(sorted(roots)):
        root, (old, proof) = found[number]
        assert old == before
        assert tlog.verify_consistency(old, number, roots[old], root, proof)
        assert not tlog.verify_consistency(old, number, bytes(32), root, proof)
