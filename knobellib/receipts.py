#!/usr/bin/env python3
"""Checks the receipts in a team's mails against the ledger of a published contest.

    python3 receipts.py ARCHIVE MAILS

ARCHIVE is the folder of the published contest. MAILS is a Maildir, or a file of mails in the format mbox.
Exit code 0: every receipt fits; 1: one does not, and the first is named; 2: usage error; 3: every receipt
fits, but something needs a person's eyes.

This file needs Python 3.7 and its standard library, and nothing else of knobeln: teams have it in their kit.
`knobeln verify ARCHIVE --letters MAILS` makes the same check.
"""

from __future__ import annotations

import base64
import email
import email.policy
import hashlib
import json
import mailbox
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

LINES_OF_AN_ENTRY = 5
LINES_OF_A_LISTED = 3
MAX_SHOWN_CHARS = 120  # of foreign text, in a message
MAX_REMARKS = 20
WELCOMES = ("registration-accepted", "welcome-files")
LIST = "entries"  # the mail with a list of entries
# The mails that always have a receipt.
ANSWERS = (
    "registration-accepted",
    "registration-pending",
    "compile-report",
    "preference-changed",
    "unsubscribed",
    "address-changed",
    "new-string",
    "friendly-matches",
    "withdrawn",
    LIST,
)
TO_ALL = ("programs-closed", "settings-changed", "dates-moved")  # besides the lists
_KEY = re.compile(r"\(Ed25519,\s+base64\):\s+([A-Za-z0-9+/]{43}=)")
_COMMITMENT = re.compile(r"sha256,[^:]*:\s+([0-9a-f]{64})\b")
_RECEIPT = re.compile(r"([1-9][0-9]{0,9})\s+([A-Za-z0-9+/]{43}=)\s+([A-Za-z0-9+/]{86}==)")
# The effects that no mail with a receipt tells: that of a program that another one has replaced, which the
# answer to a later letter tells, the organizer's own actions, and that our engine failed with a program.
NO_ANSWERS = (
    "program replaced before it was compiled",
    "taken out by the organizer",
    "reinstated by the organizer",
    "program set aside after failures of the engine",
    "program asked again, by the organizer",
)
MADE = "contest made"  # the first entry
FINAL_LIST = "final list of entries"
LISTS = ("list of entries", FINAL_LIST)
_LIST_ROOT = re.compile(r"The root of this list, in hex:\s+([0-9a-f]{64})")
# How mails say where the public number comes from; their lines may end anywhere.
_ROUND = re.compile(r"is round ([0-9]+) of drand")
_CHAIN = re.compile(r"The chain of drand: ([0-9a-f]{64})")
DRAND = ("52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971", 1692803367, 3)
"""The hash of drand's chain quicknet, the time of its first round, and the seconds from one to the next."""
_LOTTERY = re.compile(r"a public draw, which nobody knows before: (.*?)\. Its numbers are sorted")
NUMBER = "public number"
_UTC = timezone.utc  # noqa: UP017 - Python 3.7 has no other name for it
GONE = ("withdrawn", "registration rejected by the organizer")


class Wrong(Exception):
    """What does not fit, as a sentence without its full stop."""


class Ledger(NamedTuple):
    """The ledger of an archive. `leaves`: the bytes of the entries; `commitment`: in hex.

    `beacon`: where the public number comes from. `chain`, in hex, and `round`: of drand; "" and 0 for another
    beacon. `known_at`: when that round was published, or the number handed in, in seconds; 0 without one.
    """

    title: str
    commitment: str
    public_key: bytes
    leaves: Sequence[bytes]
    beacon: str = "none"
    chain: str = ""
    round: int = 0
    known_at: float = 0.0


class Receipt(NamedTuple):
    number: int
    root: bytes
    signature: bytes


class Mail(NamedTuple):
    """A mail of the contest. `name`: its subject and date; `sent`: seconds, 0 if unknown.

    `received`: when the last mail server took it, in seconds; 0 if no header says so. `list`: the file with
    the list of entries, empty without one.
    """

    name: str
    report: str
    team: str
    sent: float
    text: str
    receipt: Receipt | None
    received: float = 0.0
    list: bytes = b""


class Checked(NamedTuple):
    """How many receipts fit, and sentences about what a person may want to look at."""

    receipts: int
    remarks: Sequence[str]


# --- reading -----------------------------------------------------------------------------------------------
def read_ledger(archive: Path) -> Ledger:
    """Raises Wrong if the archive has no ledger, or another form."""
    if not (archive / "ledger.json").exists():
        raise Wrong("the archive has no ledger, so no receipt can be checked")
    try:
        contest = json.loads((archive / "contest.json").read_text(encoding="utf-8"))
        facts = json.loads((archive / "ledger.json").read_text(encoding="utf-8"))
        lines = (archive / "ledger.txt").read_bytes().splitlines(keepends=True)
        key = base64.b64decode(facts["public_key"])
        title, commitment = contest["settings"]["contest"]["title"], contest["seed_commitment"]
        starts = range(0, len(lines), LINES_OF_AN_ENTRY)
        leaves = [b"".join(lines[at : at + LINES_OF_AN_ENTRY]) for at in starts]
        draw = _read_draw(contest["settings"].get("tournament", {}), archive / "seal.json", leaves)
    except (OSError, ValueError, LookupError, TypeError, OverflowError) as error:
        raise Wrong(f"the archive cannot be read: {shown(error)}") from None
    return Ledger(str(title), str(commitment), key, leaves, *draw)


def _read_draw(settings: Any, seal: Path, leaves: Sequence[bytes]) -> tuple[str, str, int, float]:
    """The beacon, drand's chain and round, and when the number was known."""
    beacon = str(settings.get("beacon", "none"))
    if beacon != "drand":
        entered = [_fields(leaf)[2] for leaf in leaves if _fields(leaf)[0] == NUMBER]
        return beacon, "", 0, _seconds(entered[0]) if entered else 0.0
    number = int(json.loads(json.loads(seal.read_text(encoding="utf-8"))["source"])["round"])
    chain, first, period = DRAND
    return beacon, chain, number, float(first + (number - 1) * period)


def _seconds(time: str) -> float:
    """The time of an entry in seconds since 1970."""
    return datetime.strptime(time, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=_UTC).timestamp()


def read_mails(place: Path, title: str) -> Iterator[Mail]:
    """The mails of the contest with this title. Raises Wrong if there is neither a Maildir nor a file."""
    box: Any
    if place.is_dir() and (place / "cur").is_dir():
        box = mailbox.Maildir(place, factory=_parsed, create=False)  # type: ignore[arg-type] # any message
    elif place.is_file():
        box = mailbox.mbox(place, factory=_parsed, create=False)  # type: ignore[arg-type]
    else:
        raise Wrong(f"{shown(place)} is neither a Maildir (with a folder cur) nor a file of mails")
    for message in box:
        if _header(message, "X-Knobeln-Contest") == title:
            yield _mail(message)


def _parsed(file: IO[Any]) -> EmailMessage:
    message = email.message_from_binary_file(file, policy=email.policy.default)
    assert isinstance(message, EmailMessage)  # noqa: S101 - by the policy
    return message


def _mail(message: EmailMessage) -> Mail:
    date, report = _header(message, "Date"), _header(message, "X-Knobeln-Report")
    name = f'"{shown(_header(message, "Subject"))}" of {shown(date)}'
    found = _header(message, "X-Knobeln-Receipt")
    match = _RECEIPT.fullmatch(found)
    if found and not match:
        raise Wrong(f"the mail {name} has a receipt that is none: {shown(found)}")
    receipt = Receipt(int(match[1]), *map(base64.b64decode, match.group(2, 3))) if match else None
    try:
        sent = parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        sent = 0.0
    body = message.get_body(("plain",)) if report in (*WELCOMES, LIST) else None
    text = str(body.get_content()) if body is not None else ""
    files = (part.get_payload(decode=True) for part in message.iter_attachments()) if report == LIST else ()
    entries = next((file for file in files if isinstance(file, bytes)), b"")
    team = _header(message, "X-Knobeln-Team")
    return Mail(name, report, team, sent, text, receipt, _received(message), entries)


def _received(message: EmailMessage) -> float:
    """When the reader's own mail server took the mail: its header is the first."""
    hops = message.get_all("Received") or [""]
    try:
        return parsedate_to_datetime(str(hops[0]).rpartition(";")[2].strip()).timestamp()
    except (TypeError, ValueError):
        return 0.0


def _header(message: EmailMessage, name: str) -> str:
    return " ".join(str(message.get(name, "")).split())


def shown(text: object) -> str:
    """Foreign text, for a terminal."""
    return "".join(each if each.isprintable() else "?" for each in str(text)[:MAX_SHOWN_CHARS])


# --- the check ---------------------------------------------------------------------------------------------
def check(ledger: Ledger, mails: Sequence[Mail], is_signed: Callable[[bytes, bytes, bytes], bool]) -> Checked:
    """Compare the mails with each other and with the ledger. Raises Wrong with the first difference.

    `is_signed` takes a public key, a message and a signature: the function below, or a faster one.
    """
    remarks = list(_check_welcomes(ledger, mails))
    given = sorted(((mail.receipt, mail) for mail in mails if mail.receipt), key=lambda pair: pair[0].number)
    if not given:
        raise Wrong(f"no mail of {shown(ledger.title)} here has a receipt")
    first = {receipt.number: (receipt, mail) for receipt, mail in reversed(given)}
    for receipt, mail in given:
        other, other_mail = first[receipt.number]
        if receipt != other:
            raise Wrong(f"the mails {other_mail.name} and {mail.name} have different receipts of one entry")
    roots = list(_roots(ledger.leaves))
    for receipt, mail in given:
        _check_receipt(ledger, roots, receipt, mail, is_signed)
    made = _fields(b"".join(ledger.leaves[:1]))
    if (made[0], *made[3:5]) != (MADE, ledger.commitment, ledger.public_key.hex()):
        raise Wrong("the ledger does not begin with the archive's key and the sha256 of its secret number")
    for mail in mails:
        if mail.report in ANSWERS and mail.receipt is None:
            raise Wrong(f"the mail {mail.name} has no receipt, but answers of its kind have one")
    for mail in mails:
        _check_promise(ledger, mail)
    remarks += _check_lists(ledger, mails)
    remarks += _out_of_order([mail for _, mail in given])
    remarks += _without_mail(ledger, given)
    remarks += _without_list(ledger, mails)
    return Checked(len({receipt.number for receipt, _ in given}), remarks)


def _check_welcomes(ledger: Ledger, mails: Sequence[Mail]) -> Iterator[str]:
    """Raises Wrong if a welcome names another key or commitment than the archive."""
    key = base64.b64encode(ledger.public_key).decode()
    keys = commitments = 0
    for mail in (mail for mail in mails if mail.report in WELCOMES):
        for told in _KEY.findall(mail.text):
            keys += 1
            if told != key:
                raise Wrong(f"the mail {mail.name} names the key {told}, but the archive has {key}")
        for told in _COMMITMENT.findall(mail.text):
            commitments += 1
            if told != ledger.commitment:
                raise Wrong(
                    f"the mail {mail.name} names {told} as the sha256 of the secret number, but "
                    f"the archive has {shown(ledger.commitment)}"
                )
    if not keys:
        yield "no welcome is among these mails, so only the archive vouches for the key"
    elif not commitments:
        yield "no welcome here tells the sha256 of the secret number, so only the archive vouches for it"


def _check_receipt(
    ledger: Ledger,
    roots: Sequence[bytes],
    receipt: Receipt,
    mail: Mail,
    is_signed: Callable[[bytes, bytes, bytes], bool],
) -> None:
    number = receipt.number
    root = base64.b64encode(receipt.root).decode()
    checkpoint = f"knobeln/{ledger.commitment}\n{number}\n{root}\n".encode()
    if not is_signed(ledger.public_key, checkpoint, receipt.signature):
        raise Wrong(f"the receipt of entry {number} in the mail {mail.name} is not signed with the key")
    if number > len(ledger.leaves):
        raise Wrong(
            f"entry {number}, of which the mail {mail.name} has the receipt, is missing: the archive's "
            f"ledger ends with entry {len(ledger.leaves)}"
        )
    if roots[number] != receipt.root:
        raise Wrong(
            f"the ledger was changed: up to entry {number} it is another one than when the mail {mail.name} "
            "was written"
        )
    team = _fields(ledger.leaves[number - 1])[1]
    if mail.report == LIST:
        if team or _fields(ledger.leaves[number - 1])[0] not in LISTS:
            raise Wrong(f"entry {number} is no list of entries, but {mail.name} has its receipt")
    elif mail.team and mail.team != team and not (mail.report in TO_ALL and not team):
        raise Wrong(f"entry {number} is about {shown(team)}, but {mail.team} has its receipt: {mail.name}")


def _check_promise(ledger: Ledger, mail: Mail) -> None:
    """Raises Wrong if the public number comes from elsewhere than the mail says."""
    text = " ".join(mail.text.split())
    if "of drand" in text and ledger.beacon != "drand":
        raise Wrong(f"the mail {mail.name} promises a number of drand, but the archive uses none of it")
    for chain in _CHAIN.findall(text):
        if chain != ledger.chain:
            raise Wrong(
                f"the mail {mail.name} promises a number of drand's chain {chain}, but the archive uses "
                f"chain {shown(ledger.chain)}"
            )
    for draw in _LOTTERY.findall(text):
        if "lottery: " + draw != " ".join(ledger.beacon.replace(":", ": ", 1).split()):
            raise Wrong(
                f"the mail {mail.name} promises the draw {shown(draw)}, but the archive uses "
                f"{shown(ledger.beacon)}"
            )


def _check_lists(ledger: Ledger, mails: Sequence[Mail]) -> Iterator[str]:
    """Raises Wrong if a mail tells another list of entries than the ledger, or another round of drand."""
    for mail in mails:
        if mail.report != LIST or mail.receipt is None:
            continue
        effect, _team, _at, _letter, root = _fields(ledger.leaves[mail.receipt.number - 1])[:5]
        told = _LIST_ROOT.search(mail.text)
        if told is None or told[1] != root:
            raise Wrong(f"the mail {mail.name} tells another root of the list of entries than the ledger")
        if mail.list and _list_root(mail.list) != root:
            raise Wrong(f"the list of entries in the mail {mail.name} is another one than its root says")
        if effect != FINAL_LIST:
            continue
        rounds = _ROUND.findall(" ".join(mail.text.split()))
        if ledger.round and rounds != [str(ledger.round)]:
            raise Wrong(
                f"the mail {mail.name} announces round {', '.join(rounds) or 'none'} of drand, but the "
                f"archive uses round {ledger.round}"
            )
        if mail.received >= ledger.known_at > 0:
            yield (
                f"the mail {mail.name} with the final list arrived when its public number was known already; "
                "a list must come before the number"
            )


def _list_root(file: bytes) -> str:
    lines = file.splitlines(keepends=True)
    *_, root = _roots(
        [b"".join(lines[at : at + LINES_OF_A_LISTED]) for at in range(0, len(lines), LINES_OF_A_LISTED)]
    )
    return root.hex()


def _out_of_order(mails: Sequence[Mail]) -> Iterator[str]:
    """`mails`: in the order of their entries."""
    latest = mails[0]
    for mail in mails:
        if 0 < mail.sent < latest.sent:
            yield (
                f"out of order: {mail.name} was written before {latest.name}, but its entry is later; that "
                "can happen if a clock was changed, or a backup was restored"
            )
        latest = max(latest, mail, key=lambda each: each.sent)


def _without_mail(ledger: Ledger, given: Sequence[tuple[Receipt, Mail]]) -> Iterator[str]:
    """The entries of the teams in these mails whose receipts are not among them."""
    teams = {mail.team for _, mail in given if mail.team}
    numbers = {receipt.number for receipt, _ in given}
    for number, leaf in enumerate(ledger.leaves, 1):
        effect, team, at = _fields(leaf)[:3]
        if team in teams and number not in numbers and effect not in NO_ANSWERS:
            yield (
                f"no mail here has the receipt of entry {number}: {shown(effect)}, {shown(team)}, "
                f"{shown(at)}; if you sent no such letter, somebody else did"
            )


def _without_list(ledger: Ledger, mails: Sequence[Mail]) -> Iterator[str]:
    """The lists of entries that the teams of these mails should have got, but that are not among them."""
    entries = [_fields(leaf) for leaf in ledger.leaves]
    lists = [number for number, (effect, *_) in enumerate(entries, 1) if effect in LISTS]
    if ledger.beacon == "none" and len(lists) == 1:  # then only who wants the report LAP gets it
        return
    got = {mail.receipt.number for mail in mails if mail.report == LIST and mail.receipt}
    teams = {mail.team for mail in mails if mail.team}
    for number in lists:
        before = entries[: number - 1]
        gone = {team for effect, team, *_ in before if effect in GONE}
        if number not in got and teams & {team for _, team, *_ in before} - gone:
            effect, _, at = entries[number - 1][:3]
            yield f"no mail here has the {shown(effect)} of {shown(at)}, entry {number}; every team gets it"


def _fields(leaf: bytes) -> list[str]:
    return leaf.decode(errors="replace").split("\n") + [""] * LINES_OF_AN_ENTRY


def _roots(leaves: Sequence[bytes]) -> Iterator[bytes]:
    """The roots of the tree (RFC 6962) after 0, 1, 2 ... leaves."""
    peaks: list[bytes] = []
    yield hashlib.sha256(b"").digest()
    for size, leaf in enumerate(leaves):
        peaks.append(hashlib.sha256(b"\x00" + leaf).digest())
        while size & 1:
            right = peaks.pop()
            peaks[-1] = hashlib.sha256(b"\x01" + peaks[-1] + right).digest()
            size >>= 1  # noqa: PLW2901 - it counts the complete trees
        root = peaks[-1]
        for peak in reversed(peaks[:-1]):
            root = hashlib.sha256(b"\x01" + peak + root).digest()
        yield root


# --- Ed25519: checks signatures, slowly, as in RFC 8032, section 6 ----------------------------------------
# Points are in extended coordinates (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z.
_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT_OF_MINUS_1 = pow(2, (_P - 1) // 4, _P)


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the owner of the key has signed this message. Ed25519; no secret is used here.

    With a key of small order anybody can sign, so that nobody has.
    """
    key, commitment = _point(public_key), _point(signature[:32])
    factor = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or key is None or commitment is None or factor >= _ORDER:
        return False
    if _multiple(8, key)[0] % _P == 0:
        return False
    challenge = hashlib.sha512(signature[:32] + public_key + message).digest()
    times = int.from_bytes(challenge, "little") % _ORDER
    base = _point((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))
    assert base is not None  # noqa: S101 - a constant
    left, right = _multiple(factor, base), _sum(commitment, _multiple(times, key))
    return all((left[i] * right[2] - right[i] * left[2]) % _P == 0 for i in (0, 1))


def _point(data: bytes) -> Sequence[int] | None:
    """The point with this encoding; None if there is none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y % 2**255
    if len(data) != 32 or y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT_OF_MINUS_1 % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    if x % 2 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _sum(p: Sequence[int], q: Sequence[int]) -> Sequence[int]:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % _P, (p[1] + p[0]) * (q[1] + q[0]) % _P
    c, d = 2 * p[3] * q[3] * _D % _P, 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiple(times: int, point: Sequence[int]) -> Sequence[int]:
    total: Sequence[int] = (0, 1, 1, 0)
    while times:
        if times & 1:
            total = _sum(total, point)
        point = _sum(point, point)
        times >>= 1
    return total


# --- the command -------------------------------------------------------------------------------------------
def how_many(checked: Checked) -> str:
    """What was checked, as a sentence."""
    return f"{checked.receipts} receipts: the ledger is the one that they were signed for"


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 2:
        print("usage: python3 receipts.py ARCHIVE MAILS", file=sys.stderr)
        return 2
    archive, mails = map(Path, arguments)
    try:
        ledger = read_ledger(archive)
        checked = check(ledger, list(read_mails(mails, ledger.title)), is_signed)
    except Wrong as wrong:
        print(f"The receipts do not fit. The first difference: {wrong}.", file=sys.stderr)
        return 1
    print(how_many(checked))
    for remark in checked.remarks[:MAX_REMARKS]:
        print(f"look at this: {remark}")
    if len(checked.remarks) > MAX_REMARKS:
        print(f"look at this: there are {len(checked.remarks) - MAX_REMARKS} more")
    return 3 if checked.remarks else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
