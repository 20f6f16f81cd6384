#!/usr/bin/env python3
"""Checks the receipts in a team's mails: as soon as they come, or against a published contest.

    python3 receipts.py MAILS
    python3 receipts.py ledger.txt MAILS
    python3 receipts.py ARCHIVE MAILS

MAILS is a Maildir, a file of mails in the format mbox, or one mail, saved as a file. ledger.txt is
the ledger from the contest's pages, with its checkpoint.txt beside it; among the mails it is found,
too. ARCHIVE is the folder of the published contest. Forwarded mails are read, too. Exit code 0:
every receipt fits; 1: one does not, and the first is named; 2: usage error; 3: every receipt fits,
but there are things that you have to believe, which it names.

This file needs Python 3.7 and its standard library, and nothing else of knobeln: teams have it in
their kit, with what it imports of ours inside. `knobeln verify ARCHIVE --letters MAILS` makes the
second check, too.
"""

from __future__ import annotations

import base64
import email
import email.policy
import json
import mailbox
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta, timezone
from email.message import EmailMessage, MIMEPart
from email.utils import parseaddr, parsedate_to_datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from contest.ledger.merkle import has_grown, leaf_hash, node_hash, roots_of
from contest.ledger.notes import Checkpoint, VerifierKey
from trust.for_teams.ed25519 import is_signed

LINES_OF_AN_ENTRY = 5
LINES_OF_A_LISTED = 3
MAX_SHOWN_CHARS = 120  # of foreign text, in a message
MAX_REMARKS = 20
MAX_FILE_BYTES, MAX_FACTS_BYTES = 16_000_000, 1_000_000  # of an archive's files
# Of a header field. The library needs far more than linear time for those with addresses or
# parameters.
MAX_FIELD_CHARS, MAX_PARSED_CHARS = 4_000, 500
MAX_FORWARDED = 20  # mails within each other
MAX_CALENDAR_BYTES = 20_000
MAX_RECEIPTS = 100  # of one mail; a mail of a contest has one, and those that it quotes
LIST = "entries"  # the mail with a list of entries
FIRST_LIST, FINAL_LIST = "list of entries", "final list of entries"
LISTS = (FIRST_LIST, FINAL_LIST)
CLOSED, BEGUN = "programs are no longer taken", "next tournament begun"
TIME_FORMAT = "%Y-%m-%d %H:%M UT"
# What a step may take by itself, and how long most people need to look at a list, at the least.
SOON = timedelta(minutes=15)
DAY = timedelta(days=1)
# The mails that always have a receipt, and how the effects in its entry begin.
ANSWERS = {
    "registration-accepted": ("registration accepted",),
    "registration-pending": ("registration waits",),
    "registration-rejected": ("registration rejected",),
    "compile-report": ("program accepted", "program refused"),
    "preference-changed": ("preference changed",),
    "unsubscribed": ("preference changed",),
    "address-changed": ("address changed",),
    "new-string": ("new authentification string",),
    "withdrawn": ("withdrawn",),
    LIST: LISTS,
}
# The effects that no mail with a receipt tells: that of a program that another one has replaced,
# which the answer to a later letter tells, the organizer's own actions, and that our engine failed
# with a program.
NO_ANSWERS = (
    "program replaced before it was compiled",
    "taken out by the organizer",
    "reinstated by the organizer",
    "program set aside after failures of the engine",
    "program asked again, by the organizer",
)
MADE = "contest made"  # the first entry
LEDGER, CHECKPOINT = "ledger.txt", "checkpoint.txt"  # while the contest runs
# A key, a note and a proof as in C2SP signed-note and tlog-proof; the proof is of the newest entry.
_HASH = "[A-Za-z0-9+/]{43}="
_KEY_IN_MAIL = re.compile(r"knobeln/([0-9a-f]{64})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})")
_NOTE = (
    rf"knobeln/([0-9a-f]{{64}})\n([0-9]{{1,9}})\n({_HASH})\n\n((?:\u2014 \S+ [A-Za-z0-9+/]+=*\n)+)"
)
_PROOF = re.compile(
    r"^c2sp\.org/tlog-proof@v1\nextra ([A-Za-z0-9+/]+=*)\nindex ([0-9]{1,9})\n"
    rf"((?:{_HASH}\n)*)\n{_NOTE}",
    re.MULTILINE,
)
_HASHED = re.compile(rb"[0-9a-f]{64}")  # the hash of an entry, in a ledger that is published
_TOLD = re.compile(r"([0-9]{1,9})\. [^\W\d]+: receipt\.tlog-proof")  # in any language
_HEADER = re.compile(rf"([0-9]{{1,9}})(?: ([0-9]{{1,9}})((?: {_HASH})*))?")
# an event in a file for calendars, and its time
_EVENT = re.compile(
    r"^UID:(compilation-closes|contest-starts)-.*\n(?:SEQUENCE:.*\n)?(?:DTSTAMP:.*\n)?"
    r"DTSTART:([0-9]{8})T([0-9]{6})Z",
    re.MULTILINE,
)
# of a list
_NAMES = re.compile(r"^(?:  [A-Za-z_]\w{0,29}(?:, [A-Za-z_]\w{0,29})*,?\n)+", re.MULTILINE)
# How mails say where the public number comes from; their lines may end anywhere.
_ROUND = re.compile(r"is round ([0-9]+) of drand")
_CHAIN = re.compile(r"The chain of drand: ([0-9a-f]{64})")
DRAND = ("52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971", 1692803367, 3)
"""The hash of drand's chain quicknet, the time of its first round, and the seconds from one to the
next."""
_LOTTERY = "a public draw, which nobody knows before: "
_END_OF_LOTTERY = ". Its numbers are sorted"
NUMBER = "public number"
_UTC = timezone.utc  # noqa: UP017 - Python 3.7 has no other name for it
ACCEPTED, REGISTERED = "program accepted", "registration accepted"
TAKEN_OUT, REINSTATED = "taken out by the organizer", "reinstated by the organizer"
WITHDRAWN = "withdrawn"
GONE = (WITHDRAWN, "registration rejected by the organizer")


class Wrong(Exception):
    """What does not fit, as a sentence without its full stop."""


class Calendar(NamedTuple):
    """The steps between the last program and the first game.

    `closes`, `starts`: until when programs were to be taken, and when the contest was to start.
    `closed`, `listed`: when the ledger says that programs were no longer taken, and that the first
    list of entries went out; None if it does not. `started`: when the list was final.
    """

    closes: datetime
    starts: datetime
    closed: datetime | None
    listed: datetime | None
    started: datetime

    def is_squeezed(self, heard: datetime) -> bool:
        """Whether somebody who heard of the first list then had less than half of the time for
        objections that was announced."""
        return self.started - heard < (self.starts - self.closes) / 2


class Ledger(NamedTuple):
    """A contest's ledger. `commitment`: the sha256 of the secret number, in hex, which names it.

    `leaves`: the bytes of the entries in an archive; None before there is one. `beacon`: where the
    public number comes from. `round`: of drand; 0 for another beacon. `known_at`: when that round
    was published, or the number handed in, in seconds; 0 without one. `calendar`: of an archive.
    `listed`: of an archive, the file with its final list. `own`: the numbers of the entries of the
    archive's tournament; all without one.
    """

    commitment: str
    public_key: bytes
    leaves: Sequence[bytes] | None = None
    beacon: str = "none"
    round: int = 0
    known_at: float = 0.0
    calendar: Calendar | None = None
    listed: bytes = b""
    own: range = range(sys.maxsize)

    @property
    def verifier_key(self) -> VerifierKey:
        return VerifierKey(Checkpoint(self.commitment, 0, b"").origin, self.public_key)


class Receipt(NamedTuple):
    """A checkpoint of `number` entries with this root. `signatures` have the keys' IDs.

    A proof has the newest entry, `leaf`, and its path; a published ledger the hashes of its entries
    instead.
    """

    number: int
    commitment: str
    root: bytes
    signatures: Sequence[bytes]
    leaf: bytes = b""
    path: Sequence[bytes] = ()
    hashes: Sequence[bytes] = ()

    @property
    def fields(self) -> list[str]:
        return _fields(self.leaf)


class Mail(NamedTuple):
    """A mail of a contest. `name`: its subject and date; `report`: its kind, "" of a mail that
    quotes others.

    `keys`: the name, the ID in hex, and the bytes of each key in the text, which has it in two
    lines.
    `told`: the number in its header, then those in its text. `growth`: from which entry on the
    header shows how the ledger has grown, and the proof. `sent`: seconds, 0 if unknown. `received`:
    when the last mail server took it, in seconds; 0 if no header says so. `listed`: the file with
    the list of entries. `dates`: until when it says that programs are taken, and when the contest
    starts, by the file for calendars; empty without one.
    """

    name: str
    receipt: Receipt | None
    report: str = ""
    team: str = ""
    sender: str = ""
    text: str = ""
    keys: Sequence[tuple[str, str, bytes]] = ()
    told: Sequence[int] = ()
    growth: tuple[int, Sequence[bytes]] = (0, ())
    sent: float = 0.0
    received: float = 0.0
    listed: bytes = b""
    dates: Sequence[datetime] = ()


class Checked(NamedTuple):
    """How many receipts fit, sentences about what a person may want to look at, and of how many
    entries the largest ledger is that was published while the contest ran; 0 without one."""

    receipts: int
    remarks: Sequence[str]
    published: int = 0


# --- reading --------------------------------------------------------------------------------------
def read_ledger(archive: Path) -> Ledger:
    """Raises Wrong if the archive has no ledger, or another form."""
    if not (archive / "ledger.json").exists():
        raise Wrong("the archive has no ledger, so no receipt can be checked")
    try:
        contest = json.loads(_file(archive / "contest.json", MAX_FACTS_BYTES))
        facts = json.loads(_file(archive / "ledger.json", MAX_FACTS_BYTES))
        leaves = _leaves(_file(archive / LEDGER, MAX_FILE_BYTES), LINES_OF_AN_ENTRY)
        key = base64.b64decode(facts["public_key"])
        commitment = contest["seed_commitment"]
        draw = _read_draw(contest["settings"].get("tournament", {}), archive / "seal.json", leaves)
        own = _own_entries(int(contest["tournament"]), leaves)
        calendar = _read_calendar(contest, leaves[own.start - 1 : own.stop - 1])
        lists = json.loads(_file(archive / "entry_lists.json", MAX_FILE_BYTES))
        listed = _listed(lists[-1]["entries"])
    except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
        raise Wrong(f"the archive cannot be read: {shown(error)}") from None
    return Ledger(str(commitment), key, leaves, *draw, calendar, listed, own)


def _listed(entries: Iterable[Any]) -> bytes:
    """The file with a list of entries, as mails have it attached."""
    lines = (f"{entry['team']}\n{entry['program']}\n{entry['build']}\n" for entry in entries)
    return "".join(sorted(lines)).encode()


def _file(path: Path, most: int) -> bytes:
    """Raises Wrong for a file that has more bytes than an archive's can have."""
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise Wrong(f"the archive cannot be read: {shown(path.name)} has more than {most:,} bytes")
    return data


def _read_draw(settings: Any, seal: Path, leaves: Sequence[bytes]) -> tuple[str, int, float]:
    """The beacon, drand's round, and when the number was known."""
    beacon = str(settings.get("beacon", "none"))
    if beacon != "drand":
        times = (_time(_fields(leaf)[2]) for leaf in leaves if _fields(leaf)[0] == NUMBER)
        return beacon, 0, next((moment.timestamp() for moment in times), 0.0)
    number = int(json.loads(json.loads(_file(seal, MAX_FACTS_BYTES))["source"])["round"])
    _, first, period = DRAND
    return beacon, number, float(first + (number - 1) * period)


def _own_entries(tournament: int, leaves: Sequence[bytes]) -> range:
    """The numbers of the entries of this tournament of a season, from 1."""
    begun = [number for number, leaf in enumerate(leaves, 1) if _fields(leaf)[0] == BEGUN]
    bounds = [1, *begun, len(leaves) + 1]
    return range(bounds[tournament - 1], bounds[tournament])


def _read_calendar(contest: Any, leaves: Sequence[bytes]) -> Calendar:
    """`leaves`: of the entries of the tournament."""
    dates = contest["settings"]["dates"]
    own = [(effect, _time(written_at)) for effect, _, written_at, *_ in map(_fields, leaves)]
    closes, starts = _time(dates["compilation_closes"]), _time(dates["contest_starts"])
    return calendar_of(closes, starts, _time(contest["started_at"]), own)


def calendar_of(
    closes: datetime, starts: datetime, started: datetime, entries: Iterable[tuple[str, datetime]]
) -> Calendar:
    """The calendar by the effects and times of the entries of a tournament."""
    closed, listed = None, None
    for effect, written_at in entries:
        if effect == FINAL_LIST and written_at == started:
            break
        if effect == CLOSED:
            closed = written_at
        elif effect == FIRST_LIST:
            listed = listed or written_at
    return Calendar(closes, starts, closed, listed, started)


def _time(text: str) -> datetime:
    """A time as archives have it, with or without parts of a second."""
    form = "%Y-%m-%dT%H:%M:%S.%fZ" if "." in text else "%Y-%m-%dT%H:%M:%SZ"
    return datetime.strptime(text, form).replace(tzinfo=_UTC)


def _leaves(file: bytes, lines_of_each: int) -> list[bytes]:
    lines = file.splitlines(keepends=True)
    starts = range(0, len(lines), lines_of_each)
    return [b"".join(lines[start : start + lines_of_each]) for start in starts]


def read_mails(place: Path) -> list[Mail]:
    """The mails there, and those that were forwarded in them. Raises Wrong if there are none.

    The ledger from the contest's pages is as if a mail had brought it.
    """
    if place.name == LEDGER:
        note = place.with_name(CHECKPOINT)
        published = _published(place.read_bytes(), note.read_bytes()) if note.is_file() else None
        if published is None:
            raise Wrong(f"{CHECKPOINT} beside {shown(place)} is no signed checkpoint")
        return [Mail(shown(place), published)]
    if (place / "cur").is_dir():
        files = [file for folder in ("cur", "new") for file in sorted((place / folder).iterdir())]
        raws = [(file, file.read_bytes()) for file in files]
    elif place.is_file() and place.read_bytes()[:5] != b"From ":
        raws = [(place, place.read_bytes())]
    elif place.is_file():
        raws = [(place, mail.as_bytes()) for mail in mailbox.mbox(place, create=False)]
    else:
        raise Wrong(f"{shown(place)} is neither a Maildir (with a folder cur) nor a file of mails")
    return [mail for file, raw in raws for mail in _read(raw, file)]


def _read(raw: bytes, file: Path) -> list[Mail]:
    """A message with the mails that are attached to it. Raises Wrong if it is nested too deep."""
    try:
        return [mail for message in _messages(raw) for mail in _mails(message)]
    except RecursionError:  # the library's, too
        raise Wrong(
            f"a mail in {shown(file)} has parts within parts, or mails within mails, too deep to be"
            " read: take it out, and forward what is in it one by one"
        ) from None


class _Policy(email.policy.EmailPolicy):
    """Reads the beginning of each header field, and takes a field as plain text if it is nested too
    deep."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        is_parsed = name.lower() == "from" or name.lower().startswith("content-")
        begin = value[: MAX_PARSED_CHARS if is_parsed else MAX_FIELD_CHARS]
        try:
            return super().header_fetch_parse(name, begin)
        except RecursionError:
            return super().header_fetch_parse("X-Nested", begin)


_POLICY = _Policy()


def _messages(raw: bytes, depth: int = 0) -> Iterator[EmailMessage]:
    """This message, and the mails that are attached to it. Raises RecursionError beyond
    MAX_FORWARDED."""
    message = email.message_from_bytes(raw, policy=_POLICY)
    assert isinstance(message, EmailMessage)  # noqa: S101 - by the policy
    yield from _with_attached(message, depth)


def _with_attached(message: EmailMessage, depth: int) -> Iterator[EmailMessage]:
    if depth > MAX_FORWARDED:
        raise RecursionError
    yield message
    for part in _parts(message):
        if part.get_content_type() == "message/rfc822":
            # a message
            yield from _with_attached(part.get_payload(0), depth + 1)  # type: ignore[arg-type]
        elif (part.get_filename() or "").endswith(".eml"):
            # bytes
            yield from _messages(part.get_payload(decode=True), depth + 1)  # type: ignore[arg-type]


def _parts(message: MIMEPart) -> Iterator[MIMEPart]:
    """The parts that have no parts, and attached mails."""
    if message.get_content_maintype() == "multipart":
        for part in message.iter_parts():
            yield from _parts(part)
    else:
        yield message


def _mails(message: EmailMessage) -> Iterator[Mail]:
    """The mail, as often as it has receipts, or once. Raises Wrong if it has too many."""
    text, receipts, files = _contents(message)
    if CHECKPOINT in files:
        receipts.append(_published(files.get(LEDGER, b""), files[CHECKPOINT]))
    subject, date, header, report, team, sender = (
        " ".join(str(message.get(name, "")).split()) for name in _HEADERS
    )
    name = f'"{shown(subject)}" of {shown(date)}'
    if len(receipts) > MAX_RECEIPTS:
        raise Wrong(
            f"the mail {name} has more than {MAX_RECEIPTS} receipts; a mail of a contest has one"
        )
    match = _HEADER.fullmatch(header or "0")
    if match is None:
        raise Wrong(f"the mail {name} has a receipt that is none: {shown(header)}")
    # The header of the reader's own mail server is the first.
    arrival = str((message.get_all("Received") or [""])[0]).rpartition(";")[2].strip()
    mail = Mail(
        name=name,
        receipt=None,
        report=report,
        team=team,
        sender=_address(sender),
        text=text,
        keys=_keys_in(text),
        told=(int(match[1]), *map(int, _TOLD.findall(text))),
        growth=(int(match[2] or 0), [base64.b64decode(word) for word in (match[3] or "").split()]),
        sent=_seconds(date),
        received=_seconds(arrival),
        listed=files.get("entries.txt", b""),
        dates=_dates_in(files.get("contest.ics", b"")),
    )
    for receipt in receipts or [None]:
        yield mail._replace(receipt=receipt)


_HEADERS = (
    "Subject",
    "Date",
    "X-Knobeln-Receipt",
    "X-Knobeln-Report",
    "X-Knobeln-Team",
    "From",
)


def _contents(message: EmailMessage) -> tuple[str, list[Receipt | None], dict[str, bytes]]:
    """The text of a mail, the receipts in it, at most one more than MAX_RECEIPTS, and the attached
    files by their names."""
    text = ""
    receipts: list[Receipt | None] = []
    files: dict[str, bytes] = {}
    for part in _parts(message):
        data = part.get_payload(decode=True)
        if not isinstance(data, bytes):
            continue
        content = data.decode("utf-8", "replace").replace("\r\n", "\n")
        proofs = _PROOF.finditer(re.sub(r"(?m)^[ \t>|]+", "", content))
        receipts += map(_receipt, islice(proofs, MAX_RECEIPTS + 1))
        if len(receipts) > MAX_RECEIPTS:
            break
        if part.get_filename():
            files[str(part.get_filename())] = data
        elif part.get_content_type() == "text/plain":
            text += content
    return text, receipts, files


def _dates_in(calendar: bytes) -> Sequence[datetime]:
    """The deadline and the start in this file, empty if it does not have both."""
    text = calendar[:MAX_CALENDAR_BYTES].decode("utf-8", "replace")
    found = {event: "".join(start) for event, *start in _EVENT.findall(text)}
    try:
        texts = [found["compilation-closes"], found["contest-starts"]]
        return [datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=_UTC) for text in texts]
    except (KeyError, ValueError):
        return []


def _address(sender: str) -> str:
    """The address in a header field; "" if its comments are nested too deep."""
    try:
        return parseaddr(sender)[1]
    except RecursionError:
        return ""


def _keys_in(text: str) -> list[tuple[str, str, bytes]]:
    keys = _KEY_IN_MAIL.findall(re.sub(r"[\s>|]+", "", text))
    return [(name, key_id, base64.b64decode(raw)[1:]) for name, key_id, raw in keys]


def _seconds(date: str) -> float:
    """The date of a header in seconds since 1970; 0 if it is none."""
    try:
        return parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        return 0.0


def _receipt(match: re.Match[str]) -> Receipt:
    extra, index, path, *note = match.groups()
    leaf, *hashes = (base64.b64decode(word + "==") for word in (extra, *path.split()))
    receipt = _checkpoint(*note)
    return receipt._replace(
        number=receipt.number if receipt.number == int(index) + 1 else 0, leaf=leaf, path=hashes
    )


def _checkpoint(commitment: str, size: str, root: str, signatures: str) -> Receipt:
    lines = [base64.b64decode(line.split()[2] + "==") for line in signatures.splitlines()]
    return Receipt(int(size), commitment, base64.b64decode(root), lines)


def _published(ledger: bytes, note: bytes) -> Receipt | None:
    """A ledger as it is published while the contest runs; None if the note is no signed checkpoint.

    Of an entry about a team it has only the hash. Without the ledger the checkpoint is all there
    is.
    """
    match = re.fullmatch(_NOTE, note.decode(errors="replace").replace("\r\n", "\n"))
    hashes = list(_published_hashes(ledger.replace(b"\r\n", b"\n").split(b"\n")[:-1]))
    return _checkpoint(*match.groups())._replace(hashes=hashes) if match else None


def _published_hashes(lines: Sequence[bytes]) -> Iterator[bytes]:
    """The hash of each entry: a line, or that of the lines of the entry itself."""
    index = 0
    while index < len(lines):
        if _HASHED.fullmatch(lines[index]):
            yield bytes.fromhex(lines[index].decode())
            index += 1
            continue
        leaf = lines[index : index + LINES_OF_AN_ENTRY]
        if len(leaf) == LINES_OF_AN_ENTRY:
            yield leaf_hash(b"".join(line + b"\n" for line in leaf))
        index += LINES_OF_AN_ENTRY


def shown(text: object) -> str:
    """Foreign text, for a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text)[:MAX_SHOWN_CHARS])


# --- the steps before the first game --------------------------------------------------------------
def about_times(steps: Calendar) -> Iterator[tuple[str, str]]:
    """The steps that were missing, too early, or squeezed: the code of each, and a sentence."""
    yield from _about_start(steps)
    yield from _about_close(steps)
    yield from _about_first_list(steps)


def _moment(moment: datetime | None) -> str:
    return moment.strftime(TIME_FORMAT) if moment else ""


def _about_start(steps: Calendar) -> Iterator[tuple[str, str]]:
    if steps.started > steps.starts + DAY:
        yield (
            "started-late",
            f"the contest started at {_moment(steps.started)}, long after its announced start at"
            f" {_moment(steps.starts)}",
        )
    if steps.started >= steps.starts:
        return
    taken = nobody = ""
    if steps.started < steps.closes:
        taken = f", and until {_moment(steps.closes)} programs were to be taken"
    if not steps.listed:
        nobody = "; nobody could object to a list of entries"
    yield (
        "started-early",
        f"the contest started at {_moment(steps.started)}, before its announced start at"
        f" {_moment(steps.starts)}{taken}{nobody}",
    )


def _about_close(steps: Calendar) -> Iterator[tuple[str, str]]:
    closes, closed = _moment(steps.closes), _moment(steps.closed)
    if steps.closed is None:
        if steps.started >= steps.closes:
            yield (
                "close-missing",
                f"programs were no longer taken from {closes} on, but the ledger says so nowhere;"
                " until then a letter could be dated back",
            )
    elif steps.closed < steps.closes:
        yield (
            "close-early",
            f"programs were no longer taken from {closed} on, but were to be taken until {closes}",
        )
    elif steps.closed > steps.closes + SOON:
        yield (
            "close-late",
            f"programs were no longer taken from {closes} on, but the ledger says so only at"
            f" {closed}; until then a letter could be dated back",
        )


def _about_first_list(steps: Calendar) -> Iterator[tuple[str, str]]:
    closes, starts = _moment(steps.closes), _moment(steps.starts)
    if steps.starts - steps.closes < SOON:
        yield (
            "objections-short",
            f"programs were taken until {closes}, and the contest was to start at {starts}: that"
            " left hardly anybody time to object to the list of entries",
        )
    elif steps.listed is None:
        if steps.started >= steps.starts:
            yield (
                "list-missing",
                "the teams got no list of entries before the final one, so nobody could object to"
                " it",
            )
    elif steps.listed < steps.closes:
        yield (
            "list-early",
            f"the first list went out at {_moment(steps.listed)}, when programs were still taken"
            f" (until {closes})",
        )
    elif steps.is_squeezed(steps.listed) or steps.listed > steps.closes + DAY:
        yield (
            "list-late",
            f"the first list went out at {_moment(steps.listed)}, long after {closes}, when"
            f" programs were no longer taken; the contest started at {_moment(steps.started)}, and"
            f" the announced time for objections ended at {starts}",
        )


# --- the check ------------------------------------------------------------------------------------
def ledgers_in(mails: Sequence[Mail]) -> list[Ledger]:
    """The contests whose keys the mails tell. Raises Wrong if there are none."""
    ledgers = list(dict.fromkeys(Ledger(name, key) for mail in mails for name, _, key in mail.keys))
    if not ledgers:
        raise Wrong(
            "no mail here tells the key of a contest: the answer to the registration is missing"
        )
    return ledgers


def check(
    ledger: Ledger, mails: Sequence[Mail], is_signed: Callable[[bytes, bytes, bytes], bool]
) -> Checked:
    """Compare the mails with each other, and with the ledger. Raises Wrong with the first
    difference.

    The mails of other contests are left out: those that have neither its commitment nor its key.
    `is_signed` takes a public key, a message and a signature: the function below, or a faster one.
    """
    ours = [mail for mail in mails if _is_of(ledger, mail)]
    remarks = list(_check_keys(ledger, ours))
    receipts = [(mail.receipt, mail) for mail in ours if mail.receipt]
    receipts.sort(key=lambda pair: pair[0].number)
    if not receipts:
        raise Wrong("no mail here has a receipt of this contest")
    first = _first_by_number(receipts)
    roots = {number: receipt.root for number, (receipt, _) in first.items()}
    missing: list[str] = []
    for receipt, mail in receipts:
        _check_receipt(ledger, receipt, mail, is_signed)
        missing += _check_growth(roots, receipt, mail)
    _check_answers(ours, mails)
    remarks += _check_lists(ledger, receipts)
    remarks += _out_of_order([mail for receipt, mail in receipts if receipt.leaf])
    largest = _check_published(receipts, first)
    if ledger.leaves is None:
        remarks += missing
        remarks += _left_off([mail for receipt, mail in receipts if receipt.leaf])
    else:
        _check_promises(ledger, ours)  # first: it says more than that the ledger was changed
        _check_leaves(ledger, ledger.leaves, receipts[-1], first)
        remarks += _against_archive(ledger, ledger.leaves, ours)
    proofs = {receipt.number for receipt, _ in receipts if receipt.leaf}
    return Checked(len(proofs), remarks, largest)


def _against_archive(
    ledger: Ledger, leaves: Sequence[bytes], mails: Sequence[Mail]
) -> Iterator[str]:
    """Raises Wrong, or tells, what the archive does not have of these mails, and they not of it."""
    if ledger.calendar:
        if ledger.own.start == 1:  # a later tournament of a season has dates that its mails tell
            yield from _about_dates(ledger.calendar, mails)
        yield from _about_listed(ledger, leaves, {mail.team for mail in mails if mail.team})
    yield from _without_mail(ledger, leaves, mails)


def _first_by_number(
    receipts: Sequence[tuple[Receipt, Mail]],
) -> Mapping[int, tuple[Receipt, Mail]]:
    """The first receipt of each entry, with its mail. Raises Wrong if another one differs from
    it."""
    first: dict[int, tuple[Receipt, Mail]] = {}
    for receipt, mail in receipts:
        other, other_mail = first.setdefault(receipt.number, (receipt, mail))
        if receipt.root != other.root:
            raise Wrong(
                f"the mails {other_mail.name} and {mail.name} have different receipts of one entry"
            )
    return first


def _check_published(
    receipts: Sequence[tuple[Receipt, Mail]], first: Mapping[int, tuple[Receipt, Mail]]
) -> int:
    """The number of entries of the largest published ledger. Raises Wrong if one is another ledger
    than that of the receipts."""
    largest = 0
    for receipt, mail in receipts:
        if receipt.hashes:
            roots = roots_of(receipt.hashes[: receipt.number])
            _check_roots(roots, f"the one of {mail.name}", first)
            largest = max(largest, receipt.number)
    return largest


def _check_answers(ours: Sequence[Mail], mails: Sequence[Mail]) -> None:
    """Raises Wrong if a mail has no receipt that should have one. `ours`: those of the contest."""
    senders = {mail.sender for mail in ours if mail.report}
    for mail in mails:
        if mail.report in ANSWERS and mail.receipt is None and mail.sender in senders:
            raise Wrong(f"the mail {mail.name} has no receipt, but answers of its kind have one")


def _is_of(ledger: Ledger, mail: Mail) -> bool:
    names = [mail.receipt.commitment] if mail.receipt else []
    names += [name for name, _, _ in mail.keys]
    return ledger.commitment in names or ledger.public_key in [key for _, _, key in mail.keys]


def _check_keys(ledger: Ledger, mails: Sequence[Mail]) -> Iterator[str]:
    """Raises Wrong if a mail names another key or another commitment than it should."""
    for mail in mails:
        for name, key_id, key in mail.keys:
            if name != ledger.commitment:
                raise Wrong(
                    f"the mail {mail.name} names {name} as the sha256 of the secret number, not "
                    f"{shown(ledger.commitment)}"
                )
            if key != ledger.public_key or key_id != ledger.verifier_key.id.hex():
                raise Wrong(
                    f"the mail {mail.name} names another key than {ledger.public_key.hex()}:"
                    f" {key.hex()}"
                )
        if mail.receipt and mail.receipt.commitment != ledger.commitment:
            raise Wrong(f"the mail {mail.name} has the receipt of another contest than its key")
    if not any(mail.keys for mail in mails):
        yield "no welcome is among these mails, so only the archive vouches for the key"


def _check_receipt(
    ledger: Ledger, receipt: Receipt, mail: Mail, is_signed: Callable[[bytes, bytes, bytes], bool]
) -> None:
    """Raises Wrong unless the key has signed that this entry is in, and the mail says the same."""
    number = receipt.number
    checkpoint = Checkpoint(ledger.commitment, number, receipt.root).text.encode()
    key_id = ledger.verifier_key.id
    own = [signature[4:] for signature in receipt.signatures if signature[:4] == key_id]
    if not own or not all(is_signed(ledger.public_key, checkpoint, signature) for signature in own):
        raise Wrong(
            f"the receipt of entry {number} in the mail {mail.name} is not signed with the key"
        )
    if receipt.leaf:
        _check_proof(receipt, mail)
        _check_told(receipt, mail)
    elif receipt.hashes and len(receipt.hashes) < number:
        raise Wrong(f"the ledger of {mail.name} has not the {number} entries of its checkpoint")


def _check_proof(receipt: Receipt, mail: Mail) -> None:
    """Raises Wrong unless the entry is the newest of the ledger that is signed."""
    number = receipt.number
    top = leaf_hash(receipt.leaf)
    for sibling in receipt.path:
        top = node_hash(sibling, top)
    if top != receipt.root or len(receipt.path) != bin(number - 1).count("1"):
        raise Wrong(
            f"entry {number} in the mail {mail.name} is not in the ledger that its receipt signs"
        )


def _check_told(receipt: Receipt, mail: Mail) -> None:
    """Raises Wrong unless the mail tells what its entry has."""
    number = receipt.number
    if not _tells_number(number, mail):
        raise Wrong(f"the mail {mail.name} has the proof of entry {number}, but tells another one")
    effect, team, _, _, digest = receipt.fields[:LINES_OF_AN_ENTRY]
    if mail.report not in ANSWERS:
        return
    if not effect.startswith(ANSWERS[mail.report]):
        raise Wrong(f"entry {number} is {shown(effect)}, but the mail {mail.name} has its receipt")
    if mail.report != LIST and mail.team and mail.team != team:
        raise Wrong(
            f"entry {number} is about {shown(team)}, but {mail.team} has its receipt: {mail.name}"
        )
    if digest not in mail.text:
        raise Wrong(
            f"the mail {mail.name} tells another digest than entry {number}: {shown(digest)}"
        )


def _tells_number(number: int, mail: Mail) -> bool:
    """Whether header and text tell this number and no other; a mail that quotes others may tell
    more."""
    of_header, *of_text = mail.told
    if mail.report:
        return bool(of_text) and {of_header, *of_text} == {number}
    return not of_text or number in mail.told


def _check_growth(roots: dict[int, bytes], receipt: Receipt, mail: Mail) -> Iterator[str]:
    """Raises Wrong if the ledger does not contain the one of the receipt before; tells if that is
    missing."""
    old, proof = mail.growth
    if old and old not in roots:
        yield f"the receipt of entry {old}, which came before {mail.name}, is not among these mails"
    elif old and not has_grown(old, receipt.number, roots[old], receipt.root, proof):
        raise Wrong(
            f"the ledger of the mail {mail.name} does not contain the one of {old} entries"
            " before it"
        )


def _check_leaves(
    ledger: Ledger,
    leaves: Sequence[bytes],
    last: tuple[Receipt, Mail],
    by_number: Mapping[int, tuple[Receipt, Mail]],
) -> None:
    """Raises Wrong if the archive has another ledger than the receipts, by number; `last`: the
    newest."""
    _check_roots(roots_of(map(leaf_hash, leaves)), "it", by_number)
    newest, mail = last
    if newest.number > len(leaves):
        raise Wrong(
            f"entry {newest.number}, of which the mail {mail.name} has the receipt, is missing: the"
            f" archive's ledger ends with entry {len(leaves)}"
        )
    first_fields = _fields(b"".join(leaves[:1]))
    if (first_fields[0], *first_fields[3:5]) != (MADE, ledger.commitment, ledger.public_key.hex()):
        raise Wrong(
            "the ledger does not begin with the archive's key and the sha256 of its secret number"
        )


def _check_roots(
    roots: Iterable[bytes], it: str, by_number: Mapping[int, tuple[Receipt, Mail]]
) -> None:
    """Raises Wrong if a ledger with these roots is another one than the receipts', by number. `it`:
    that ledger."""
    for number, root in enumerate(roots):
        if number in by_number and by_number[number][0].root != root:
            raise Wrong(
                f"the ledger was changed: up to entry {number} {it} is another one than when the"
                f" mail {by_number[number][1].name} was written"
            )


def _check_promises(ledger: Ledger, mails: Sequence[Mail]) -> None:
    """Raises Wrong if one of these mails promises another public number."""
    for mail in mails:
        _check_promise(ledger, mail)


def _check_promise(ledger: Ledger, mail: Mail) -> None:
    """Raises Wrong if the public number comes from elsewhere than the mail says."""
    text = " ".join(mail.text.split())
    if "of drand" in text and ledger.beacon != "drand":
        raise Wrong(
            f"the mail {mail.name} promises a number of drand, but the archive uses none of it"
        )
    for chain in _CHAIN.findall(text):
        if chain != DRAND[0]:
            raise Wrong(
                f"the mail {mail.name} promises a number of drand's chain {chain}, but the archive"
                f" uses chain {DRAND[0]}"
            )
    for after in text.split(_LOTTERY)[1:]:
        draw, is_draw, _ = after.partition(_END_OF_LOTTERY)
        if is_draw and "lottery: " + draw != " ".join(ledger.beacon.replace(":", ": ", 1).split()):
            raise Wrong(
                f"the mail {mail.name} promises the draw {shown(draw)}, but the archive uses "
                f"{shown(ledger.beacon)}"
            )


def _check_lists(ledger: Ledger, receipts: Sequence[tuple[Receipt, Mail]]) -> Iterator[str]:
    """Raises Wrong if a mail tells another list of entries than the ledger, or another round of
    drand."""
    for receipt, mail in receipts:
        if mail.report != LIST:
            continue
        named = _NAMES.search(mail.text)
        *_, root = roots_of(map(leaf_hash, _leaves(mail.listed, LINES_OF_A_LISTED)))
        if mail.listed and root.hex() != receipt.fields[4]:
            raise Wrong(
                f"the list of entries in the mail {mail.name} is another one than its root says"
            )
        listed = mail.listed.decode(errors="replace").splitlines()[::LINES_OF_A_LISTED]
        if mail.listed and named and sorted(named[0].replace(",", " ").split()) != sorted(listed):
            raise Wrong(f"the mail {mail.name} names other teams than its list of entries")
        if receipt.number not in ledger.own:
            continue  # of another tournament of the season, which had another calendar
        if receipt.fields[0] != FINAL_LIST:
            yield from _about_arrival(ledger.calendar, mail)
            continue
        rounds = _ROUND.findall(" ".join(mail.text.split()))
        if ledger.round and rounds != [str(ledger.round)]:
            raise Wrong(
                f"the mail {mail.name} announces round {', '.join(rounds) or 'none'} of drand, but"
                f" the archive uses round {ledger.round}"
            )
        if mail.received >= ledger.known_at > 0:
            yield (
                f"the mail {mail.name} with the final list arrived when its public number was known"
                " already; a list must come before the number"
            )


def _left_off(mails: Iterable[Mail]) -> Iterator[str]:
    """Who had a program accepted and is not on the final list, as far as mails alone tell it.

    `mails`: in the order of their entries.
    """
    accepted: dict[str, int] = {}
    for mail in mails:
        effect = mail.receipt.fields[0] if mail.receipt else ""
        if effect == ACCEPTED and mail.receipt:
            accepted[mail.team] = mail.receipt.number
        elif effect == WITHDRAWN:
            accepted.pop(mail.team, None)
        listed = mail.listed.decode(errors="replace").splitlines()[::LINES_OF_A_LISTED]
        if effect == FINAL_LIST and listed and mail.team in accepted and mail.team not in listed:
            yield (
                f"{shown(mail.team)} is not on the final list of the mail {mail.name}, but entry"
                f" {accepted[mail.team]} says that a program of it was accepted"
            )


def _about_dates(steps: Calendar, mails: Sequence[Mail]) -> Iterator[str]:
    """Whether any of these mails told the deadline and the start that the archive has."""
    told = [mail for mail in mails if mail.dates]
    if not told or [steps.closes, steps.starts] in [list(mail.dates) for mail in told]:
        return
    newest = max(told, key=lambda mail: mail.sent)
    closes, starts = (at.strftime(TIME_FORMAT) for at in newest.dates)
    yield (
        f"the mail {newest.name} told that programs are taken until {closes}, and that the contest"
        f" starts at {starts}; the archive has other dates"
    )


def _about_listed(
    ledger: Ledger, leaves: Sequence[bytes], teams: AbstractSet[str]
) -> Iterator[str]:
    """Raises Wrong if one of these teams had a program accepted, did not go, and does not play, or
    plays with a program that is none of its own. Tells of older programs that play."""
    *_, root = roots_of(map(leaf_hash, _leaves(ledger.listed, LINES_OF_A_LISTED)))
    entries = [_fields(leaf) for leaf in leaves]
    here = ((number, entries[number - 1]) for number in ledger.own)
    final = [number for number, entry in here if (entry[0], entry[4]) == (FINAL_LIST, root.hex())]
    if not final:
        raise Wrong("the ledger does not have the final list of the archive")
    lines = ledger.listed.decode(errors="replace").splitlines()
    programs = lines[1::LINES_OF_A_LISTED]
    playing = dict(zip(lines[::LINES_OF_A_LISTED], programs))  # noqa: B905 - since Python 3.10
    accepted, gone = _programs_of(teams, entries[: final[-1]])
    for team, own in accepted.items():
        if team not in playing and team not in gone:
            raise Wrong(
                f"{shown(team)} is not on the final list, but a program of it was accepted, and it"
                " did not go"
            )
        if team in playing and playing[team] not in [digest for _, digest in own]:
            raise Wrong(f"the program of {shown(team)} on the final list is none of its own")
        accepted_at, newest = max(reversed(own), key=lambda program: program[0])
        if team in playing and playing[team] != newest:
            yield (
                f"an older program of {shown(team)} has played: the newest that was accepted came"
                f" at {shown(accepted_at)}"
            )


def _programs_of(
    teams: AbstractSet[str], entries: Iterable[Sequence[str]]
) -> tuple[Mapping[str, Sequence[tuple[str, str]]], AbstractSet[str]]:
    """The accepted programs of these teams, each with its time and its digest, and which of the
    teams have gone."""
    accepted: dict[str, list[tuple[str, str]]] = {}
    withdrawn: set[str] = set()
    out: set[str] = set()
    for effect, team, written_at, _, digest, *_ in entries:
        if effect == BEGUN:
            out.clear()  # who was taken out of the tournament before plays again
        if team not in teams:
            continue
        if effect == ACCEPTED:
            accepted.setdefault(team, []).append((written_at, digest))
        elif effect == WITHDRAWN:
            withdrawn.add(team)
        elif effect == REGISTERED:
            withdrawn.discard(team)
        elif effect == TAKEN_OUT:
            out.add(team)
        elif effect == REINSTATED:
            out.discard(team)
    return accepted, withdrawn | out


def _about_arrival(steps: Calendar | None, mail: Mail) -> Iterator[str]:
    """Whether the first list came too late to object to it, though its entry says another time."""
    if steps is None or not mail.received or not steps.listed or steps.is_squeezed(steps.listed):
        return
    arrived = datetime.fromtimestamp(mail.received, _UTC)
    if steps.starts - steps.closes >= SOON and steps.is_squeezed(arrived):
        yield (
            f"the mail {mail.name} with the first list arrived at {arrived.strftime(TIME_FORMAT)},"
            " so that less than half of the time for objections was left"
        )


def _out_of_order(mails: Sequence[Mail]) -> Iterator[str]:
    """`mails`: in the order of their entries."""
    latest = Mail("", None)
    for mail in mails:
        if 0 < mail.sent < latest.sent:
            yield (
                f"out of order: {mail.name} was written before {latest.name}, but its entry is"
                " later; that can happen if a clock was changed, or a backup was restored"
            )
        latest = max(latest, mail, key=lambda mail_before: mail_before.sent)


def _without_mail(ledger: Ledger, leaves: Sequence[bytes], mails: Sequence[Mail]) -> Iterator[str]:
    """The entries of the teams in these mails whose receipts are not among them, and the lists of
    entries that they should have got."""
    proved = _proved(mails)
    listed = _proved(mail for mail in mails if mail.report == LIST)
    teams = {mail.team for mail in mails if mail.team}
    entries = [_fields(leaf) for leaf in leaves]
    lists = _lists_for_all(ledger, entries)
    here: set[str] = set()
    gone: set[str] = set()
    for number, (effect, team, written_at, *_) in enumerate(entries, 1):
        if team in teams and number not in proved and effect not in NO_ANSWERS:
            yield (
                f"no mail here has the receipt of entry {number}: {shown(effect)}, {shown(team)}, "
                f"{shown(written_at)}; if you sent no such letter, somebody else did"
            )
        if number in lists and here - gone and number not in listed:
            yield (
                f"no mail here has the {shown(effect)} of {shown(written_at)}, entry {number};"
                " every team gets it"
            )
        if team in teams:
            (gone if effect in GONE else here).add(team)


def _proved(mails: Iterable[Mail]) -> set[int]:
    """The numbers of the entries whose receipts these mails have."""
    return {mail.receipt.number for mail in mails if mail.receipt and mail.receipt.leaf}


def _lists_for_all(ledger: Ledger, entries: Sequence[Sequence[str]]) -> set[int]:
    """The numbers of the lists that every team gets."""
    lists = {number for number, (effect, *_) in enumerate(entries, 1) if effect in LISTS}
    # without a public number only who wants the report LAP gets the one list
    return set() if ledger.beacon == "none" and len(lists) == 1 else lists


def _fields(leaf: bytes) -> list[str]:
    return leaf.decode(errors="replace").split("\n") + [""] * LINES_OF_AN_ENTRY


# --- the command ----------------------------------------------------------------------------------
def how_many(checked: Checked) -> str:
    """What was checked, as a sentence."""
    text = f"{checked.receipts} receipts: the ledger is the one that they were signed for"
    return (
        f"{text}; so is the published one of {checked.published} entries"
        if checked.published
        else text
    )


def _verdict(things: int) -> str:
    if not things:
        return "All that these mails say follows."
    return f"All that these mails say follows if you believe {things} thing{'s' * (things > 1)}."


def main(arguments: Sequence[str]) -> int:
    if len(arguments) not in (1, 2):
        print("usage: python3 receipts.py [ARCHIVE or ledger.txt] MAILS", file=sys.stderr)
        return 2
    *first, place = map(Path, arguments)
    try:
        mails = read_mails(place)
        if first and first[0].is_dir():
            ledgers = [read_ledger(first[0])]
        else:
            mails += [mail for other in first for mail in read_mails(other)]
            ledgers = ledgers_in(mails)
        results = [check(ledger, mails, is_signed) for ledger in ledgers]
    except Wrong as wrong:
        print(
            f"It does not follow: the receipts do not fit. The first difference: {wrong}.",
            file=sys.stderr,
        )
        return 1
    remarks = _remarks(ledgers, results)
    print(_verdict(len(remarks)))
    _print_entries(mails)
    for checked in results:
        print(how_many(checked))
    _print_remarks(remarks)
    return 3 if remarks else 0


def _remarks(ledgers: Iterable[Ledger], results: Iterable[Checked]) -> list[str]:
    remarks: list[str] = []
    for ledger in ledgers:
        if ledger.calendar:
            remarks += [text for _, text in about_times(ledger.calendar)]
    for checked in results:
        remarks += checked.remarks
    return remarks


def _print_remarks(remarks: Sequence[str]) -> None:
    for remark in remarks[:MAX_REMARKS]:
        print(f"look at this: {remark}")
    if len(remarks) > MAX_REMARKS:
        print(f"look at this: there are {len(remarks) - MAX_REMARKS} more")


def _print_entries(mails: Sequence[Mail]) -> None:
    """A line for each entry of which a mail has the receipt."""
    receipts = [mail.receipt for mail in mails if mail.receipt and mail.receipt.leaf]
    for receipt in {receipt.number: receipt for receipt in receipts}.values():
        effect, team, written_at, _, digest = receipt.fields[:LINES_OF_AN_ENTRY]
        words = " ".join((written_at[:19], team, effect, digest[:8]))
        print(f"  entry {receipt.number}: {shown(words)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
