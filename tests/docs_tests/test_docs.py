"""The guides are held to the program: what it has is in them, and what they show works."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from html import escape
from importlib.resources import files
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from compiler.build import BuildResult, build
from compiler.builders import builder_of
from compiler.source import count as count_elements
from compiler.toolchain import Toolchain
from contest import __version__
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.games.knobeln import Rules, throw_points
from contest.model import Verdict
from contest.schema.languages import Language, further_languages, usual_languages
from contest.schema.sections import Contest
from contest.util.clock import SystemClock
from knobellib.kit_archives import tar_archive
from knobellib.kits import knobeln_kit
from knobeln import presets
from knobeln.context import create_contest
from mailserver.command import Command
from mailserver.commands import COMMANDS as MAIL_COMMANDS
from mailserver.reading.find_program import MailedProgram, find_files, find_program
from mailserver.reading.letter import parse
from mailserver.reading.part_text import Text
from mailserver.reading.registration_form import read
from mailserver.team_secret import FromLine, find_from_line
from reports.kinds import reports
from tests.support.code_in_prose import command_lines, complaint
from tests.support.mail_world import BELIEVED, World, body_of
from tests.support.throws import play_out
from tests.support.waiting_programs import next_queued
from tournament.runners import open_runner

ROOT = Path(__file__).parents[2]


def guide(name: str) -> str:
    """The guide with all its pages, the one that names them first."""
    pages = (ROOT / "docs" / f"{name}-guide.md", *sorted((ROOT / "docs" / name).glob("*.md")))
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


TEAM, ORGANIZER = guide("team"), guide("organizer")
GAME = (ROOT / "docs" / "games" / "knobeln.md").read_text(encoding="utf-8")
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if path.parent.name != "reference"  # which `make docs` makes
}


def flat(text: str) -> str:
    return " ".join(text.split())


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the table whose first column has this heading."""
    table = re.search(
        rf"^\| {re.escape(heading)} \|.*\n\|[-|]+\|\n((?:\|.*\|\n)+)", text, re.MULTILINE
    )
    assert table, f"there is no table that begins with {heading!r}"
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in table[1].splitlines()
    ]


# --- what the program has is in the guides --------------------------------------------------------
CALENDAR = Settings(dates=usual_dates(datetime(1994, 3, 22, 12, tzinfo=UTC)))
HOG = presets.settings("hog", datetime(1994, 3, 22, 12, tzinfo=UTC))


@pytest.mark.parametrize("preference", list(reports()))
def test_every_mail_preference_has_its_row_in_the_team_guide(preference: str) -> None:
    found = [row[0] for row in rows(TEAM, "code")].count(f"`{preference}`")
    assert found == 1, f"docs/team/reports.md: write one row for `{preference}`"


@pytest.mark.parametrize(
    "language", [*usual_languages(), *further_languages()], ids=lambda language: language.name
)
def test_every_language_has_its_row_in_the_organizer_guide(language: Language) -> None:
    suffixes = ", ".join(f"`.{suffix}`" for suffix in language.suffixes)
    row = [language.name, suffixes, f"`{language.tool}`"]
    tables = ("language", "further language")
    is_there = any(row == found[:3] for table in tables for found in rows(ORGANIZER, table))
    assert is_there, f"docs/organizer/other-games.md: write the row | {' | '.join(row)} | |"


@pytest.mark.parametrize("verdict", [v for v in Verdict if v not in (Verdict.OK, Verdict.INTERNAL)])
def test_every_verdict_has_its_row_in_the_team_guide(verdict: Verdict) -> None:
    assert f"`{verdict}`" in [row[0] for row in rows(TEAM, "verdict")]


# --- the commands that the pages show exist -------------------------------------------------------
CALLS = sorted({(page, call) for page, text in PAGES.items() for call in command_lines(text)})


@pytest.mark.parametrize(("page", "call"), CALLS)
def test_every_command_line_on_a_page_is_one_that_the_program_takes(page: str, call: str) -> None:
    assert complaint(shlex.split(call.replace("<", "").replace("[", "").replace("]", ""))) == ""


@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_link_to_a_file_leads_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", PAGES[page]):
        made = Path(target).parent.name == "reference"  # test_pages.py follows these links
        assert made or (ROOT / page).parent.joinpath(target).exists(), target


SAMPLES = [
    (page, dedent(block))
    for page, text in PAGES.items()
    for block in re.findall(r"^ *```toml\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    if not block.startswith("[project]")  # of a package, not of a contest
]


@pytest.mark.parametrize(("page", "block"), SAMPLES)
def test_the_settings_that_a_page_shows_are_settings(page: str, block: str) -> None:
    assert Settings(dates=CALENDAR.dates, **tomllib.loads(block))


CONTAINER = {"Containerfile": (ROOT / "Containerfile").read_text(encoding="utf-8")}
VARIABLES = {
    (page, *found)
    for page, text in (PAGES | CONTAINER).items()
    for found in re.findall(r"KNOBELN_SET_([A-Z]+)__([A-Z_]+)=", text)
}


@pytest.mark.parametrize(("page", "section", "name"), sorted(VARIABLES))
def test_the_variables_that_a_page_shows_are_settings(page: str, section: str, name: str) -> None:
    assert name.lower() in type(getattr(CALENDAR, section.lower())).model_fields


UNITS = sorted((ROOT / "knobeln/systemd").glob("*.service"))
with_systemd = pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="systemd is not installed"
)
of_each_unit = pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)


def systemd_analyze(*words: object) -> subprocess.CompletedProcess[str]:
    """It writes to /tmp, whatever TMPDIR says; where this user may not, it gets a /tmp of its
    own."""
    folder = tempfile.gettempdir()
    box = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/tmp", "--bind", folder, folder]  # noqa: S108
    command = [*box, "systemd-analyze", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def instance(unit: Path, tmp_path: Path) -> Path:
    """The unit of the contest spring, with a program that exists."""
    path = tmp_path / unit.name.replace("@", "@spring")
    path.write_text(unit.read_text().replace("/opt/knobeln/bin/knobeln", "/bin/true"))
    return path


@of_each_unit
def test_each_unit_reads_secrets_from_the_file_of_the_guide(unit: Path) -> None:
    (path,) = re.findall(r"(?m)^EnvironmentFile=-(.*)$", unit.read_text())
    assert f"# install -m 600 /dev/null {path.replace('%i', 'spring')}\n" in ORGANIZER
    assert "\nEnvironment=" not in unit.read_text()


@with_systemd
@of_each_unit
def test_systemd_understands_each_unit(instance: Path) -> None:
    assert instance.name not in systemd_analyze("verify", instance).stderr


@with_systemd
@of_each_unit
def test_each_unit_is_hardened(instance: Path) -> None:
    # 40: a level of 4.0
    found = systemd_analyze("security", "--offline=yes", "--threshold=40", instance)
    assert found.returncode == 0, found.stdout
    assert "Overall exposure level" in found.stdout


# --- the sample letters work ----------------------------------------------------------------------
# In the order of the pages' names.
PREFERENCE, FILES, SOFTWARE, REGISTER, COMPILE = re.findall(
    r"^```eml\n(.*?)^```", TEAM, re.DOTALL | re.MULTILINE
)
SAMPLE_STRING = re.findall(r"<<FROM>> \S+ (\S+)", COMPILE)[0]
_letters = count(1)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A real contest to which letters can be sent."""
    settings = Settings(
        contest=Contest(address="knobeln@contest.example"),
        dates=usual_dates(SystemClock().now() - timedelta(minutes=1)),
        registration=BELIEVED,
    )
    folder = create_contest(tmp_path_factory.mktemp("contest"), settings)
    yield World(folder.store, settings, folder.templates, folder.clock)
    folder.store.close()


def answer(world: World, letter: str, writer: str) -> str:
    """Send the letter from this address; the mails that it causes."""
    headers, _, body = letter.partition("\n\n")
    headers = re.sub(r"^From: .*$", f"From: {writer}", headers, flags=re.MULTILINE)
    raw = f"{headers}\nMessage-ID: <{next(_letters)}@machine.domain.alfdkj>\n\n{body}".encode()
    return "\n".join(f"{mail['Subject']}\n{body_of(mail)}" for mail in world.deliver(raw, writer))


@pytest.fixture(scope="module")
def welcome(world: World) -> str:
    """The answer to the guide's registration."""
    return answer(world, REGISTER, "joe@machine.domain.alfdkj")


def test_the_sample_registration_is_accepted(welcome: str) -> None:
    assert "Your registration is accepted." in flat(welcome)
    assert re.search(r"authentification string \S{24}\s", welcome)


def test_the_sample_program_is_taken_with_the_string_of_the_answer(
    world: World, welcome: str
) -> None:
    string = re.findall(r"authentification string (\S+)", welcome)[0]
    assert len(string) == len(SAMPLE_STRING)
    assert answer(world, COMPILE.replace(SAMPLE_STRING, string), "joe@machine.domain.alfdkj") == ""
    with world.store.read() as tx:
        queued = next_queued(tx)
    assert queued
    assert b"The door changes hands." in queued.files["program.c"]


def test_the_sample_program_with_files_is_read_as_such() -> None:
    found = find_files(parse(FILES.encode()))
    assert isinstance(found, MailedProgram)
    assert list(found.files) == ["program_3.py"]
    assert find_from_line(found.marked) == FromLine("the_heavy_lords", SAMPLE_STRING, 1)
    assert found.description.startswith("Our strategy trusts everybody once.\n\nAfter that")


def test_the_sample_command_changes_the_reports_of_the_sample_team(
    world: World, welcome: str
) -> None:
    string = re.findall(r"authentification string (\S+)", welcome)[0]
    told = answer(world, PREFERENCE.replace(SAMPLE_STRING, string), "joe@machine.domain.alfdkj")
    assert "before LAP,DGP,GRG,RSM now LAP,GRR" in flat(told)


@pytest.mark.parametrize("command", MAIL_COMMANDS, ids=lambda command: command.name)
def test_every_command_by_mail_is_in_the_team_guide(command: Command) -> None:
    (form, *_) = command.subjects(CALENDAR) or command.subjects(HOG) or ("",)
    if not form:  # it is not for teams
        assert command.name in ORGANIZER
        return
    is_there = f"`{form}" in TEAM or f"Subject: {form}" in TEAM
    assert is_there, f"docs/team/commands.md: write the row of `{form}`"


def test_the_sample_request_brings_the_software(world: World) -> None:
    assert "Here is knobellib.c" in answer(world, SOFTWARE, "mona@machine.domain.alfdkj")


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    return Toolchain()


def source_in(letter: str) -> str:
    program = find_program(parse(letter.encode()))
    assert isinstance(program, Text)
    return "\n".join(program.lines) + "\n"


@pytest.fixture(scope="module")
def built() -> BuildResult:
    return builder_of(CALENDAR, open_runner).build({"program.c": source_in(COMPILE).encode()}, "")


@pytest.fixture
def at_home(tmp_path: Path) -> Path:
    """The home of somebody who has mailed for the software and written the guide's program."""
    (tmp_path / "knobelnsoftware.tar.gz").write_bytes(tar_archive(knobeln_kit(Rules())))
    (tmp_path / "knobellib.c").write_bytes(files("knobellib").joinpath("knobellib.c").read_bytes())
    (tmp_path / "mystrategy.c").write_text(source_in(COMPILE))
    return tmp_path


def session(title: str) -> tuple[str, list[str]]:
    """What is typed in the guide's session below this title, and what is shown then."""
    block = TEAM.partition(f"**{title}**")[2].partition("\n    ")[2].partition("\n\n")[0]
    lines = [line.removeprefix("    ") for line in block.splitlines()]
    typed = [line[2:] for line in lines if line.startswith("$ ")]
    return "\n".join(typed), [line for line in lines if not line.startswith("$ ")]


def done_at(
    home: Path, script: str, typed: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    command, environment = ["sh", "-ec", script], {**os.environ, **variables}
    streams = {"input": typed, "capture_output": True, "text": True}
    return subprocess.run(command, check=True, cwd=home, env=environment, **streams)


@pytest.mark.slow
def test_the_software_kit_does_with_the_sample_program_what_the_guide_shows(at_home: Path) -> None:
    typed, shown = session("With the software kit.")
    done = done_at(at_home, typed, HOME=str(at_home))
    assert len(shown) == 3
    assert done.stderr.splitlines() == shown
    assert done.stdout.endswith(f"{shown[0]}, played to the end\n{shown[1]}, played to the end\n")


def test_by_hand_the_sample_program_does_what_the_guide_shows(at_home: Path) -> None:
    typed, shown = session("By hand.")
    numbers = re.findall(r"your number: (\d+)", "\n".join(shown))
    done = done_at(at_home, typed, "\n".join(numbers), KNOBELN_SEED="1,2,3,4")
    without_typing = [re.sub(r"(your number:) \d+", r"\1 ", line) for line in shown]
    assert flat(" ".join(without_typing)) + " the end" == flat(done.stdout)


def test_the_sample_program_compiles_and_its_report_says_what_the_guide_shows(
    built: BuildResult,
) -> None:
    report = built.report
    assert report.accepted
    assert report.findings == ()
    assert report.trial
    own, other = (seat.points for seat in report.trial.result.seats)
    shown = flat(TEAM)
    assert f"lexical elements {report.elements} of 10,000 allowed" in shown
    assert f"description {report.description_lines} lines" in shown
    assert (
        f"A trial game against {report.trial.opponent}: your points {own:,} its points {other:,}"
        in shown
    )


# --- frequent mistakes and the answers to them ----------------------------------------------------
Change = Callable[[str], str]


def instead(old: str, new: str) -> Change:
    def change(letter: str) -> str:
        assert old in letter
        return letter.replace(old, new, 1)

    return change


def html_only(letter: str) -> str:
    head, _, body = letter.partition("\n\n")
    return f"{head}\nMIME-Version: 1.0\nContent-Type: text/html\n\n<pre>{escape(body)}</pre>\n"


MENDED = [
    ("line 1 was read as `mail-address:`", instead("mail-address:", "mail-address :")),
    ("line 5 was read as the rest of `Organization:`", instead(" Eggland", "\nEggland")),
]


@pytest.mark.parametrize(("remark", "change"), MENDED)
def test_what_is_mended_in_a_form_gets_the_remark_that_the_guide_quotes(
    remark: str, change: Change
) -> None:
    reading = read(parse(change(REGISTER).encode()).form_lines, CALENDAR)
    assert reading.registration
    assert reading.remarks == (remark,)
    assert f"accepted; {remark}" in TEAM


REPAIRS = [
    (
        "1 line that your mailer had wrapped was joined again",
        lambda letter: instead("\n\n", "\nContent-Type: text/plain; format=flowed\n\n")(
            instead("the other is low\nwins", "the other is low \nwins")(letter)
        ),
    ),
    (
        "the signature (2 lines from `-- ` on) was left out",
        lambda letter: letter + "-- \nJoe Cool\n",
    ),
    ("1 line below the program was left out", lambda letter: letter + "\nSent from my telephone\n"),
    (
        "2 lines above the program were left out",
        instead("\n\n", "\n\nDear robot,\nhere it is!\n\n"),
    ),
    ("the text was taken out of HTML; plain text or an attached file is safer", html_only),
]


@pytest.mark.parametrize(("repair", "change"), REPAIRS)
def test_what_is_mended_in_a_program_gets_the_remark_that_the_guide_quotes(
    repair: str, change: Callable[..., Any]
) -> None:
    program = find_program(parse(change(COMPILE).encode()))
    assert isinstance(program, Text)
    assert program.repairs == (repair,)
    assert f"compiled; {repair}" in TEAM


REJECTED: list[tuple[str, Change]] = [
    (
        "a program is a single file without #include; the library routines need no declaration",
        instead("#define SERIES", "#include <stdio.h>\n#define SERIES"),
    ),
    (
        (
            "printf is not allowed: programs may call only init_random, log2, "
            "next_random, make_throw and count_points"
        ),
        instead("init_random ();", 'printf ("hello");'),
    ),
    (
        (
            "your program has no description; it needs a description of at least 15 lines between"
            " #if 0 and #endif"
        ),
        lambda letter: re.sub("#if 0.*?#endif", "", letter, flags=re.DOTALL),
    ),
]


@pytest.mark.parametrize(("quote", "change"), REJECTED)
def test_a_program_against_the_rules_gets_the_finding_that_the_guide_quotes(
    toolchain: Toolchain, quote: str, change: Callable[..., Any]
) -> None:
    report = build(source_in(change(COMPILE)), CALENDAR.programs, toolchain).report
    assert not report.accepted
    assert any(quote in finding.text for finding in report.findings)
    assert quote in flat(TEAM)


# --- the tables of numbers ------------------------------------------------------------------------
def test_lexical_elements_are_counted_as_the_team_guides_table_says() -> None:
    table = rows(TEAM, "text")
    assert len(table) >= 8
    assert [count_elements(row[0].strip("`")) for row in table] == [int(row[1]) for row in table]


def test_the_throws_on_the_games_page_are_won_as_it_says() -> None:
    table = rows(GAME, "first")
    assert len(table) >= 10
    for first, second, winner, points in table:
        sides = {"first": (int(points), 0), "second": (0, int(points)), "nobody": (0, 0)}
        assert throw_points(int(first), int(second)) == sides[winner]


def test_the_series_on_the_games_page_are_judged_as_it_says() -> None:
    for throws, verdict in rows(GAME, "throws"):
        numbers = [int(number) for number in throws.split(", ")]
        judged = play_out(Rules(k=3, L=len(numbers)), [(number, 5) for number in numbers])
        why_illegal = judged.why_illegal[0]
        assert verdict.startswith("yes" if why_illegal is None else "no")
        if why_illegal:
            assert f"the {judged.throws + 1}{'nd' if judged.throws == 1 else 'th'} throw" in verdict


def test_the_parameters_on_the_games_page_are_those_of_1994() -> None:
    shown = {name: int(value) for name, _, value in rows(GAME, "letter")}
    assert shown == {name: getattr(CALENDAR.game, name) for name in ("a", "b", "k", "L")}


def test_what_is_not_released_has_a_version_of_its_own() -> None:
    """Otherwise `verify` takes the texts of a release for those of the present version."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest, *released = re.findall(r"^## (\S+)", changes, re.MULTILINE)
    assert newest in ("Unreleased", __version__)
    assert __version__ not in released
