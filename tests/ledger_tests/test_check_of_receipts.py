"""A team checks its mails against the archive; each way to cheat is named, by the kit's arithmetic
too."""

import ast
import base64
import copy
import email
import email.policy
import json
import mailbox
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from contest.ledger import merkle, signatures
from contest.ledger.entry_list import EntryList
from contest.ledger.notes import Checkpoint, VerifierKey
from contest.ledger.receipts import (
    CHECKPOINT_FILE,
    LEDGER_FILE,
    PROOF_FILE,
    Effect,
    LedgerEntry,
    Receipt,
    to_file,
)
from contest.public_number.drand import QUICKNET
from knobellib.ledger_programs import ledger_programs
from reports.render import Templates
from store import Store, contest_state, ledger, migrate
from store.tables import contest as contest_table
from tests.support.clocks import FixedClock
from tests.support.kit_programs import receipts_of_kit
from tests.support.mail_world import (
    FORM,
    OPENS,
    REGISTER,
    World,
    flat,
    from_line,
    make_settings,
    told,
)
from tests.support.servers import program
from trust.check_page import FOLDER
from trust.for_teams import ed25519, receipts
from trust.for_teams.receipts import Wrong

NOBODY_PLAYS = LedgerEntry(
    Effect.ENTRIES_FINAL, "", OPENS + timedelta(days=1), digest=EntryList(()).root.hex()
)
LIGHT = FORM.replace("our_team", "your_team").replace("heavy", "light")


class Contest:
    """A contest in which two teams write letters; `archive` is what the organizer publishes of its
    ledger."""

    def __init__(
        self,
        path: Path,
        forms: Sequence[str] = (FORM, LIGHT),
        key: bytes | None = None,
        secret: bytes = bytes(32),
    ) -> None:
        self.path = path
        path.mkdir(exist_ok=True)
        self.store = Store(f"sqlite:///{path / 'contest.db'}")
        migrate.upgrade(self.store)
        with self.store.write() as tx:
            contest_state.create(tx, secret)
            if key is not None:
                tx.execute(update(contest_table).values(signing_key=key))
            self.signing_key = tx.execute(select(contest_table.c.signing_key)).scalar_one()
            ledger.begin(tx, OPENS)
        chosen = make_settings()
        clock = FixedClock(OPENS)
        self.world = World(self.store, chosen, Templates(chosen, None), clock)
        self.mails: list[EmailMessage] = []
        for form in forms:
            (welcome,) = self.world.send(REGISTER, form)
            self.mails.append(welcome)
            for codes in ("RSM", "LAP", "none"):
                clock.at = clock.at.replace(minute=clock.at.minute + 1)
                self.mails += self.world.send(f"mail-preference {codes}", from_line(*told(welcome)))
        (self.ledger_mail,) = self.world.send(
            "ledger", from_line(*told(welcome)), sender=str(welcome["To"])
        )
        with self.store.read() as tx:
            self.entries = list(ledger.entries(tx))
            self.public_key = base64.b64encode(ledger.public_key(tx).key).decode()
            self.commitment = contest_state.state(tx).seed.commitment
        self.store.close()

    def archive(
        self, entries: list[LedgerEntry] | None = None, commitment: str = "", key: str = ""
    ) -> Path:
        folder = self.path / "archive"
        folder.mkdir(exist_ok=True)
        facts = {
            "seed_commitment": commitment or self.commitment,
            "settings": {
                "dates": {
                    "compilation_closes": "1994-05-14T10:00:00Z",
                    "contest_starts": "1994-05-14T12:00:00Z",
                }
            },
            "tournament": 1,
            "started_at": "1994-05-14T12:00:00.000000Z",
        }
        (folder / "contest.json").write_text(json.dumps(facts))
        (folder / "ledger.json").write_text(json.dumps({"public_key": key or self.public_key}))
        (folder / "entry_lists.json").write_text(json.dumps([{"entries": []}]))
        in_ledger = self.entries if entries is None else entries
        (folder / "ledger.txt").write_bytes(to_file([*in_ledger, NOBODY_PLAYS]))
        return folder

    def box(self, mails: list[EmailMessage]) -> Path:
        place = Path(tempfile.mkdtemp(dir=self.path)) / "Maildir"
        box = mailbox.Maildir(place)
        for mail in mails:
            box.add(mail.as_bytes())
        return place

    def check(self, archive: Path, mails: list[EmailMessage] | None = None) -> receipts.Checked:
        found = receipts.read_ledger(archive)
        box = self.box(self.mails if mails is None else mails)
        return receipts.check(found, receipts.read_mails(box), signatures.is_signed)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Contest:
    return Contest(tmp_path_factory.mktemp("played"))


@pytest.fixture
def contest(played: Contest, tmp_path: Path) -> Contest:
    """The same contest with a folder of its own, and with mails that the test may change."""
    copied = copy.copy(played)
    copied.path, copied.mails = tmp_path, copy.deepcopy(played.mails)
    return copied


OTHER = LedgerEntry(Effect.WITHDRAWN, "the_light_lords_of_knobeln", OPENS, "ab" * 32)


def test_another_key_than_the_welcomes_is_noticed(contest: Contest) -> None:
    other = base64.b64encode(signatures.public_key(bytes(32))).decode()
    with pytest.raises(Wrong, match="names another key than"):
        contest.check(contest.archive(key=other))
    with pytest.raises(Wrong, match="is not signed with the key"):
        contest.check(contest.archive(key=other), contest.mails[1:4])


def test_a_key_that_came_later_than_the_ledger_is_noticed_without_a_welcome(
    contest: Contest,
) -> None:
    """From the second letter on another key signs, and the first entry is as it was."""
    other = Contest(contest.path / "second", key=bytes(32))
    entries = [contest.entries[0], *other.entries[1:]]
    for number, mail in enumerate(other.mails[1:4], 3):
        at = Checkpoint(
            contest.commitment, number, merkle.root(entry.leaf() for entry in entries[:number])
        )
        note = VerifierKey(at.origin, signatures.public_key(bytes(32))).note(
            at.text, signatures.sign(bytes(32), at.text.encode())
        )
        path = [
            merkle.root(entry.leaf() for entry in entries[start:end])
            for start, end in PATHS[number]
        ]
        put_proof(mail, Receipt(number, entries[number - 1].leaf(), tuple(path), note).proof)
        mail.replace_header("X-Knobeln-Receipt", str(number))
    with pytest.raises(Wrong, match="does not begin with the archive's key"):
        contest.check(contest.archive(entries, key=other.public_key), other.mails[1:4])


PATHS = {3: [(0, 2)], 4: [(2, 3), (0, 2)], 5: [(0, 4)]}
"""The first leaf of each tree on the path of the newest entry, and the first behind it."""


def proof_of(mail: EmailMessage) -> EmailMessage:
    return next(part for part in mail.walk() if part.get_filename() == PROOF_FILE)


def put_proof(mail: EmailMessage, proof: bytes) -> None:
    proof_of(mail).set_content(proof, maintype="text", subtype="plain", filename=PROOF_FILE)


def test_an_answer_without_a_receipt_is_noticed(contest: Contest) -> None:
    proof_of(contest.mails[2]).set_content("lost")
    with pytest.raises(Wrong, match="has no receipt, but answers of its kind have one"):
        contest.check(contest.archive())


@pytest.mark.parametrize("old", ["Receipt: entry 4.", "X-Knobeln-Receipt: 4"])
def test_text_header_and_attachment_must_agree(contest: Contest, old: str) -> None:
    raw = contest.mails[2].as_bytes()
    assert old.encode() in raw
    changed = email.message_from_bytes(
        raw.replace(old.encode(), old.replace("4", "3").encode()), policy=email.policy.default
    )
    assert isinstance(changed, EmailMessage)
    contest.mails[2] = changed
    with pytest.raises(Wrong, match="has the proof of entry 4, but tells another one"):
        contest.check(contest.archive())


def test_a_forwarded_mail_is_read_inline_and_attached(contest: Contest) -> None:
    mail, changed = contest.mails[2], list(contest.entries)
    changed[1] = OTHER
    inline, attached = EmailMessage(), EmailMessage()
    inline.set_content(
        "".join(f"> {line}\n" for line in mail.get_body().get_content().splitlines())
    )
    data = proof_of(mail).get_payload(decode=True)
    inline.add_attachment(data, maintype="application", subtype="octet-stream", filename="noname")
    attached.set_content("Look!")
    attached.add_attachment(mail)
    for forwarded in (inline, attached):
        assert contest.check(contest.archive(), [contest.mails[0], forwarded]).receipts == 2
        with pytest.raises(Wrong, match="the ledger was changed: up to entry"):
            contest.check(contest.archive(changed), [forwarded])


def test_each_receipt_is_checked_when_it_comes(contest: Contest) -> None:
    """Without an archive: the key of the welcome has signed it, and the ledger has only grown."""
    mails = receipts.read_mails(contest.box(contest.mails))
    (found,) = receipts.ledgers_in(mails)
    assert receipts.check(found, mails, signatures.is_signed) == (8, [], 0)
    assert [mail.growth[0] for mail in sorted(mails, key=lambda each: each.told)] == [
        0,
        2,
        3,
        4,
        0,
        6,
        7,
        8,
    ]


def test_a_ledger_that_does_not_contain_the_earlier_one_is_noticed_when_it_comes(
    contest: Contest,
) -> None:
    other = Contest(contest.path / "second", (LIGHT, FORM), contest.signing_key)
    # the team's later mails are of another ledger
    mine, theirs = contest.mails[:2], other.mails[4:]
    mails = receipts.read_mails(contest.box([*mine, theirs[3]]))
    growth = next(mail.growth[1] for mail in mails if mail.told[0] == 9)
    mails = [mail._replace(growth=(3, growth)) if mail.told[0] == 9 else mail for mail in mails]
    with pytest.raises(Wrong, match="does not contain the one of 3 entries before it"):
        receipts.check(receipts.ledgers_in(mails)[0], mails, signatures.is_signed)


# --- the ledger that is published while the contest runs ------------------------------------------
def test_the_published_ledger_tells_nothing_about_a_team_and_everybody_can_compute_its_root(
    contest: Contest,
) -> None:
    told_of_it = flat(contest.ledger_mail)
    assert f"has {len(contest.entries)} entries now" in told_of_it
    lines = file_of(contest.ledger_mail, LEDGER_FILE).decode().splitlines()
    assert lines[:5] == contest.entries[0].leaf().decode().splitlines()
    assert lines[5:] == [merkle.leaf_hash(each.leaf()).hex() for each in contest.entries[1:]]
    root = merkle.root(each.leaf() for each in contest.entries)
    note = file_of(contest.ledger_mail, CHECKPOINT_FILE).decode()
    assert note.startswith(Checkpoint(contest.commitment, len(contest.entries), root).text)


def test_a_team_checks_that_its_entries_are_in_the_published_ledger(contest: Contest) -> None:
    """Among its mails, with and without the archive; and beside them, as the pages have it."""
    own = contest.mails[:3]  # later entries are of the other team
    checked = contest.check(contest.archive(), [*own, contest.ledger_mail])
    assert (checked.receipts, checked.published) == (3, len(contest.entries))
    published = saved(contest, contest.ledger_mail)
    done = run(published, contest.box(own))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(
        f"3 receipts: the ledger is the one that they were signed for; so is the published one of "
        f"{len(contest.entries)} entries\n"
    )
    # Who has no mails can still hold the archive against the ledger that was once on the pages.
    assert run(contest.archive(), published).returncode == 3
    changed = [contest.entries[0], OTHER, *contest.entries[2:]]
    assert "it is another one than when the mail" in run(contest.archive(changed), published).stderr


def test_a_published_ledger_that_is_another_one_than_that_of_the_receipts_is_noticed(
    contest: Contest,
) -> None:
    """Signed with the same key: what two readers were told."""
    other = Contest(contest.path / "second", (LIGHT, FORM), contest.signing_key)
    done = run(saved(contest, other.ledger_mail), contest.box(contest.mails[:3]))
    assert done.returncode == 1
    assert "the ledger was changed: up to entry 2 the one of " in done.stderr


def test_a_published_ledger_that_its_checkpoint_does_not_sign_is_noticed(contest: Contest) -> None:
    published = saved(contest, contest.ledger_mail)
    entries = published.read_bytes()
    place = contest.box(contest.mails[:3])
    for changed, words in (
        (
            entries.replace(b"contest made", b"contest lost"),
            "the ledger was changed: up to entry 2",
        ),
        (
            b"".join(entries.splitlines(keepends=True)[:-1]),
            "has not the 9 entries of its checkpoint",
        ),
    ):
        published.write_bytes(changed)
        assert words in run(published, place).stderr
    published.write_bytes(entries + b"ab" * 32 + b"\n")  # the checkpoint was fetched before
    assert run(published, place).returncode == 0
    note = published.with_name(CHECKPOINT_FILE)
    note.write_text(note.read_text().replace("\n9\n", "\n8\n"))
    assert "is not signed with the key" in run(published, place).stderr
    note.unlink()
    assert "is no signed checkpoint" in run(published, place).stderr


def file_of(mail: EmailMessage, name: str) -> bytes:
    (data,) = (part.get_payload(decode=True) for part in mail.walk() if part.get_filename() == name)
    assert isinstance(data, bytes)
    return data


def saved(contest: Contest, mail: EmailMessage) -> Path:
    for name in (LEDGER_FILE, CHECKPOINT_FILE):
        (contest.path / name).write_bytes(file_of(mail, name))
    return contest.path / LEDGER_FILE


def test_mails_of_another_contest_are_left_out(contest: Contest, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Contest(tmp_path / "other", secret=bytes(31) + b"1")
    both = [*contest.mails, *other.mails]
    assert contest.check(contest.archive(), both).receipts == 8


def test_a_receipt_of_another_team_is_noticed(contest: Contest) -> None:
    mail = contest.mails[2]
    del mail["X-Knobeln-Team"]
    mail["X-Knobeln-Team"] = "the_light_lords_of_knobeln"
    with pytest.raises(
        Wrong, match="entry 4 is about the_heavy_lords_of_knobeln, but the_light_lords"
    ):
        contest.check(contest.archive())


def test_letters_that_the_team_never_sent_are_shown(contest: Contest) -> None:
    checked = contest.check(contest.archive(), [contest.mails[0], *contest.mails[2:4]])
    assert checked.receipts == 3
    (remark,) = checked.remarks
    assert "no mail here has the receipt of entry 3: preference changed" in remark


def test_mails_out_of_order_and_a_missing_welcome_are_shown(contest: Contest) -> None:
    mail = contest.mails[3]
    del mail["Date"]
    mail["Date"] = "Tue, 22 Mar 1994 10:00:00 +0000"
    no_welcome, order = contest.check(contest.archive(), contest.mails[1:4]).remarks[:2]
    assert "no welcome" in no_welcome
    assert "out of order" in order


def test_a_list_of_entries_that_a_team_never_got_is_shown(contest: Contest) -> None:
    listed = LedgerEntry(Effect.ENTRIES_LISTED, "", OPENS, digest="ab" * 32)
    first, final = contest.check(contest.archive([*contest.entries, listed])).remarks
    assert "no mail here has the list of entries of 1994-03-22" in first
    assert "no mail here has the final list of entries of 1994-03-23" in final
    # Without a public number and without time for objections there are no such mails, nor for who
    # has left.
    assert contest.check(contest.archive(contest.entries)).remarks == []
    left = [replace(OTHER, team=told(contest.mails[each])[0]) for each in (0, 4)]
    remarks = contest.check(contest.archive([*contest.entries, *left, listed])).remarks
    assert not any("list of entries" in each for each in remarks)


ACCEPTED = LedgerEntry(Effect.PROGRAM_ACCEPTED, "", OPENS, digest="cd" * 32)


def test_a_team_that_was_left_off_the_list_hears_it_of_the_kit(contest: Contest) -> None:
    team = told(contest.mails[0])[0]
    accepted = replace(ACCEPTED, team=team)
    with pytest.raises(Wrong, match=f"{team} is not on the final list, but a program of it was"):
        contest.check(contest.archive([*contest.entries, accepted]))
    gone = replace(OTHER, team=team, effect=Effect.TAKEN_OUT)
    contest.check(contest.archive([*contest.entries, accepted, gone]))


@pytest.mark.parametrize("name", ["missing", "archive"])
def test_what_is_no_mailbox_is_said(contest: Contest, name: str) -> None:
    contest.archive()
    with pytest.raises(Wrong, match="neither a Maildir"):
        receipts.read_mails(contest.path / name)


ATTACHED = "Content-Type: message/rfc822\n\n"
NOTE = f"knobeln/{64 * '0'}\n1\n{43 * 'A'}=\n\n\N{EM DASH} a AAAA\n"


@pytest.mark.parametrize(
    ("mail", "words"),
    [
        (
            f"{21 * ATTACHED}Subject: x\n\nx",
            "parts within parts, or mails within mails, too deep to be read",
        ),
        (
            f"{2_000 * ATTACHED}Subject: x\n\nx",
            "parts within parts, or mails within mails, too deep to be read",
        ),
        (
            "\n" + 101 * f"c2sp.org/tlog-proof@v1\nextra YQ==\nindex 0\n\n{NOTE}",
            "100 rec",
        ),
    ],
)
def test_a_mail_that_nobody_sends_is_named(tmp_path: Path, mail: str, words: str) -> None:
    (tmp_path / "mail").write_text(mail)
    with pytest.raises(Wrong, match=words):
        receipts.read_mails(tmp_path / "mail")


@pytest.mark.parametrize(
    "field", [f"From: {4_000 * '('}", f"Content-Type: text/plain{10_000 * '; a=b'}"]
)
def test_a_field_that_no_library_reads_keeps_no_mail_from_being_read(
    tmp_path: Path, field: str
) -> None:
    (tmp_path / "mail").write_text(f"Subject: a mail\n{field}\n\nwords\n")
    (mail,) = receipts.read_mails(tmp_path / "mail")
    assert '"a mail"' in mail.name


def test_mails_without_receipts_prove_nothing(contest: Contest) -> None:
    with pytest.raises(Wrong, match="no mail here has a receipt"):
        contest.check(contest.archive(), [])


def test_an_archive_without_a_ledger_is_said(contest: Contest) -> None:
    (contest.archive() / "ledger.json").unlink()
    with pytest.raises(Wrong, match="has no ledger"):
        contest.check(contest.path / "archive")


def test_an_archive_with_a_time_beyond_all_times_is_said(contest: Contest) -> None:
    file = contest.archive() / "contest.json"
    facts = json.loads(file.read_text())
    facts["settings"]["tournament"] = {"beacon": "drand"}
    file.write_text(json.dumps(facts))
    (contest.path / "archive" / "seal.json").write_text(
        json.dumps({"source": json.dumps({"round": 10**400})})
    )
    with pytest.raises(Wrong, match="the archive cannot be read"):
        receipts.read_ledger(contest.path / "archive")


# --- the file of the kit --------------------------------------------------------------------------
def test_the_file_knows_the_chain_of_drand() -> None:
    assert (QUICKNET.hash, QUICKNET.genesis, QUICKNET.period) == receipts.DRAND


def run(*arguments: Path) -> subprocess.CompletedProcess[str]:
    """The file alone, with no module of ours in reach."""
    with tempfile.TemporaryDirectory() as folder:
        file = receipts_of_kit(Path(folder))
        command = [sys.executable, "-I", file, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def test_no_two_modules_of_the_file_define_the_same_name() -> None:
    source, _ = (file.data.decode() for file in ledger_programs())
    names = Counter(
        name
        for node in ast.parse(source).body
        if not isinstance(node, ast.Import | ast.ImportFrom)
        for name in names_of(node)
    )
    assert "has_grown" in names
    assert [name for name, count in names.items() if count > 1] == []


def names_of(statement: ast.stmt) -> Iterator[str]:
    """What a statement at the top of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    else:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


@pytest.fixture
def mbox(contest: Contest) -> Iterator[Path]:
    box = mailbox.mbox(contest.path / "mails.mbox")
    for mail in contest.mails:
        box.add(mail)
    box.flush()
    yield contest.path / "mails.mbox"
    box.close()


def test_the_file_alone_checks_signatures_and_a_file_of_mails(contest: Contest, mbox: Path) -> None:
    done = run(mbox)
    assert (done.returncode, done.stderr) == (0, "")
    verdict, *entries, last = done.stdout.splitlines()
    assert verdict == "All that these mails say follows."
    assert last == "8 receipts: the ledger is the one that they were signed for"
    assert len(entries) == 8
    beside = run(contest.archive(), mbox)
    assert (beside.returncode, beside.stderr) == (3, "")  # an archive without lists of entries
    assert last in beside.stdout


def test_the_file_alone_names_the_first_difference(contest: Contest, mbox: Path) -> None:
    done = run(contest.archive([OTHER, *contest.entries]), mbox)
    assert (done.returncode, done.stdout) == (1, "")
    assert "The first difference: the ledger was changed: up to entry 2 " in done.stderr


@settings(max_examples=30, deadline=None)
@given(
    st.binary(min_size=32, max_size=32), st.binary(max_size=100), st.integers(0, 511), st.booleans()
)
def test_the_kits_arithmetic_agrees_with_the_library(key, message, bit, is_damaged) -> None:
    signature = signatures.sign(key, message)
    if is_damaged:
        number = int.from_bytes(signature, "little") ^ (1 << bit)
        signature = number.to_bytes(64, "little")
    public = signatures.public_key(key)
    assert ed25519.is_signed(public, message, signature) is not is_damaged
    assert signatures.is_signed(public, message, signature) is not is_damaged


def small_orders() -> list[bytes]:
    """The encodings of the eight points whose order divides 8: multiples of what is left of any
    point."""
    points = map(ed25519.point_of, (number.to_bytes(32, "little") for number in range(2, 100)))
    left = [ed25519.multiple(ed25519.ORDER, point) for point in points if point]
    return sorted({ed25519.encoded(point) for point in left})


def test_a_key_with_which_anybody_can_sign_signs_nothing() -> None:
    """Its owner could say that others made the receipts. What the library lets pass we refuse."""
    keys = small_orders()
    assert len(keys) == 8
    passed = []
    for key in keys:
        for number in range(30):
            # R is the neutral point, and S is 0
            message, forged = bytes([number]), bytes([1, *bytes(63)])
            with suppress(InvalidSignature):
                Ed25519PublicKey.from_public_bytes(key).verify(forged, message)
                passed.append((key, message, forged))
    assert len({key for key, _, _ in passed}) == 8
    assert not any(signatures.is_signed(*each) or ed25519.is_signed(*each) for each in passed)
    script = (
        "import { readFileSync } from 'node:fs'; import { runInThisContext } from 'node:vm';"
        f"runInThisContext(readFileSync('{FOLDER}/noble.js', 'utf8'));"
        f"const {{ isSigned }} = await import('{FOLDER}/js/ledger.js');"
        "const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));"
        "const forged = bytes('01' + '00'.repeat(63));"
        "let signed = 0;"
        "for (const key of process.argv.slice(1)) for (let size = 1; size < 30; size++)"
        "  signed += isSigned(bytes(key), 'ab', size, new Uint8Array(32), forged);"
        "console.log(signed);"
    )
    node = [program("node"), "--input-type=module", "-e", script, *(key.hex() for key in keys)]
    assert subprocess.run(node, capture_output=True, text=True, check=True).stdout == "0\n"
