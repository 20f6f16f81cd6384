"""Replies as eight mail programs write them, by the formats that their makers document or show.

In each, somebody has filled in what stands in the answered mail, and has written nothing else.
"""

import html
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP
from textwrap import wrap

Fill = Callable[[str], str]
"""Makes of the answered text what its reader makes of it."""

WORDS = {  # above a quotation, and those of a telephone
    "en": ("On Sun, Nov 29, 2026 at 8:00 AM {name} <{robot}> wrote:", "Sent from my iPhone"),
    "de": (
        "Am So., 29. Nov. 2026 um 08:00 Uhr schrieb {name} <{robot}>:",
        "Von meinem iPhone gesendet",
    ),
}
HEADERS = {
    "en": (
        "From: {name} <{robot}>",
        "Sent: Sunday, November 29, 2026 8:00 AM",
        "To: {writer}",
        "Subject: {subject}",
    ),
    "de": (
        "Von: {name} <{robot}>",
        "Gesendet: Sonntag, 29. November 2026 08:00",
        "An: {writer}",
        "Betreff: {subject}",
    ),
}


def text_of(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n").rstrip("\n")


def _said(words: str, mail: EmailMessage) -> str:
    robot = mail["From"].addresses[0]
    return words.format(
        name=robot.display_name, robot=robot.addr_spec, writer=mail["To"], subject=mail["Subject"]
    )


def _answer(mail: EmailMessage, plain: str, page: str = "", **how: str) -> EmailMessage:
    reply = EmailMessage(policy=SMTP)
    reply["From"], reply["To"] = str(mail["To"]), str(mail["Reply-To"] or mail["From"])
    reply["Subject"] = f"Re: {mail['Subject']}"
    reply["In-Reply-To"] = reply["References"] = str(mail["Message-ID"])
    reply.set_content(plain, cte="quoted-printable", params=how or None)
    if page:
        reply.add_alternative(page, subtype="html")
    return reply


def _quoted(text: str, blank: str = ">") -> str:
    return "\n".join(f"> {line}" if line else blank for line in text.split("\n"))


def mutt(mail: EmailMessage, fill: Fill, language: str) -> EmailMessage:
    """`$attribution`, and `> ` before each line, also a blank one."""
    text = _quoted(fill(text_of(mail)), "> ")
    return _answer(mail, f"{_said(WORDS[language][0], mail)}\n{text}\n")


def thunderbird(mail: EmailMessage, fill: Fill, language: str) -> EmailMessage:
    """format=flowed: quoted lines that are longer than 72 characters are not broken."""
    words = _said(WORDS[language][0], mail)
    text = _quoted(fill(text_of(mail)))
    return _answer(mail, f"{words}\n{text}\n\n-- \nJane Doe\n", format="flowed")


def gmail(mail: EmailMessage, fill: Fill, language: str) -> EmailMessage:
    """Both kinds of text; the plain one is wrapped after 78 columns, and its attribution, too."""
    words = "\n".join(wrap(_said(WORDS[language][0], mail), 76))
    lines = fill(text_of(mail)).split("\n")
    broken = "\n".join("\n> ".join(wrap(line, 76, drop_whitespace=False)) for line in lines)
    seen = "<br>".join(html.escape(line).replace("  ", " &nbsp;") for line in lines)
    page = (
        f'<div dir="ltr"><br></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">'
        f"{html.escape(_said(WORDS[language][0], mail))}<br></div>"
        f'<blockquote class="gmail_quote" style="margin:0px">{seen}</blockquote></div>'
    )
    return _answer(mail, f"{words}\n\n{_quoted(broken)}\n", page)


def apple_mail(mail: EmailMessage, fill: Fill, language: str) -> EmailMessage:
    """The attribution is within the quotation."""
    words = _said(WORDS[language][0], mail)
    return _answer(mail, f"\n\n{_quoted(f'{words}{chr(10) * 2}{fill(text_of(mail))}')}\n\n")


def outlook(mail: EmailMessage, fill: Fill, language: str) -> EmailMessage:
    """No `>`: a block with the headers, then paragraphs; addresses become links in plain text."""
    heads = [_said(words, mail) for words in HEADERS[language]]
    lines = fill(text_of(mail)).split("\n")
    robot, writer = mail["From"].addresses[0].addr_spec, mail["To"].addresses[0].addr_spec
    plain = "\n".join(["", "", *heads, "", *lines])
    for address in {robot, writer}:
        plain = plain.replace(address, f"{address}<mailto:{address}>")
    seen = (html.escape(line).replace("  ", "&nbsp; ") or "&nbsp;" for line in lines)
    paragraphs = (f"<p class=MsoPlainText>{line}<o:p></o:p></p>" for line in seen)
    bold = "<br>".join(
        "<b>{}:</b>{}".format(*map(html.escape, head.split(":", 1))) for head in heads
    )
    page = (
        '<html xmlns:o="urn:schemas-microsoft-com:office:office"><body lang=EN-US>'
        "<div class=WordSection1><p class=MsoNormal><o:p>&nbsp;</o:p></p>"
        f"<div style='border-top:solid'><p class=MsoNormal>{bold}<o:p></o:p></p></div>"
        f"{''.join(paragraphs)}</div></body></html>"
    )
    return _answer(mail, plain, page)


def telephone(mail: EmailMessage, fill: Fill, language: str) -> EmailMessage:
    """Its own line is above the quotation, whose first line begins with an unseen sign."""
    words, device = WORDS[language]
    text = _quoted(f"\ufeff{fill(text_of(mail))}", "> ")
    return _answer(mail, f"\n\n{device}\n\n> {_said(words, mail)}\n> \n{text}\n")


def written_anew(mail: EmailMessage, fill: Fill, _language: str) -> EmailMessage:
    """No reply: a new letter with the form, which was copied, and a greeting."""
    letter = EmailMessage(policy=SMTP)
    letter["From"], letter["To"] = str(mail["To"]), str(mail["Reply-To"] or mail["From"])
    letter["Subject"] = str(mail["Subject"])
    form = fill(text_of(mail)).split("\n---\n")[1]
    letter.set_content(f"Hallo,\n\n{form}\n\nViele Grüße\n")
    return letter


def alpine(mail: EmailMessage, fill: Fill, language: str) -> EmailMessage:
    """The headers are quoted, too; format=flowed takes a blank from each line that begins with
    one."""
    words = f"On Sun, 29 Nov 2026, {mail['From'].addresses[0].display_name} wrote:"
    heads = "\n".join(f"{name}: {mail[name]}" for name in ("Date", "From", "To", "Subject"))
    text = "\n".join(line.removeprefix(" ") for line in fill(text_of(mail)).split("\n"))
    return _answer(
        mail, f"\n\n{words}\n\n{_quoted(f'{heads}{chr(10) * 2}{text}')}\n", format="flowed"
    )


def mailx(mail: EmailMessage, fill: Fill, language: str) -> EmailMessage:
    """`~m`: a tab before each line, and the headers of the mail above it."""
    heads = "\n".join(f"{name}: {value}" for name, value in mail.items())
    lines = f"{heads}\n\n{fill(text_of(mail))}".split("\n")
    return _answer(mail, "\n".join(f"\t{line}" if line else "" for line in lines))


MAILERS = {
    "alpine": alpine,
    "mailx": mailx,
    "mutt": mutt,
    "Thunderbird": thunderbird,
    "Gmail": gmail,
    "Apple Mail": apple_mail,
    "Outlook": outlook,
    "a telephone": telephone,
}
