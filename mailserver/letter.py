"""Raw bytes -> Letter: who wrote, what about, and the text. Pure, bounded, never raises."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mailserver import addresses, mime
from mailserver.intake.envelope import CUT_FIELD, why_cut
from mailserver.mime import Headers, Part, TooComplex
from mailserver.problem import Problem, visible
from mailserver.text import Text, decode, without_signature

FROM_MARK = "<<FROM>>"

_LONGEST_SUBJECT = 200
_MESSAGE_ID = re.compile(r"<[^\s<>@]{1,200}@[^\s<>@]{1,200}>")
_C_TYPES = {"text/x-c", "text/x-csrc", "text/x-c-code", "text/csrc"}
_ROBOTS = {"mailer-daemon", "postmaster", "noreply", "no-reply", "donotreply", "do-not-reply"}


@dataclass(frozen=True)
class Letter:
    """What a letter says. `automatic` tells why no answer may go out, "" = a person wrote it."""

    sender: str | None  # the one address of the one From field, None where that is not so
    reply_to: str | None
    subject: str  # decoded, in one line, without invisible characters
    message_id: str | None
    automatic: str
    body: Text
    attachments: tuple[Text, ...] = ()  # C programs only
    other_files: tuple[str, ...] = ()  # names of what else came along and was not read
    problems: tuple[str, ...] = ()  # why text could not be read

    @property
    def answer_to(self) -> str | None:
        """Where an answer to the writer goes."""
        return self.reply_to or self.sender

    @property
    def form_lines(self) -> tuple[str, ...]:
        """The body for the registration, without a signature (also one whose blank was lost)."""
        return without_signature(self.body.lines, ("-- ", "--"))


def parse(raw: bytes) -> Letter:
    """The letter in these bytes, whatever they are."""
    try:
        headers, body = mime.split(raw)
    except TooComplex as error:
        return Letter(None, None, "", None, "", Text(()), problems=(f"{error}",))
    if too_large := why_cut(headers.first(CUT_FIELD)):
        return _letter(headers, Text(()), problems=(too_large,))
    try:
        return _read(headers, mime.tree(headers, body))
    except TooComplex as error:
        return _letter(headers, Text(()), problems=(f"{error}",))


def _read(headers: Headers, root: Part) -> Letter:
    attachments = [leaf for leaf in root.leaves() if _is_program(leaf)]
    text = _body(root)
    html = any(leaf.headers.content_type == "text/html" for leaf in root.leaves())
    body = decode(text) if text else Text(())
    programs = tuple(map(decode, attachments))
    problems = [t.problem for t in (body, *programs) if t.problem]
    if text is None and not programs and html:
        problems.append(
            "it consists of HTML only; please send plain text, or the program as an attachment (a file .c)"
        )
    others = tuple(n for leaf in root.leaves() if leaf not in attachments and (n := leaf.headers.file_name))
    return _letter(headers, body, programs, others, tuple(problems))


def _letter(
    headers: Headers,
    body: Text,
    attachments: tuple[Text, ...] = (),
    other_files: tuple[str, ...] = (),
    problems: tuple[str, ...] = (),
) -> Letter:
    return Letter(
        _only_mailbox(headers, "From"),
        _only_mailbox(headers, "Reply-To"),
        visible(headers.text("Subject"))[:_LONGEST_SUBJECT],
        _message_id(headers),
        _automatic(headers),
        body,
        attachments,
        other_files,
        problems,
    )


# --- headers ----------------------------------------------------------------------------------------------
def _only_mailbox(headers: Headers, name: str) -> str | None:
    fields = headers.all(name)
    return addresses.mailbox(fields[0]) if len(fields) == 1 else None


def _message_id(headers: Headers) -> str | None:
    found = headers.first("Message-ID").strip()
    return found if found.isascii() and _MESSAGE_ID.fullmatch(found) else None


def _automatic(headers: Headers) -> str:
    """Signs of a machine (RFC 3834, RFC 2919, and the older habits)."""
    submitted = headers.first("Auto-Submitted").partition(";")[0].strip().lower()
    precedence = headers.first("Precedence").strip().lower()
    sender = _only_mailbox(headers, "From") or ""
    reasons = (
        (submitted not in ("", "no"), "an automatic answer (Auto-Submitted)"),
        (precedence in ("bulk", "list", "junk"), "a mass mail (Precedence)"),
        (any(headers.all(name) for name in ("List-Id", "List-Post", "List-Unsubscribe")), "from a list"),
        (any(headers.all(n) for n in ("X-Autoreply", "X-Autorespond")), "an automatic answer (X-Autoreply)"),
        (headers.content_type == "multipart/report", "a delivery report"),
        (headers.first("Return-Path").strip() == "<>", "a bounce (Return-Path <>)"),
        (sender.partition("@")[0].lower() in _ROBOTS, "from a robot's address"),
    )
    return next((reason for applies, reason in reasons if applies), "")


# --- parts ------------------------------------------------------------------------------------------------
def _is_program(leaf: Part) -> bool:
    headers = leaf.headers
    return headers.file_name.lower().endswith(".c") or headers.content_type in _C_TYPES


def _body(part: Part) -> Part | None:
    """The first plain text that a reader would see: the plain alternative, what was signed."""
    plain = (leaf for leaf in part.leaves() if leaf.headers.content_type == "text/plain")
    shown = [leaf for leaf in plain if leaf.headers.disposition != "attachment" and not _is_program(leaf)]
    return next((leaf for leaf in shown if leaf.body.strip()), None)


def find_program(letter: Letter) -> Text | Problem:
    """The program that a letter brings: its body, or its one attachment (K50, M25, M26)."""
    body = Text(without_signature(letter.body.lines), letter.body.repairs)
    marked = any(FROM_MARK in line for line in body.lines)
    if letter.problems:
        return Problem("The program could not be read: " + "; ".join(letter.problems) + ".")
    if len(letter.attachments) > 1:
        return Problem(
            f"There are {len(letter.attachments)} programs attached, but a program is a single file.",
            expected="the program as the text of the letter, or exactly one attachment (a file .c)",
        )
    if letter.attachments and marked:
        return Problem(
            f"There is a program attached, and the text of the letter holds a {FROM_MARK} line as well, so "
            "it is not clear which one counts.",
            expected=f"the {FROM_MARK} line in the attached program only, or no attachment",
        )
    if letter.attachments:
        return letter.attachments[0]
    return _without_marks(letter, body)


def _without_marks(letter: Letter, body: Text) -> Text | Problem:
    if not body.is_blank:
        cut = len(letter.body.lines) - len(body.lines)
        repair = (f"the signature ({cut} line(s) from `-- ` on) was left out",) if cut else ()
        return Text(body.lines, body.repairs + repair)
    files = (
        f" What was attached ({', '.join(letter.other_files)}) is no file .c." if letter.other_files else ""
    )
    return Problem(
        "There is no program in the letter." + files,
        expected="the program as the text of the letter, or exactly one attachment (a file .c)",
    )
