"""Hundreds of letters in one count: what became of each, by kind.

`right`: what its writer wanted was done. `well`: the answer names the cause. `poor`: there is an
answer, but it does not. `silent`: nothing came back, which no rule of ours allows for these.
"""

import html
import itertools
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from textwrap import wrap

import pytest

from contest.mail.form import record_text
from contest.model import Team
from store import teams
from tests.support.letters import letter
from tests.support.mail_world import REGISTER, World, flat, form_of_one, from_line, program, told

pytestmark = pytest.mark.slow

ROBOT, COMPILE = "knobeln@contest.example", "please compile"
MAX_POOR = 3 / 100
WROTE = f"On Sun, Nov 29, 2026 at 8:00 AM KNOBELN <{ROBOT}> wrote:\n"
YAHOO = f"Am Sonntag, 29. November 2026 um 08:00 hat KNOBELN <{ROBOT}> Folgendes geschrieben:"
DUTCH = f"Van: KNOBELN <{ROBOT}>\nVerzonden: zondag\nAan: jane\nOnderwerp: registration\n"
HEADERS = f"From: KNOBELN <{ROBOT}>\nSent: Sunday\nTo: jane\nSubject: registration\n\n"
# how a note begins, which says what was done
REGISTERED, TAKEN = "registered", "version"


@dataclass(frozen=True)
class Case:
    """`wanted`: what is noted if it was done; `cause`: what an answer has to say otherwise."""

    kind: str
    raw: bytes
    wanted: str
    cause: str = ""


def invited(form: str) -> str:
    """Our mail with this form."""
    return (
        "You are invited. Fill in what stands between < and >.\n\n"
        f"---\n{form}---\n\nThe mail-preference says which reports you want:\n\n"
        f"  LAP  list of all participants\n\n-- \nKNOBELN (a robot)\n"
    )


def quoted(text: str, mark: str) -> str:
    return "".join(f"{mark}{line}\n" for line in text.split("\n"))


def wrapped(text: str, mark: str) -> str:
    """The text as it is when a mailer breaks its lines after it has quoted them."""
    lines = (wrap(mark + line, 72) or [mark] for line in text.split("\n"))
    return "\n".join("\n".join(line) for line in lines)


def in_lines(text: str) -> str:
    """The text as Gmail and Apple Mail write it: each line is a block."""
    lines = html.escape(text).split("\n")
    blocks = (line.replace("  ", "&nbsp; ") or "<br>" for line in lines)
    return "".join(f"<div>{block}</div>" for block in blocks)


def page(text: str) -> str:
    lines = "<br>".join(line.replace("  ", "&nbsp; ") for line in html.escape(text).split("\n"))
    return f"<html><body>{lines}</body></html>"


def above_ours(written: Callable[[str], str], form: str) -> str:
    """A page with the form, and our mail quoted directly below it."""
    cited = f"<blockquote type=cite>{page(invited(form))}</blockquote>"
    return f"{written(form.rstrip())}<div>{html.escape(WROTE)}</div>{cited}"


def beside_our_words(form: str) -> str:
    """The form with our own words in brackets in front of what was filled in."""
    return form.replace("team-name: ", "team-name: <a C identifier> ")


def below_our_words(form: str) -> str:
    """Our quoted form, and below each blank of it, after a blank line, what was filled in."""
    filled_in = dict(line.split(": ", 1) for line in form.split("\n") if ": " in line)
    first, second = form.rstrip().split("\n")[-2:]
    return (
        f"{WROTE}\n> ---\n> mail-address: {filled_in['mail-address']}\n> mail-preference: RSM\n"
        f"> team-name: <a C identifier>\n\n{filled_in['team-name']}\n\n"
        f"> Organization: <institution, city, country>\n\n{filled_in['Organization']}\n\n"
        f"> team-members:\n>   <name>, <age in years>, <occupation>,\n\n{first.strip()}\n\n"
        f">   <computer science and programming background>\n\n{second.strip()}\n\n> ---\n"
    )


def in_one_line(form: str) -> str:
    """The form with all that is asked about the member in one line."""
    *fields, first, second = form.rstrip().split("\n")
    return "\n".join([*fields, f"{first} {second.strip()}"])


# --- the cases ------------------------------------------------------------------------------------
MARKS = (
    "> ",
    ">",
    "| ",
    ": ",
    "} ",
    "% ",
    "# ",
    "JD> ",
    "! ",
    "=> ",
    "KN>> ",
    ": : ",
    "JD> KN> ",
    "Robot> ",
    "> > ",
    "> | ",
    "\t",
)
REPLIES: tuple[Callable[[str, str], str], ...] = (
    lambda form, mark: WROTE + quoted(invited(form), mark),
    lambda form, mark: f"Hello,\n\n{WROTE}{quoted(invited(form), mark)}\nThanks\nJane\n",
    lambda form, mark: f"{quoted(invited(form), mark)}\nSent from my iPhone\n",
    lambda form, mark: quoted(f"---\n{form}---", mark),
    lambda form, mark: f"{form}\nBest,\nJane\n\n{WROTE}\n{quoted(invited(form), mark)}",
    lambda form, mark: WROTE + wrapped(invited(form), mark),
)
UNQUOTED: tuple[Callable[[str], str], ...] = (
    lambda form: form,
    lambda form: f"Hi\n\n{form}\nBest regards\nJane Doe\n",
    lambda form: f"{form}\n-- \nJane\nTel.: 12, 3\n",
    lambda form: f"{form}\nGet Outlook for iOS<https://aka.ms/o0ukef>\n",
    lambda form: f"{form}\nVon meinem iPhone gesendet\n",
    lambda form: f"{form}\n{HEADERS}{invited(form)}",
    lambda form: f"See below.\n\n{HEADERS}{invited(form)}",
    lambda form: f"-----Original Message-----\n{HEADERS}{invited(form)}",
    invited,
    lambda form: form.replace("mail-address: ", "mail-address: Jane Doe <").replace(
        "\nmail-pref", ">\nmail-pref"
    ),
    lambda form: "\n".join(f"- {line}" if ":" in line else line for line in form.split("\n")),
    lambda form: form.replace("mail-address:", "*mail-address:*"),
    lambda form: form.replace("team-name:", "Team Name:"),
    lambda form: form.replace("  Person", "  1. Person"),
    lambda form: form.replace("\n", "\n\n"),
    lambda form: form.upper().replace("TEAM-NAME: JOE", "team-name: joe"),
    # what people's mailers write around it, in other languages
    lambda form: f"{form}\n    {YAHOO}  \n \n{invited(form)}",
    lambda form: f"{form}\n{YAHOO.replace('Folgendes ', '')}\n{quoted(invited(form), '> ')}",
    lambda form: f"{form}\n{DUTCH}\n\n{invited(form)}",
    lambda form: f"{form}\n-------- Oorspronkelijk bericht --------\n{invited(form)}",
    lambda form: f"{form}Sent from Spark\n",
    lambda form: f"{form}\nSent from my phone, sorry for typos\n",
    lambda form: f"{form}\nGrazie,\nJane Doe\n",
    lambda form: f"{form}\nMet vriendelijke groet,\nJane Doe\n",
    lambda form: f"{form}Hope this is right.\n",
    # how they fill it in
    lambda form: quoted(f"---\n{form}---", "&gt; "),
    lambda form: form.replace("  ", "&nbsp; "),
    lambda form: "\n".join(f"*\n{line}" if ": " in line else line for line in form.split("\n")),
    lambda form: form.replace("Organization: ", 'Organization: "').replace("Eggland", 'Eggland"'),
    lambda form: form.replace("  Person", "  Name: Person"),
    lambda form: form.replace(", 45,", ", 45 years,"),
    beside_our_words,
    below_our_words,
    in_one_line,
)


def form_of(number: int) -> str:
    return form_of_one(f"lords_{number}", f"jane{number}@uni{number}.example")


def _marked(reply: Callable[[str, str], str], mark: str, form: str) -> str:
    return reply(form, mark)


def forms() -> Iterator[Case]:
    numbers = itertools.count()

    def sent(kind: str, how: Callable[[str], str], seen: Callable[[str], str] = str) -> Case:
        number = next(numbers)
        text = seen(how(form_of(number)))
        raw = letter(f"jane{number}@uni{number}.example", REGISTER, text)
        labelled = raw.replace(b"Content-Type: text/plain", b"Content-Type: text/html")
        return Case(kind, raw if seen is str else labelled, REGISTERED)

    for written in (in_lines, page):
        yield sent("1 form above HTML", str, partial(above_ours, written))
    for mark in MARKS:
        for reply in REPLIES:
            yield sent("1 quoted form", partial(_marked, reply, mark))
    for unquoted in UNQUOTED:
        yield sent("1 form", unquoted)
        yield sent("1 form in HTML", unquoted, page)


FROM = (
    "Doe, Jane <{0}>",
    "Jane Doe (she/her) <{0}>",
    "{0} <{0}>",
    "Jane [Student] <{0}>",
    "Chair of Logic: Jane <{0}>",
    "Jane <{0}",
    "<{0}>.",
    "Jane Doe <mailto:{0}>",
    "{0};",
    '"Doe, Jane" <{0}>',
    "{0}",
    "Jane; Doe <{0}>",
    "Jane @ Home <{0}>",
    "Team: Jane <{0}>;",
    "Jane (a (nested) comment) <{0}>",
    "=?utf-8?q?J=C3=A4ne=2C?= Doe <{0}>",
    "Jane Doe {0}",
    "<@relay.example:{0}>",
    "Jane <{0}>, Joe <joe@b.example>",
    "Jane",
    "",
    "'{0}'",
    "[{0}]",
)
MACHINES = (
    "X-Auto-Response-Suppress: All",
    "X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply",
    "Precedence: bulk",
    "Precedence: junk",
    "Precedence: list",
    "Auto-Submitted: no (a person)",
    "Auto-Submitted: auto-generated",
    "X-Autoreply: no",
    "List-Id: <club.example>",
    "List-Unsubscribe: <mailto:leave@club.example>",
    "X-Mailer: a script",
    "Importance: low",
)
ENCODINGS = (
    "7bits",
    "8-bit",
    '"8bit"',
    "8bit (as it is)",
    "utf-8",
    "binary",
    "7BIT",
    "8bit;",
    "none",
    "unknown",
    "ascii",
    "7bit, 8bit",
    "",
)
SUBJECTS = (
    "compile",
    "please-compile",
    "please compile v2",
    "Please Compile!",
    "pls compile",
    "my program",
    "Re: Announcement: registration",
    "AW: Programm",
    "submission",
    "Abgabe",
    "",
    "hi",
    "version 3",
    "Bitte kompilieren",
    "strategy.c",
    "please  compile",
    "Fwd: program",
    "compile my code please",
    "[EXT] please compile",
    "please compile.",
    "PLEASE COMPILE",
    "WG: please compile",
    "new version",
)
STRANGER = "elsewhere@b.example"


def in_parts(body: str, head: str, boundary: str = "B") -> str:
    part = "Content-Type: text/plain; charset=utf-8\n"
    return f"{head}\n--{boundary}\n{part}\n{body}\n--{boundary}--\n"


MIXED = "Content-Type: multipart/mixed; boundary=B\n"
PLAIN = "Content-Type: text/plain; charset=utf-8\n"
STRUCTURES: tuple[Callable[[str], str], ...] = (
    lambda body: f"{PLAIN}{body}",
    lambda body: in_parts(body, MIXED),
    lambda body: in_parts(body, MIXED.replace("=B", "=B (a comment)")),
    lambda body: in_parts(body, MIXED.replace("=B", "=C")),
    lambda body: in_parts(body, "Content-Type: multipart/mixed\n"),
    lambda body: in_parts(body, f"{PLAIN}{MIXED}"),
    lambda body: f"{MIXED}{PLAIN}\n{body}",
    lambda body: f"{MIXED}\n{body}",
    lambda body: f"no field\n{PLAIN}\n{body}",
    lambda body: f"Content-Type: text\n\n{body}",
    lambda body: f"Content-Type: text/plain; charset=unknown-8bit\n\n{body}",
    lambda body: f"{MIXED}\n--B\nContent-Type: application/octet-stream\n\n{body}\n--B--\n",
    lambda body: f"{MIXED}\n--B\nContent-Type: text/plain; name=a.c\n\n{body}\n--B--\n",
    lambda body: f"{PLAIN}\n{b64encode(body.encode()).decode()}\n",
    lambda body: f"{PLAIN}Content-Transfer-Encoding: base64\n\n{body}",
)


def programs(line: str, sender: str) -> Iterator[Case]:
    """Letters of a registered team, each with a program of its own."""
    numbers = itertools.count(1)
    to = f"To: {ROBOT}\n"

    def body() -> str:
        return program(line).replace("(1)", f"({next(numbers)})")

    def sent(kind: str, head: str, text: str, cause: str = "") -> Case:
        return Case(kind, f"{to}{head}{text}".encode(), TAKEN, cause)

    subject = f"Subject: {COMPILE}\n"
    for pattern, other in itertools.product(FROM, ("", f"Sender: {sender}\n")):
        author = f"From: {pattern.format(sender)}\n" if pattern else ""
        yield sent("2 From", f"{author}{other}{subject}\n", body())
    own = f"From: {sender}\n"
    for field, name in itertools.product(MACHINES, (COMPILE, "compile", "my program")):
        yield sent("3 machines", f"{own}Subject: {name}\n{field}\n\n", body())
    for encoding in ENCODINGS:
        yield sent(
            "4 encodings", f"{own}{subject}Content-Transfer-Encoding: {encoding}\n\n", body()
        )
    for structure in STRUCTURES:
        yield sent("4 structures", f"{own}{subject}MIME-Version: 1.0\n", structure(body()))
        yield sent("4 structures", f"garbage\n{own}Subject : {COMPILE}\n", structure(body()))
    for name, writer in itertools.product(SUBJECTS, (sender, STRANGER)):
        yield sent("5 program", f"From: {writer}\nSubject: {name}\n\n", body())


# --- the count ------------------------------------------------------------------------------------
def verdict(world: World, case: Case) -> str:
    mails = world.deliver(case.raw)
    note = world.notes[-1]
    if note.startswith(case.wanted):
        return "right"
    if not mails:
        return "silent"
    return "well" if case.cause and case.cause in " ".join(map(flat, mails)) else "poor"


def as_written(team: Team) -> bool:
    """Whether a team is registered with what its form says, and nothing else."""
    form = form_of_one(team.name.lower(), team.address).lower()
    return record_text(replace(team.registration, preferences=("RSM",))).lower() == form.rstrip()


def table(found: Counter[tuple[str, str]]) -> str:
    columns = ("right", "well", "poor", "silent")
    kinds = dict.fromkeys(kind for kind, _ in found)
    rows = [(kind, [found[kind, column] for column in columns]) for kind in kinds]
    heads = "".join(f"{head:>8}" for head in ("tried", *columns))
    return "\n".join(
        [f"{'kind':<20}{heads}"]
        + [f"{kind:<20}{sum(row):>8}{''.join(f'{n:>8}' for n in row)}" for kind, row in rows]
    )


def test_no_letter_of_a_person_ends_in_silence(make_world: Callable[..., World]) -> None:
    world = make_world()
    sender = "jane9999@uni9999.example"
    (welcome,) = world.send(REGISTER, form_of(9_999), sender=sender)
    line = from_line(*told(welcome))
    of_forms = [*forms()]
    cases = [*of_forms, *programs(line, sender)]
    found = Counter((case.kind, verdict(world, case)) for case in cases)
    sums: Counter[str] = Counter()
    for (_, became), number in found.items():
        sums[became] += number
    print(table(found))
    assert len(cases) >= 300
    assert sums["silent"] == 0, table(found)
    assert sums["poor"] <= MAX_POOR * len(cases), table(found)
    with world.store.read() as tx:
        registered = teams.all_teams(tx)
    assert len(registered) == len(of_forms) + 1
    assert [team.name for team in registered if not as_written(team)] == []
