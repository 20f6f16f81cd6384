"""Raw bytes -> Letter: who wrote, what about, and the text. Pure, bounded, never raises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache, partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from contest.language import gettext, noted, number
from contest.mail.sent_files import has_from_line
from contest.programs.archive import IsImage, NotUnpacked, is_program_archive, unpacked
from contest.util.sanitize import quote, visible
from mailserver.reading import addresses, mime_parts
from mailserver.reading.mime_parts import CUT_FIELD, Headers, Part, decode_words
from mailserver.reading.part_text import (
    SEPARATOR,
    SentFile,
    Text,
    decode,
    decode_file,
    file_bytes,
    is_flowed,
    rejoined,
)

_MAX_SUBJECT_CHARACTERS = 200
_MAX_ANSWERED_CHARACTERS = 4_000
_MAX_FIELD_CHARACTERS = 1_000  # of a field that names a sender, or has one word
_MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,200}@[!-;=?A-~]{1,200}>")  # printable, without <, > and @
_C_TYPES = {"text/x-c", "text/x-csrc", "text/x-c-code", "text/csrc"}
# What mailers add by themselves: no file that anybody meant to send.
_ADDED = {
    "application/pgp-signature",
    "application/pgp-keys",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "text/vcard",
    "text/x-vcard",
}
FROM_LIST = noted("from a list")
NO_ANSWER_WANTED = noted("no answer is wanted (X-Auto-Response-Suppress)")
_FORKS = {
    "application/applefile",
    "application/mac-resource-fork",
}  # companions of files from an old Macintosh
_ENCRYPTED = noted(
    "it is encrypted, or signed in a way that hides its text; please send it without"
    " encryption, or with a detached signature"
)
_CLOSED = (
    (
        {
            "multipart/encrypted",
            "application/pgp-encrypted",
            "application/pkcs7-mime",
            "application/x-pkcs7-mime",
        },
        _ENCRYPTED,
    ),
    (
        {"application/ms-tnef", "application/vnd.ms-tnef"},
        noted(
            "Outlook has packed it into a file winmail.dat that nobody else can open; please let it"
            " send plain text or HTML in place of `Rich Text`"
        ),
    ),
    (
        {"message/rfc822", "message/global"},
        noted("its text is in another letter that is attached; please send the program itself"),
    ),
    (
        {"message/partial", "message/external-body"},
        noted("it is only a part of a letter; please send it as one piece"),
    ),
    (
        {"text/enriched", "text/richtext"},
        noted("its text is in an old form (text/enriched); please send plain text"),
    ),
)
_UUENCODED = re.compile(
    r"^begin [0-7]{3,4} .*\n(?:M.{60}|[ -L][ -`]{1,60}\n[ `]?\n?end)$", re.MULTILINE
)
_ENCRYPTED_TEXT = "-----BEGIN PGP MESSAGE-----"
# A program without a name may have any of the other types.
_NO_TEXT_OR_PICTURE = re.compile(
    r"(?!(?:text|image|audio|video|message|multipart)/|application/(?:pgp-encrypted|(?:x-)?pkcs7))"
)
_PLAIN_NAME = re.compile(r"(?i)^[^.]*$|\.txt$")
_AWAY = re.compile(  # the first words of automatic answers that have no other sign
    r"\s*(?:auto(?:matic|matische?|matisk)?[ -]?(?:reply|response|antwort|antwoord|svar)"
    r"|réponse automatique|respuesta automática|out of (?:the )?office(?: auto-?reply)?"
    r"|abwesenheits(?:notiz|nachricht|benachrichtigung)|risposta automatica|absence du bureau"
    r"|fuera de (?:la )?oficina|fuori ufficio|undeliverable|unzustellbar)\s*:",
    re.IGNORECASE,
)
_ROBOTS = {"mailer-daemon", "postmaster"}
_UNREAD = {"noreply", "no-reply", "donotreply", "do-not-reply"}  # nobody reads what they get


class Machine(Enum):
    """What kind of machine may have sent a letter, by its headers."""

    NONE = "none"
    # they are also in letters of people and of teams' scripts, from lists, gateways, Exchange
    SIGNS = "signs"
    ANSWERS = "answers"  # it answers letters, or takes no answer
    REPORTS = "reports"  # it reports about mails; no person or script of a team does


@dataclass(frozen=True)
class Letter:
    """What a letter says. `automatic` tells the signs of a machine, "" = a person wrote it.

    `sender` is its author if From is right and names one; then `is_author`. Else it is the address
    that From means, or that of Sender or Reply-To. `named`: all that looks like an
    address in these fields.
    """

    headers: Headers = field(repr=False, compare=False)
    sender: str | None
    is_author: bool
    named: tuple[str, ...]
    reply_to: str | None
    subject: str  # decoded, in one line, without invisible characters
    message_id: str | None
    automatic: str
    machine: Machine
    body: Text
    attachments: tuple[Text, ...] = ()  # C programs only, out of an archive, too
    problems: tuple[str, ...] = ()  # why text could not be read
    files: tuple[SentFile, ...] = ()  # everything attached, C programs too
    in_reply_to: tuple[str, ...] = ()  # the Message-IDs that it answers
    page: Text | None = None  # its text in HTML, where the body is the plain one
    beyond: str = ""  # which of our bounds it exceeds: only its headers were read, if at all

    @property
    def answer_to(self) -> str | None:
        """Where an answer to the writer goes: to Reply-To only within the sender's domain.

        Otherwise a stranger could have answers sent to anybody, while its own address proves to be
        genuine.
        """
        if self.sender is None or self.reply_to is None:
            return self.sender
        domain = addresses.domain_of(self.sender)
        is_near = f".{addresses.domain_of(self.reply_to)}".endswith(f".{domain}")
        return self.reply_to if is_near else self.sender

    @property
    def form_lines(self) -> tuple[str, ...]:
        """The body for the registration."""
        return tuple(part for line in self.body.lines for part in SEPARATOR.split(line))


def parse(raw: bytes) -> Letter:
    """The letter in these bytes, whatever they are."""
    headers, root, beyond = mime_parts.split(raw)
    if too_large := _why_cut(headers.first(CUT_FIELD)):
        return _letter(headers, problems=(too_large,))
    if root is None:
        return _letter(headers, problems=(beyond,), beyond=beyond)
    leaves = tuple(root.leaves())
    if inner := _wrapped(headers, leaves):
        return inner
    body, page = _body(leaves)
    files = [leaf for leaf in leaves if _is_file(leaf)]
    sent = tuple(map(file_bytes, files))
    attached = tuple(decode(leaf) for leaf in leaves if _is_program(leaf))
    programs = attached or _named_otherwise(body, files) or tuple(_out_of_archives(sent))
    return _letter(
        headers,
        body,
        page=page,
        attachments=programs,
        problems=tuple(_problems(root, body, programs)),
        files=sent,
    )


def _problems(root: Part, body: Text, programs: Sequence[Text]) -> Iterator[str]:
    """Why some text of the letter cannot be read."""
    yield from (text.problem for text in (body, *programs) if text.problem)
    if _UUENCODED.search("\n".join(body.lines)):
        yield gettext("it has a uuencoded file in its text; please attach the file instead")
    if _ENCRYPTED_TEXT in body.lines:
        yield gettext(_ENCRYPTED)
    if body.is_blank and not programs:
        yield from _why_no_text(root)


def _wrapped(headers: Headers, leaves: Sequence[Part]) -> Letter | None:
    """The letter that a spam filter has packed into a report of its own, with the outer headers.

    SpamAssassin marks it. Without the mark it is another letter, unless it has the sender and the
    subject of the outer one.
    """
    inside = [leaf for leaf in leaves if _is_letter(leaf) or _is_marked(leaf)]
    if len(inside) != 1:
        return None
    inner = file_bytes(inside[0]).data
    inner_headers, inner_root, _ = mime_parts.split(inner)
    outer = _letter(headers)
    is_same = (outer.sender, plain_subject(outer.subject)) == (
        _letter(inner_headers).sender,
        plain_subject(_letter(inner_headers).subject),
    )
    is_alone = inner_root is not None and not any(map(_is_letter, inner_root.walk()))
    if not is_alone or not (_is_marked(inside[0]) or is_same):
        return None
    text = parse(inner)
    words = gettext("the letter was taken out of another one, to which it was attached")
    return _letter(
        headers,
        text.body.told(words),
        page=text.page,
        attachments=tuple(attached.told(words) for attached in text.attachments),
        problems=text.problems,
        files=text.files,
    )


def _is_letter(part: Part) -> bool:
    return part.headers.content_type == "message/rfc822"


def _is_marked(part: Part) -> bool:
    return part.headers.parameter("x-spam-type") == "original"


def headers_alone(raw: bytes) -> Letter:
    """What the headers of a letter say, which are never long."""
    headers, _, beyond = mime_parts.split(mime_parts.head_of(raw))
    return _letter(headers, beyond=beyond)


def _why_cut(field: str) -> str:
    """Why the body was left out, as a sentence for the writer; "" = the letter is complete."""
    found = re.fullmatch(r"([0-9]{1,12}) of ([0-9]{1,12})", field.strip())
    words = noted("it has %(bytes)s bytes, and a letter may have %(most)s")
    return gettext(words, bytes=number(int(found[1])), most=number(int(found[2]))) if found else ""


def _letter(headers: Headers, body: Text | None = None, **others: Any) -> Letter:
    author = _author(headers)
    sender = author or _meant_sender(headers)
    automatic, machine = _signs_of_machine(headers, sender or "")
    return Letter(
        headers=headers,
        sender=sender,
        is_author=author is not None,
        named=_named(headers),
        reply_to=_meant(headers, "Reply-To"),
        subject=visible(headers.text("Subject"))[:_MAX_SUBJECT_CHARACTERS],
        message_id=_message_id(headers),
        automatic=automatic,
        machine=machine,
        body=body or Text(()),
        in_reply_to=_answered(headers),
        **others,
    )


# --- headers --------------------------------------------------------------------------------------
def _author(headers: Headers) -> str | None:
    """The one mailbox of the one From field; what a mail server finds out is about this one."""
    fields = headers.all("From")
    return addresses.mailbox(fields[0]) if len(fields) == 1 else None


def _meant_sender(headers: Headers) -> str | None:
    """Who sent a letter that names no author or several, or names one in a wrong way."""
    found = (_meant(headers, name) for name in ("From", "Sender", "Reply-To"))
    return next((address for address in found if address), None)


def _meant(headers: Headers, name: str) -> str | None:
    """The one address that all fields of this name mean."""
    fields = headers.all(name)
    if not any("@" in text for text in fields):  # some mailers encode the address, too
        fields = tuple(decode_words(text[:_MAX_FIELD_CHARACTERS]) for text in fields)
    meant = {addresses.meant_mailbox(text) for text in fields}
    return meant.pop() if len(meant) == 1 else None


def _named(headers: Headers) -> tuple[str, ...]:
    """All that looks like an address in the fields that say who wrote."""
    fields = (text for _, text in headers.fields("From", "Sender", "Reply-To"))
    return tuple(address for text in fields for address in addresses.all_in(text))


def _message_id(headers: Headers) -> str | None:
    found = headers.first("Message-ID").strip()
    return found if found.isascii() and _MESSAGE_ID.fullmatch(found) else None


def _answered(headers: Headers) -> tuple[str, ...]:
    text = " ".join((headers.first("In-Reply-To"), headers.first("References")))
    return tuple(dict.fromkeys(_MESSAGE_ID.findall(text[:_MAX_ANSWERED_CHARACTERS])))


def _signs_of_machine(headers: Headers, sender: str) -> tuple[str, Machine]:
    """The strongest sign of a machine (RFC 3834, RFC 2919, and the older habits)."""
    submitted = _word(headers, "Auto-Submitted")
    precedence = _word(headers, "Precedence")
    suppressed = {word.strip() for word in _word(headers, "X-Auto-Response-Suppress").split(",")}
    is_list = any(headers.all(name) for name in ("List-Id", "List-Post", "List-Unsubscribe"))
    name = sender.partition("@")[0].lower()
    is_away = _AWAY.match(headers.text("Subject")) is not None
    replies = (_word(headers, name) for name in ("X-Autoreply", "X-Autorespond"))
    reports, answers, signs = Machine.REPORTS, Machine.ANSWERS, Machine.SIGNS
    reasons = (
        (headers.content_type == "multipart/report", noted("a delivery report"), reports),
        (headers.first("Return-Path").strip() == "<>", noted("a bounce (Return-Path <>)"), reports),
        (name in _ROBOTS, noted("from a robot's address"), reports),
        (name in _UNREAD, noted("from a robot's address"), answers),
        (
            submitted.startswith("auto-replied"),
            noted("an automatic answer (Auto-Submitted)"),
            answers,
        ),
        (
            any(word not in _NO for word in replies),
            noted("an automatic answer (X-Autoreply)"),
            answers,
        ),
        (is_away, noted("an automatic answer (by its subject)"), answers),
        (submitted not in _NO, noted("sent by a program (Auto-Submitted)"), signs),
        (precedence in ("bulk", "junk") and not is_list, noted("a mass mail (Precedence)"), signs),
        # The last two: a person may have written so.
        (is_list or precedence == "list", FROM_LIST, signs),
        # Exchange's word for the sender's wish (MS-OXCMAIL). DR, RN, NRN and OOF are not about such
        # answers.
        (not suppressed.isdisjoint({"all", "autoreply"}), NO_ANSWER_WANTED, signs),
    )
    found = ((reason, machine) for applies, reason, machine in reasons if applies)
    return next(found, ("", Machine.NONE))


_NO = ("", "no", "none", "false", "0")


def _word(headers: Headers, name: str) -> str:
    """The value of a field in small letters, without comments and parameters."""
    text = headers.first(name)[:_MAX_FIELD_CHARACTERS].partition(";")[0]
    plain = addresses.without_comments(text)
    return (text if plain is None else plain).strip().strip('"').lower()


# --- the network of a letter ----------------------------------------------------------------------
_MAX_HOPS_READ = 20
_MAX_HOP_CHARACTERS = 1_000
# What the sender calls himself may look like an address: `from [8.8.8.8] (...)`, `helo=[8.8.8.8]`.
_OWN_NAME = re.compile(r"(?i)\bhelo[= ]\S+?(?=[\s)]|$)")
_HOP_ADDRESS = re.compile(r"(?i)[\[(](?:IPv6:)?([0-9a-f.:]{3,45})[\])]")
_BY = re.compile(r"(?:^|\s)by\s")
_PREFIX_BITS = {4: 24, 6: 48}  # what one sender usually has


def network_of(client: str, received: Sequence[str]) -> str:
    """The network of the letter's sender, such as `192.0.2.0/24`; "" if it is not known.

    `client` is the address that brought the letter to our own listener. Where our own mail system
    brought it (""), the topmost public address in the Received fields counts: that field is our own
    mail system's, and those below it may be forged.
    """
    fields = (_BY.split(field[:_MAX_HOP_CHARACTERS], 1)[0] for field in received[:_MAX_HOPS_READ])
    found = (
        texts[-1] for field in fields if (texts := _HOP_ADDRESS.findall(_OWN_NAME.sub("", field)))
    )
    public = (address for text in ([client] if client else found) if (address := _public(text)))
    networks = (
        ip_network((address, _PREFIX_BITS[address.version]), strict=False) for address in public
    )
    return next(map(str, networks), "")


def _public(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address if address.is_global else None


# --- parts ----------------------------------------------------------------------------------------
def _is_program(leaf: Part) -> bool:
    headers = leaf.headers
    named = headers.file_name.lower().endswith(".c") and headers.content_type not in _FORKS
    return named or headers.content_type in _C_TYPES


def _is_file(leaf: Part) -> bool:
    headers = leaf.headers
    is_sent = bool(headers.sent_file_name) or headers.disposition == "attachment"
    is_sent = is_sent or _NO_TEXT_OR_PICTURE.match(headers.content_type) is not None
    return is_sent and headers.content_type not in _ADDED | _FORKS and not _is_decoration(leaf)


def _is_decoration(leaf: Part) -> bool:
    """A picture that belongs to an HTML text, such as the emblem below a signature."""
    headers = leaf.headers
    shown = headers.disposition != "attachment" and bool(headers.first("Content-ID"))
    return shown and headers.content_type.startswith("image/")


def _body(leaves: Sequence[Part]) -> tuple[Text, Text | None]:
    """The text that a reader would see, and its version in HTML if there is one.

    A text with a `<<FROM>>` line is preferred to others, then one that is no file, then plain text
    to HTML.
    """
    texts = [(leaf, decode(leaf)) for leaf in _readable(leaves)]
    if not texts:
        return Text(()), None
    marked = [(leaf, text) for leaf, text in texts if has_from_line(text.lines)] or texts
    leaf, text = marked[0]
    page = next((page for of, page in marked if of.headers.content_type == "text/html"), None)
    if page is not None and text is not page:
        return _unwrapped(leaf, text, page), page
    if page is None or text is texts[0][1]:
        return text, None
    words = gettext(
        "the program was taken out of the letter's HTML, because its plain text has none"
    )
    return text.told(words), None


def _readable(leaves: Sequence[Part]) -> list[Part]:
    """The parts that a reader sees as text, plain text first; files only if there is nothing
    else."""
    shown = [leaf for leaf in leaves if _is_shown(leaf)]
    unnamed = [leaf for leaf in shown if not leaf.headers.sent_file_name]
    return sorted(unnamed or shown, key=_rank)


def _unwrapped(leaf: Part, text: Text, page: Text) -> Text:
    """The text, its lines joined as its version in HTML shows them, unless it says so itself."""
    return text if is_flowed(leaf) else text.after(partial(rejoined, seen=page.lines))


def _is_shown(leaf: Part) -> bool:
    """Whether a reader sees it as text."""
    headers = leaf.headers
    is_text = headers.content_type.startswith("text/") and headers.content_type not in _NO_TEXT
    is_attached = headers.disposition == "attachment" or _is_program(leaf)
    return is_text and not is_attached and bool(leaf.body.strip())


_NO_TEXT = {kind for kinds, _ in _CLOSED for kind in kinds} | _ADDED | {"text/calendar", "text/css"}


def _rank(leaf: Part) -> int:
    return {"text/plain": 0, "text/html": 2}.get(leaf.headers.content_type, 1)


def _named_otherwise(body: Text, files: Sequence[Part]) -> tuple[Text, ...]:
    """The one attached text with a `<<FROM>>` line, if neither a file `.c` nor the body has one."""
    if has_from_line(body.lines):
        return ()
    texts = (decode(leaf) for leaf in files if _PLAIN_NAME.search(leaf.headers.file_name))
    programs = [text for text in texts if has_from_line(text.lines)]
    return tuple(
        text.told(
            gettext("the attached file %(text)s was read as the program", text=text.name)
            if text.name
            else gettext("the attached file without a name was read as the program")
        )
        for text in programs
    )


def _out_of_archives(files: Sequence[SentFile]) -> Iterator[Text]:
    """The texts `.c` in the only archive that is attached; of one that is refused, none."""
    archives = [file for file in files if is_program_archive(file.name)]
    if len(archives) != 1:
        return
    (archive,) = archives
    try:
        found = unpacked(archive.name, archive.data).files
    except (IsImage, NotUnpacked):
        return
    words = gettext("the program was taken out of %(archive)s", archive=quote(archive.name))
    for path, data in found.items():
        if path.lower().endswith(".c"):
            yield decode_file(SentFile(data, name=path)).told(words)


def _why_no_text(root: Part) -> Iterator[str]:
    """Why a letter with neither text nor program may still hold one."""
    types = [part.headers.content_type for part in root.walk()]
    return (gettext(why) for kinds, why in _CLOSED if not kinds.isdisjoint(types))


# --- the subject, as the commands read it ---------------------------------------------------------
# What mailers write before a colon, in the languages of their users: answers, forwarded letters,
# warnings.
_REPLY_WORDS = """
    re aw antw antwort sv vs vá ref rif r rv res resp respuesta odp ynt atb bls ats απ σχετ отв
    ответ 回复 回覆 答复 答覆 השב رد
    fw fwd wg vb vl vl tr enc rvd i pd ilt ılt doorst trs továbbítás πρθ пер перес 转发 轉寄
    הועבר إعادة ext extern external spam junk warning warnung
"""
_REPLY = (
    rf"(?:{'|'.join(map(re.escape, _REPLY_WORDS.split()))})\s*(?:\[\d+\]|\(\d+\)|\^?\d+)?\s*[:：]"
)
# What gateways, spam filters and lists write there: `[EXTERNAL]`, `{list}`, `***SPAM***`.
_TAG = r"\[[^\[\]]*\]+|\{[^{}]*\}+|\([^()]*\)+|<[^<>]*>+|【[^】]*】|\*+[^*]+\*+"
_LEADING = re.compile(rf"(?:\s*(?:{_REPLY}|[\[{{(<]?(?:{_TAG})|[^\w\[{{(<【*]))+", re.IGNORECASE)
_AROUND = " .,;:!?'\"<>()*"


def clean_subject(subject: str) -> str:
    """`[EXT] Re[2]: Please  Compile!` -> `Please Compile`: undoes what people and mailers do to
    subjects.

    A subject that is nothing but tags stays: `(please compile)`.
    """
    folded = " ".join(subject.split())
    leading = _LEADING.match(folded)
    return folded[leading.end() if leading else 0 :].strip(_AROUND) or folded.strip(_AROUND)


@lru_cache(maxsize=1_024)  # each letter's subject is compared with those of all commands
def plain_subject(subject: str) -> str:
    """The clean subject in small letters, to be compared."""
    return clean_subject(subject).casefold()


def arguments_after(subject: str, *heads: str) -> tuple[str, ...] | None:
    """The words after the head with which the clean subject begins, without signs around them.

    None if it begins with none of the heads, which are plain subjects.
    """
    words = subject.split()
    for head in heads:
        count = len(head.split())
        if " ".join(words[:count]).casefold() == head:
            return stripped(words[count:])
    return None


def stripped(words: Sequence[str]) -> tuple[str, ...]:
    """The words without quotation marks and punctuation around them, as far as anything is left."""
    return tuple(text for word in words if (text := word.strip(f"{_AROUND}`")))
