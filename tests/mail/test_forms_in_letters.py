"""Where people and their mail programs put a form: what is read, and what is told instead."""

from collections.abc import Callable, Mapping, Sequence
from email.message import EmailMessage
from email.policy import SMTP
from textwrap import wrap

import pytest

from contest.model import Member, Registration
from contest.schema.sections import Teams
from mailserver.reading.form_of_letter import read_form
from mailserver.reading.letter import parse
from mailserver.reading.registration_form import FormResult
from tests.support.mail_world import make_settings

SETTINGS = make_settings()
OF_CLASS = make_settings(teams=Teams(member_lines=0))
WITH_AFFILIATION = make_settings(teams=Teams(member_lines=1))
UNI = "University of Northeast Sacrodata, Intellect City, Eggland"
HEAD = f"""mail-address: jane@uni.example
mail-preference: LAP,DGP,GRG,RSM
team-name: heavy_lords
Organization: {UNI}
team-members:
"""
JOE = "  Joe Cool, 45, programmer,\n  20 years of C\n"
JANE = "  Jane More, 20, student,\n  34 languages\n"
FORM = HEAD + JOE
MEMBERS = (Member("Joe Cool", 45, "programmer", "20 years of C"),)
BOTH = (*MEMBERS, Member("Jane More", 20, "student", "34 languages"))
RIGHT = Registration("jane@uni.example", ("LAP", "DGP", "GRG", "RSM"), "heavy_lords", UNI, MEMBERS)
ASKED = (
    FORM.replace("heavy_lords", "<a C identifier>")
    .replace(UNI, "<institution, city, country>")
    .replace(", 45, programmer", ", <age in years>, <occupation>")
    .replace("20 years of C", "<computer science and programming background>")
)
CLASS = HEAD.replace(f"Organization: {UNI}\n", "")


def mail_with(form: str) -> str:
    """Our mail with this form in it."""
    return f"""You are invited to the contest. Registration: open until 30 April.

---
{form}---

The mail-preference says which reports you want, separated by commas:

  LAP  list of all participants

--\x20
KNOBELN (a robot)
The organizer: organizer@contest.example
"""


def quoted(text: str, mark: str = "> ") -> str:
    return "".join(f"{mark}{line}\n" for line in text.split("\n"))


def letter(
    text: str | None, page: str = "", files: Sequence[tuple[str, bytes]] = ()
) -> EmailMessage:
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["Subject"] = "jane@uni.example", "registration for KNOBELN"
    if text is not None:
        mail.set_content(text, cte="quoted-printable")
    else:
        mail.set_content(page, subtype="html")
    for name, data in files:
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return mail


def reading(mail: EmailMessage | str) -> FormResult:
    sent = letter(mail) if isinstance(mail, str) else mail
    return read_form(parse(sent.as_bytes()), SETTINGS)


# --- replies --------------------------------------------------------------------------------------
WROTE = "On Sun, Nov 29, 2026 at 8:00 AM KNOBELN <knobeln@contest.example> wrote:\n"
WRAPPED = "Am So., 29. Nov. 2026 um 08:00 Uhr schrieb KNOBELN <\nknobeln@contest.example>:\n"
OUTLOOK = {
    "en": "From: KNOBELN <k@contest.example>\nSent: Sunday\nTo: jane\nSubject: registration\n\n",
    "de": "Von: KNOBELN <k@contest.example>\nGesendet: Sonntag\nAn: jane\nBetreff: Anmeldung\n\n",
    "fr": "De : KNOBELN <k@contest.example>\nEnvoyé : dimanche\nÀ : jane\nObjet : inscription\n\n",
    "es": "De: KNOBELN <k@contest.example>\nEnviado el: domingo\nPara: jane\nAsunto: registro\n\n",
    "GMX": "Gesendet: Sonntag\nVon: KNOBELN <k@contest.example>\nAn: jane\nBetreff: Anmeldung\n\n",
    "a telephone": "____________________\nFrom: K\nSent: Sunday\nTo: jane\nSubject: r\n\n",
    "a line": "-----Ursprüngliche Nachricht-----\nVon: K\nGesendet: heute\nAn: jane\n\n",
    "French words": "Le 29/11/2026 à 08:00, KNOBELN <k@contest.example> a écrit :\n\n",
}
WRITTEN_BELOW = (
    quoted(mail_with(ASKED))
    .replace("<a C identifier>\n", "<a C identifier>\nheavy_lords\n")
    .replace("<institution, city, country>\n", f"<institution, city, country>\n{UNI}\n")
    .replace("<occupation>,\n", "<occupation>,\n  Joe Cool, 45, programmer,\n")
    .replace("background>\n", "background>\n  20 years of C\n")
)
REPLIES = {
    "in the quotation": WROTE + quoted(mail_with(FORM)),
    "with another mark": WROTE + quoted(mail_with(FORM), ">"),
    "with initials": WROTE + quoted(mail_with(FORM), "JD> "),
    "twice quoted": WROTE + quoted(quoted(mail_with(FORM)).rstrip("\n")),
    "with other words": f"Hi,\n\nhere it is.\n\n{WROTE}{quoted(mail_with(FORM))}\nBest,\nJane\n",
    "below a signature": f"Hi\n\n-- \nJane\nOrganization: X\n\n{WROTE}{quoted(mail_with(FORM))}",
    "above": f"{FORM}\n{WROTE}\n{quoted(mail_with(ASKED))}",
    "above, greeted": f"Hallo,\n\n{FORM}\nLG\nJane\n\n{WRAPPED}\n{quoted(mail_with(ASKED))}",
    "below": f"{WROTE}{quoted(mail_with(ASKED))}\n{FORM}",
    "without quotation marks": mail_with(FORM),
    "the block": f"---\n{FORM}---\n",
    "the block, quoted": quoted(f"---\n{FORM}---"),
    "some lines anew": (
        WROTE + quoted(mail_with(FORM)).replace("> team-name", "team-name").replace("> Org", "Org")
    ),
    "below what is asked": WROTE + WRITTEN_BELOW,
    "one line above": (
        f"team-name: heavy_lords\n\nThanks\nJane\n\n{WROTE}\n"
        + quoted(mail_with(FORM.replace("heavy_lords", "<a C identifier>")))
    ),
    "another form is quoted": f"{FORM}\n{WROTE}\n{quoted(FORM.replace('heavy', 'light'))}",
    "all indented": "".join(f"    {line}\n" for line in FORM.split("\n")),
    "the same twice": f"{FORM}\n{FORM}",
}


@pytest.mark.parametrize("kind", REPLIES)
def test_a_form_in_a_reply_is_read(kind: str) -> None:
    assert reading(REPLIES[kind]).registration == RIGHT


@pytest.mark.parametrize("kind", OUTLOOK)
def test_a_form_above_or_in_a_letter_that_is_not_quoted_is_read(kind: str) -> None:
    assert reading(f"Hi\n\n{FORM}\nJane\n\n{OUTLOOK[kind]}{mail_with(ASKED)}").registration == RIGHT
    assert reading(f"Please see below.\n\n{OUTLOOK[kind]}{mail_with(FORM)}").registration == RIGHT


# --- marks of a quotation -------------------------------------------------------------------------
MARKS = (
    "| ",
    "|",
    "|> ",
    ": ",
    "} ",
    "% ",
    "%",
    "# ",
    "! ",
    "] ",
    "=> ",
    "- ",
    "* ",
    "│ ",
    "JD> ",
    "JD>",
    "  Robot> ",
    "KNOBELN> ",
    "   > ",
    "> | ",
    "| > ",
    ": : ",
    "JD> KN> ",
    "> JD> ",
    "KN>> ",
    "\t",
)
QUOTED: Mapping[str, Callable[[str], str]] = {
    "the whole mail": lambda mark: WROTE + quoted(mail_with(FORM), mark),
    "without blanks at the ends": lambda mark: without_ends(WROTE + quoted(mail_with(FORM), mark)),
    "blank lines without it": lambda mark: quoted(mail_with(FORM), mark).replace(
        f"\n{mark}\n", "\n\n"
    ),
    "with words around": lambda mark: f"Hello\n\n{quoted(mail_with(FORM), mark)}\nThanks\nJane\n",
    "the block": lambda mark: quoted(f"---\n{FORM}---", mark),
    "the form above": lambda mark: f"{FORM}\n{WROTE}\n{quoted(mail_with(ASKED), mark)}",
    "some lines anew": lambda mark: (
        WROTE
        + quoted(mail_with(FORM), mark)
        .replace(f"{mark}team-name", "team-name")
        .replace(f"{mark}Org", "Org")
    ),
    "wrapped at 60": lambda mark: WROTE + hard_wrapped(mail_with(FORM), mark, 60),
    "wrapped at 72": lambda mark: WROTE + hard_wrapped(mail_with(FORM), mark, 72),
    "wrapped, with it": lambda mark: WROTE + hard_wrapped(mail_with(FORM), mark, 60, mark),
}


def without_ends(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.split("\n"))


def hard_wrapped(text: str, mark: str, width: int, mark_of_rest: str = "") -> str:
    """The text as it is when a mailer breaks its lines after it has quoted them."""
    lines = (wrap(mark + line, width) or [mark] for line in text.split("\n"))
    return "\n".join(f"\n{mark_of_rest}".join(line) for line in lines)


@pytest.mark.parametrize("kind", QUOTED)
@pytest.mark.parametrize("mark", MARKS)
def test_a_form_behind_other_marks_than_the_usual_one_is_read(mark: str, kind: str) -> None:
    assert reading(QUOTED[kind](mark)).registration == RIGHT


@pytest.mark.parametrize("words", ["Hi,\n\n", "", "My answers are below.\n> You are invited\n"])
def test_answers_below_each_quoted_line_are_read(words: str) -> None:
    text = words + WROTE + WRITTEN_BELOW
    for mark in (": ", "| ", "JD> "):
        assert reading(text.replace("> ", mark)).registration == RIGHT


BEGINNINGS = (
    "> 20 years of C",
    ">20 years of C",
    "| C | Python",
    "|C",
    "% of my time: C",
    ": C",
    "} braces",
    "JD> initials",
    "C>Java",
    "C>",
    "#1 in C",
    "-> C",
    "=> C",
)


@pytest.mark.parametrize("background", BEGINNINGS)
def test_a_line_of_a_form_may_begin_with_such_a_mark(background: str) -> None:
    form = FORM.replace("20 years of C", background)
    answered = f"{form}\n{WROTE}\n{quoted(mail_with(ASKED))}"
    for text in (form, f"Hello,\n\n{form}\nBest,\nJane\n", answered, quoted(form, "| ")):
        found = reading(text).registration
        assert found is not None
        assert found.members[0].background == background


def test_the_rest_of_a_line_is_not_lost_above_one_that_ends_with_a_colon() -> None:
    """Such a line introduces a quotation; what is far above it does not."""
    text = hard_wrapped(mail_with(FORM), "> ", 60)
    assert "Intellect\nCity, Eggland\n> " in text
    assert "\nby commas:\n>" in text
    assert reading(text).registration == RIGHT


# --- words around it ------------------------------------------------------------------------------
BELOW = [
    "Best regards\nJane Doe",
    "Viele Grüße\nJane",
    "Mit freundlichen Grüßen\n\nJane Doe\nTel.: 1234",
    "LG",
    "Thanks a lot, Jane",
    "Cordialement,\nJeanne",
    "Un saludo\nJuan",
    "-- \nJane\nTel.: 12, 3",
    "I hope that is fine.",
    "Jane",
    "Beste Grüße aus Berlin,\nJane\n\nPS: wir freuen uns!",
    "Dr. Jane Doe\nE-Mail: jane@uni.example\nInstitute of Logic, Room 12",
    "*** Diese E-Mail wurde auf Viren geprüft, mit Avast. www.avast.com ***",
    "This e-mail is confidential. If you are not its recipient, please delete it.",
    "Sent from my iPhone",
    "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "Sent from Mail for Windows",
    "Von meinem iPhone gesendet",
    "Gesendet mit der GMX Mail App",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    "Outlook für Android beziehen",
    "Envoyé de mon iPhone",
    "Télécharger Outlook pour iOS<https://aka.ms/o0ukef>",
    "Enviado desde mi iPhone",
    "Obtener Outlook para Android<https://aka.ms/x>",
]


@pytest.mark.parametrize("words", BELOW)
def test_greetings_and_signatures_do_not_matter(words: str) -> None:
    assert reading(f"Hello,\n\nour form:\n\n{FORM}\n{words}\n").registration == RIGHT


def test_what_is_left_out_is_told() -> None:
    remarks = reading(f"Hello,\n\n{FORM}\nSee you in May!\n").remarks
    assert remarks == (
        "the words above the form were left out, from line 1 on: `Hello,`",
        "the words below the form were left out, from line 11 on: `See you in May!`",
    )


# --- HTML, tables, signs --------------------------------------------------------------------------
ROWS = (
    ("mail-address", "jane@uni.example"),
    ("mail-preference", "LAP,DGP,GRG,RSM"),
    ("team-name", "heavy_lords"),
    ("Organization", UNI),
    ("team-members", "Joe Cool, 45, programmer,<br>20 years of C"),
)
LINES = FORM.rstrip("\n").split("\n")
PAGES = {
    "paragraphs": "".join(f"<p>{line}</p>" for line in LINES),
    "lines": "<div>" + "<br>".join(LINES) + "</div>",
    "a list": "<ul>" + "".join(f"<li>{line}</li>" for line in LINES) + "</ul>",
    "bold": "".join(f"<div><b>{line.replace(': ', ':</b> ')}</div>" for line in LINES),
    "a table": "".join(f"<tr><td>{name}:</td><td>{said}</td></tr>" for name, said in ROWS),
    "no colons": "".join(f"<tr><th>{name}</th><td>{said}</td></tr>" for name, said in ROWS),
    "cells": "".join(f"<tr><td><p>{name}:</p><td><p>{said}</p></tr>" for name, said in ROWS),
}


@pytest.mark.parametrize("kind", PAGES)
def test_a_form_in_html_alone_is_read(kind: str) -> None:
    table = "<table>" if "<tr>" in PAGES[kind] else ""
    page = f"<html><body>{table}{PAGES[kind]}</body></html>"
    assert reading(letter(None, page)).registration == RIGHT


SIGNS = [
    "*{}:* {}",
    "**{}:** {}",
    "**{}**: {}",
    "_{}_: {}",
    "- {}: {}",
    "* {}: {}",
    "• {}: {}",
    "1. {}: {}",
    "- **{}:** {}",
    "## {}: {}",
    "`{}`: {}",
    "*{}: {}*",
    "{} : {}",
    "{}： {}",
    "{} = {}",
    "{} - {}",
    "{}:\n{}",
    "| {} | {} |",
    "{}\t{}",
    "{}:    {}",
    "{}    {}",
]


@pytest.mark.parametrize("sign", SIGNS, ids=ascii)
def test_signs_around_names_and_values_do_not_matter(sign: str) -> None:
    names = "\n".join(sign.format(name, said) for name, said in ROWS[:4])
    assert reading(f"{names}\nteam-members:\n{JOE}").registration == RIGHT


VALUES = [
    ("heavy_lords", "<heavy_lords>"),
    ("heavy_lords", "heavy_lords."),
    ("heavy_lords", '"heavy_lords"'),
    (UNI, f"<{UNI}>"),
    (UNI, f"{UNI} <https://uni.example/>"),
    (UNI, UNI.replace(", E", ",\nE")),
    (", 45, programmer", ", <45>, <programmer>"),
    ("  Joe", "\u00a0\u00a0Joe"),
    ("\n", "\n\n"),
]


@pytest.mark.parametrize(("text", "written"), VALUES)
def test_what_people_leave_around_values_does_not_matter(text: str, written: str) -> None:
    assert reading(FORM.replace(text, written)).registration == RIGHT


# --- members --------------------------------------------------------------------------------------
PAIRS = [
    JOE + JANE,
    JOE + "\n" + JANE,
    (JOE + JANE).replace("  ", ""),
    (JOE + JANE).replace("\n", "\n\n"),
    JOE.replace("Joe", "1. Joe") + JANE.replace("Jane", "2. Jane"),
    JOE.replace("Joe", "(1) Joe") + JANE.replace("Jane", "(2) Jane"),
    JOE.replace("Joe", "- Joe") + JANE.replace("Jane", "- Jane"),
    JOE.replace("Joe", "Member 1: Joe") + JANE.replace("Jane", "Member 2: Jane"),
    JOE.replace("  ", "  • ") + JANE.replace("  ", "  • "),
]


@pytest.mark.parametrize("lines", PAIRS)
def test_members_may_be_numbered(lines: str) -> None:
    found = reading(HEAD + lines).registration
    assert found is not None
    assert found.members == BOTH


@pytest.mark.parametrize(
    "words",
    [
        "1 year of C",
        "1. FC Intellect",
        "best programmer",
        "mit der Hand am Mobiltelefon",
        "thanks!",
    ],
)
def test_a_background_may_begin_as_something_else_does(words: str) -> None:
    found = reading(FORM.replace("20 years of C", words)).registration
    assert found is not None
    assert found.members[0].background == words


NAMES: list[tuple[str, tuple[str, ...] | None]] = [
    ("  1. Joe Cool\n  2. Jane More", ("Joe Cool", "Jane More")),
    ("1 Joe Cool\n2 Jane More", ("Joe Cool", "Jane More")),
    ("- Joe Cool\n- Jane More", ("Joe Cool", "Jane More")),
    ("  Joe Cool\n\nJoe", ("Joe Cool",)),
    ("  Carl Gauß\n\nViele Grüße\nCarl Gauß", ("Carl Gauß",)),
    ("  Joe Cool\n\nVon meinem iPhone gesendet", ("Joe Cool",)),
    ("  Best George\n  Gruß Anna\n", ("Best George", "Gruß Anna")),
    ("Joe Cool\nBest George\nLG\nJoe", ("Joe Cool", "Best George")),
    ("Joe Cool\n\nJane More", ("Joe Cool", "Jane More")),
    ("Joe Cool\nJane More\n\nErika Muster", None),
    ("  Joe Cool\n\nErika Muster", None),
    ("  1. Joe Cool\n  3. Jane More", None),
    ("  Cool, Joe", None),
    ("  <name>", None),
]


@pytest.mark.parametrize(("lines", "names"), NAMES)
def test_names_alone_are_read_or_refused(lines: str, names: tuple[str, ...] | None) -> None:
    found = read_form(parse(letter(f"{CLASS}{lines}\n").as_bytes()), OF_CLASS).registration
    assert (found and tuple(member.name for member in found.members)) == names


# --- attached -------------------------------------------------------------------------------------
FILES = {
    "form.txt": FORM.encode(),
    "form": FORM.encode(),
    "windows.txt": FORM.replace("\n", "\r\n").encode("cp1252"),
    "notepad.txt": FORM.encode("utf-16"),
    "reply.txt": mail_with(FORM).encode(),
    "form.html": f"<html><body>{'<br>'.join(LINES)}</body></html>".encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_a_form_in_an_attached_text_is_read(name: str) -> None:
    found = reading(letter("Please find the form attached.\n", files=[(name, FILES[name])]))
    assert found.registration == RIGHT
    assert found.remarks[0] == f"the form was read from the attached file {name}"


OTHERS = {
    "form.docx": b"PK\x03\x04" + bytes(30),
    "form.pdf": b"%PDF-1.7\n%\xe2\xe3",
    "form.rtf": b"{\\rtf1 form}",
    "form.jpg": b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(30),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_that_nobody_reads_here_is_named(name: str) -> None:
    found = reading(letter("Please find the form attached.\n", files=[(name, OTHERS[name])]))
    assert f"in the attached file {name}: please write it" in found.problems[-1].text
    assert reading(letter(FORM, files=[(name, OTHERS[name])])).registration == RIGHT


# --- where the writer has to decide ---------------------------------------------------------------
LIGHT = FORM.replace("heavy", "light")
DOUBTS = {
    "two forms": (f"{FORM}\n{LIGHT}", "`team-name:` is given twice."),
    "two forms and a rule": (f"{FORM}\n---\n{LIGHT}", "`team-name:` is given twice."),
    "a correction": (f"{FORM}\n---\nteam-name: other\n", "`team-name:` is given twice."),
    "a field less than the quoted form": (
        f"{FORM.replace('mail-preference', 'x').replace('x: LAP,DGP,GRG,RSM', '')}\n"
        f"{WROTE}{quoted(mail_with(FORM))}",
        "The field `mail-preference:` is missing.",
    ),
    "another address than the quoted one, misspelled": (
        f"{FORM.replace('mail-address: jane', 'mail-adress: jim')}\n{WROTE}{quoted(FORM)}",
        "There is no such field in the form. Did you mean `mail-address:`?",
    ),
    "blanks": (WROTE + quoted(mail_with(ASKED)), "`<a C identifier>` is still to be filled in."),
}


@pytest.mark.parametrize("kind", DOUBTS)
def test_where_two_things_may_be_meant_the_writer_is_asked(kind: str) -> None:
    text, words = DOUBTS[kind]
    assert words in [problem.text for problem in reading(text).problems]


def test_our_own_sentences_are_no_mistakes() -> None:
    text = mail_with(FORM.replace("heavy_lords", "heavy lords"))
    for sent in (WROTE + quoted(text), text, OUTLOOK["en"] + text):
        assert [problem.quote for problem in reading(sent).problems] == ["team-name: heavy lords"]
