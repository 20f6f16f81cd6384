"""What pages, mails, help texts and settings name exists, and what went is not promised any
more."""

import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from pydantic import ValidationError

from compiler.build import build
from compiler.toolchain import Toolchain
from contest.config.settings import Settings
from contest.model import Verdict, mail_records
from contest.schema.sections import Section
from knobeln import presets
from mailserver.commands import COMMANDS, help_topics, recognise
from mailserver.commands.help import UNKNOWN
from mailserver.commands.organizer import ACTIONS
from reports.kinds import reports
from reports.render import Templates
from tests.support import sentences
from tests.support.code_in_prose import complaint

ROOT = Path(__file__).parents[2]
NOW = datetime(1994, 3, 22, 12, tzinfo=UTC)
NAMES = ("knobeln", *(path.stem for path in (ROOT / "knobeln" / "presets").glob("*.toml")))
CONTESTS = [presets.settings(name, NOW) for name in NAMES]


@cache
def everything() -> tuple[tuple[str, str], ...]:
    """All texts. They are read by the tests, because whoever runs other tests imports this file."""
    return tuple(sentences.everything())


def spans(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Where each span of code is, and what is in it."""
    for place, text in texts:
        without_blocks = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)
        for span in re.findall(r"`([^`]+)`", without_blocks):
            yield place, " ".join(span.split())


@cache
def all_spans() -> tuple[tuple[str, str], ...]:
    return tuple(sorted(set(spans(everything()))))


def of_spans(pattern: str) -> list[tuple[str, str]]:
    """The spans of code that match the pattern as a whole."""
    return [(place, span) for place, span in all_spans() if re.fullmatch(pattern, span)]


# --- commands -------------------------------------------------------------------------------------
def wrong_calls(calls: list[tuple[str, str]]) -> list[str]:
    """The command lines that the program would not take. What is filled in is an argument."""
    found = []
    for place, span in calls:
        line = re.sub(
            r"%\(\w+\)s|\{\{.*?\}\}|\{\w*\}", sentences.PLACE, span.removeprefix("knobeln ")
        )
        words = shlex.split(re.sub(r"[\[\]<>]|\.\.\.", "", line))
        if why := complaint(words):
            found.append(f"{place}: `{span}`: {why}")
    return found


def test_every_command_in_a_sentence_is_one_that_the_program_takes() -> None:
    calls = of_spans(r"knobeln [a-z].*")
    assert len(calls) > 200
    assert wrong_calls(calls) == []


@pytest.mark.parametrize(
    "span", ["knobeln machine translate", "knobeln results replay 3", "knobeln site --json"]
)
def test_a_command_that_does_not_exist_is_noticed(span: str) -> None:
    assert wrong_calls([("a page", span)])


LETTERS = (
    r"(please|send|SEND|resend|help|change"
    r" address|mail-preference|unsubscribe|subscribe|stop|withdraw|ledger"
    r"|objection|cosign|organizer)( .*)?"
)
_NO_SUBJECTS = {"organizer", "organizer ..."}  # a setting, and all of them


def is_understood(subject: str) -> bool:
    """Whether a contest of some game has the command by mail of this subject."""
    if subject.startswith("organizer "):
        return subject.split()[1] in ACTIONS
    if subject in {command.name for command in COMMANDS}:  # also one that witnesses alone bring
        return True
    return any(recognise(subject, settings).command is not UNKNOWN for settings in CONTESTS)


def test_every_command_by_mail_that_a_text_names_is_understood() -> None:
    named = [
        (place, re.sub(r"%\(subject_word\)s|VALUE", "KNOBELN", span))
        for place, span in of_spans(LETTERS)
    ]
    assert len(named) > 60
    wrong = [each for each in named if each[1] not in _NO_SUBJECTS and not is_understood(each[1])]
    assert wrong == []


@pytest.mark.parametrize("subject", ["please play lords", "send report 3", "organizer seconds 3"])
def test_a_command_by_mail_that_went_is_noticed(subject: str) -> None:
    assert not is_understood(subject)


# --- settings -------------------------------------------------------------------------------------
SECTIONS = {
    name: [type(getattr(each, name)) for each in CONTESTS] for name in Settings.model_fields
}
_FILES = ("toml", "db", "json", "example", "py", "h", "html", "ics", "txt", "md")
_SETTING = rf"({'|'.join(SECTIONS)})\.(?!(?:{'|'.join(_FILES)})\b)([a-z_]+|[a-zA-Z])( = .*)?"


def is_setting(span: str) -> bool:
    """Whether this names a setting of a contest of some game, with a value that it takes if it has
    one."""
    section, name, value = re.fullmatch(_SETTING, span).groups()  # type: ignore[union-attr]
    if not any(name in kind.model_fields for kind in SECTIONS[section]):
        return False
    given = tomllib.loads(f"{name}{value}") if value else {}
    return any(_is_taken(getattr(settings, section), given) for settings in CONTESTS)


def _is_taken(section: Section, given: dict[str, object]) -> bool:
    try:
        type(section).model_validate({**section.model_dump(), **given})
    except ValidationError:
        return False
    return True


def test_every_setting_in_a_sentence_is_a_setting() -> None:
    named = of_spans(_SETTING)
    assert len(named) > 80
    assert [each for each in named if not is_setting(each[1])] == []


@pytest.mark.parametrize(
    "span", ["imap.shared", "site.results", 'log.format = "json"', "teams.prizes = 0"]
)
def test_a_setting_that_does_not_exist_is_noticed(span: str) -> None:
    assert not re.fullmatch(_SETTING, span) or not is_setting(span)


BARE = {name for kinds in SECTIONS.values() for kind in kinds for name in kind.model_fields}


def test_values_of_settings_stand_in_blocks_that_are_read() -> None:
    """A sentence such as "set `group_min` to 4" has values that nobody has tried together."""
    wrong = [
        (place, found[0])
        for place, text in sentences.pages()
        for found in re.finditer(r"\b[Ss]et `(?:[a-z]+\.)?(\w+)`[^.\n]*? \d+\b", text)
        if found[1] in BARE
    ]
    assert wrong == []


# --- kinds of mails -------------------------------------------------------------------------------
def kinds_of_json() -> set[str]:
    """The kinds of records in `knobeln.json`."""
    kinds = (getattr(each, "kind", None) for each in vars(mail_records).values())
    return {kind for kind in kinds if isinstance(kind, str)}


MAILS = {
    path.name.removesuffix(".txt.j2")
    for path in (ROOT / "reports" / "templates").glob("[a-z]*.txt.j2")
}
_ABBREVIATIONS = {
    "CMD",
    "CSV",
    "DIR",
    "ENV",
    "EXPOSE",
    "FAIL",
    "HOME",
    "ID",
    "NULL",
    "PAGES",
    "RULES",
    "TABLE",
    "USER",
    sentences.PLACE,
}


def test_every_report_that_a_text_names_exists() -> None:
    known = {
        *reports(),
        *map(str, Verdict),
        *(verdict.name for verdict in Verdict),
        *_ABBREVIATIONS,
    }
    guides = [each for each in everything() if each[0].startswith(("docs/", "README", "reports/"))]
    named = {span for _, span in spans(guides) if re.fullmatch(r"[A-Z]{3,5}", span)}
    assert named >= {"RSM", "DGP", "OWN", "TIME"}
    assert sorted(named - known) == []


def test_every_kind_of_mail_that_the_guides_name_exists() -> None:
    table = (ROOT / "docs" / "team" / "reports.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| `X-Knobeln-Report` \| (.*) \|$", table, re.MULTILINE)
    named = set(re.findall(r"`([^`]+)`", row))
    assert named
    assert {
        name for name in named if name not in reports() and name.replace("-", "_") not in MAILS
    } == set()


def test_the_example_program_asks_for_kinds_of_json_that_exist() -> None:
    program = (ROOT / "docs" / "examples" / "season_by_mail.py").read_text(encoding="utf-8")
    named = set(re.findall(r'case "([^"]+)"', program))
    assert named
    assert named <= kinds_of_json()


def test_every_template_that_a_page_names_exists() -> None:
    there = {path.name for path in (ROOT / "reports").rglob("*.j2")}
    named = {Path(span).name for _, span in spans(list(sentences.pages())) if span.endswith(".j2")}
    assert named
    assert {name for name in named - there if not re.search(r"[<*]", name)} == set()


# --- rules ----------------------------------------------------------------------------------------
KNOBELN = CONTESTS[0]
REJECTED = ROOT / "tests" / "strategies" / "rejected"


@pytest.fixture(scope="module")
def explained() -> Callable[[str], str]:
    """What `help RULE` says, in one line."""
    rule = Templates(KNOBELN, None)

    def explain(name: str) -> str:
        topic = help_topics.find(name, COMMANDS, KNOBELN)
        assert topic, f"there is no `help {name}`"
        mail = rule.render("help_word", topic=topic, word=name, near=(), all_words=(), form="")
        return " ".join(
            mail.body.partition(":\n\n")[2].partition("Send the subject `help`")[0].split()
        )

    return explain


_REFUSALS = (
    r"\b(no|not|nothing|refused|rejected|must|without|belong|parts of the compiler|More .* than)\b"
)


@pytest.mark.parametrize("folder", sorted(path.name for path in REJECTED.iterdir()))
def test_the_help_about_a_rule_refuses_what_its_folder_has(
    explained: Callable[[str], str], folder: str
) -> None:
    told = explained(folder.replace("_", " "))
    assert re.search(_REFUSALS, told), told
    assert not re.search(r"(?<!not )\b(is|are) allowed\b", told), told


DIRECTIVES = [
    (path.parent.name, found)
    for path in sorted(REJECTED.rglob("*.c"))
    for found in re.findall(
        r"^#(line|ident|sccs|include)\b", path.read_text(encoding="latin-1"), re.MULTILINE
    )
    if found.startswith(path.parent.name[:4]) or path.parent.name == "assembler"
]


@pytest.mark.parametrize(("folder", "directive"), sorted(set(DIRECTIVES)))
def test_the_help_about_a_rule_names_the_directives_that_it_refuses(
    explained: Callable[[str], str], folder: str, directive: str
) -> None:
    assert f"#{directive}" in explained(folder.replace("_", " "))


def test_the_help_about_line_markers_says_what_the_compiler_does(
    explained: Callable[[str], str],
) -> None:
    source = (REJECTED / "line_marker" / "line_directive.c").read_text()
    report = build(source, KNOBELN.programs, Toolchain()).report
    assert not report.accepted
    assert "are refused" in explained("line marker")


# --- what went ------------------------------------------------------------------------------------
# Who brings one of them back takes its line out.
PEOPLES_WORDS = "mailserver/commands/wording.py"  # what people write, and not what we do
WENT = {
    "mails about the ladder": r"mails who has moved|mail when the ladder",
    "friendly matches by mail": r"tests and matches|please play\b|friendly match",
    "several contests in one mailbox": r"shared by several contests|imap\.shared",
    "score matrices": r"score matri|tables for spreadsheets|Tabellen für Tabellenprogramme",
    "JSON of tables": r"(CSV and|HTML, CSV and) JSON",
    "#line": r"#line is allowed|#line ist erlaubt",
    "the seed's own sha256": r"(seed|Startwert[^.]*)\. (Its|Ihr) sha256",
    "a command that translates": r"machine (run|translate)\b|has the command for programs",
    "old reports": r"send report\b",
    "every game on the check page": (
        r"plays? every game again|play all games again, and|compute every game of"
        r"|kann alle Spiele noch einmal"
    ),
    "no mail twice": r"no mail goes out twice|none is answered twice",
    "pages that wait": r"it may open the \[?pages|site\.results",
    "lists in variables": r"[Ee]very setting can be given",
    "another word for the string": r"\b[Aa]uthentication string",
}


def found_again(texts: list[tuple[str, str]], pattern: str) -> list[str]:
    """Where texts still say this; line breaks do not matter."""
    return [place for place, text in texts if re.search(pattern, " ".join(text.split()))]


@pytest.mark.parametrize("what", sorted(WENT))
def test_no_text_promises_what_went(what: str) -> None:
    ours = [(place, text) for place, text in everything() if PEOPLES_WORDS not in place]
    assert found_again(ours, WENT[what]) == []


FORMER = {
    "mails about the ladder": "whether `knobeln serve` plays it and mails who has moved",
    "friendly matches by mail": "There are at most 10 tests and matches in an hour.",
    "several contests in one mailbox": "unless the account is [shared by several contests](x)",
    "score matrices": "announcement, descriptions, tables for spreadsheets",
    "the seed's own sha256": "the contest seed. Its sha256 comes with the answer",
    "every game on the check page": "on one page it\nplays every game again.",
}


@pytest.mark.parametrize("what", sorted(FORMER))
def test_the_sentence_that_promised_it_is_found(what: str) -> None:
    assert found_again([("a page", FORMER[what])], WENT[what])
