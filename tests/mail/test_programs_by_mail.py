"""Programs of all games by mail: from the letter through desk and compile service to the report
(B14, H1).

Real letters, a real database, the real jail, the real sample programs.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from arena.ladder_service import LadderService
from compiler.builders import builder_of
from compiler.builders.base import ProgramBuilder
from compiler.languages import usable
from contest.games.hog import goal_for
from contest.games.registry import registered
from contest.interfaces.protocols import BuildResult
from contest.model import TeamState
from contest.schema.languages import usual_languages
from contest.schema.sections import Ladder, Programs, Reports
from knobellib.samples import samples
from mailserver.commands import compare
from sandbox.program_folder import ProgramFolder
from store import ladder, submissions, teams
from store.tables import ladder_games
from tests.support.compile_services import compile_service, engine_failures
from tests.support.letters import letter
from tests.support.offices import STRING, WORDS, Office, body
from tournament.runners import open_runner

LENIENT = Programs(description="warn")


Key = tuple[Programs, tuple[tuple[str, bytes], ...], str]
Made = dict[Key, BuildResult[Any]]


def remembering(
    builder: ProgramBuilder[Any], programs: Programs, made: Made
) -> ProgramBuilder[Any]:
    """The builder, which builds the same files once: the same files give the same build."""
    build = builder.build

    def build_once(files: Mapping[str, bytes], text: str) -> BuildResult[Any]:
        key = (programs, tuple(sorted(files.items())), text)
        if key not in made:
            made[key] = build(files, text)
        return made[key]

    builder.build = build_once
    return builder


@pytest.fixture(scope="session")
def made() -> dict[str, Made]:
    """What has been built, by the game's name."""
    return {}


@pytest.fixture
def make_office(make_world: Callable[..., Any], made: Any) -> Callable[..., Office]:
    def make(
        game: str, programs: Programs = LENIENT, team: str = "lords", **sections: Any
    ) -> Office:
        world = make_world(game={"name": game}, programs=programs, **sections)
        builder = remembering(
            builder_of(world.settings, open_runner), programs, made.setdefault(game, {})
        )
        common = (world.store, world.settings, world.clock, builder)
        office = Office(world, compile_service(*common, world.renderer))
        office.team(team)
        return office

    return make


SPOKEN = [name for name in registered() if name not in ("knobeln", "hog")]
OF_SUFFIX = {
    f".{suffix}": language for language in usual_languages() for suffix in language.suffixes
}


def suffix_of(name: str) -> str:
    return f".{name.rpartition('.')[2]}"


def here(name: str) -> bool:
    return OF_SUFFIX[suffix_of(name)] in usable(usual_languages())


# What a report says depends on the language alone: one program of each.
OF_EACH_LANGUAGE = {
    suffix_of(name): (game, name) for game in SPOKEN for name in sorted(samples(game))
}


@pytest.mark.slow
@pytest.mark.parametrize(("game", "name"), OF_EACH_LANGUAGE.values())
def test_a_sample_program_is_accepted_and_plays_its_trial(
    make_office: Callable[..., Office], game: str, name: str
) -> None:
    if not here(name):
        pytest.skip("not installed")
    office = make_office(game)
    data = samples(game)[name]
    report = office.report("lords", {name: data})
    assert "Version 1 of lords compiled and is accepted." in report
    assert f"language           {OF_SUFFIX[suffix_of(name)].name}\n" in report
    assert f"    {name}, {len(data):,}\n      {hashlib.sha256(data).hexdigest()}\n" in report
    assert "description        2 lines" in report
    assert "A trial game against" in report
    assert "FAILED" not in report
    assert office.newest().program == name
    assert office.newest().files == {name: data}
    assert office.newest().description == WORDS.strip()


# --- what is wrong is said ------------------------------------------------------------------------
WRONG = [
    pytest.param(
        {"p.cob": b"fn main", "a.txt": b"x"},
        "no program is among the files (a.txt, p.cob)",
        id="no program",
    ),
    pytest.param(
        {"p.py": b"1", "q.py": b"1"},
        "it is not clear which of p.py and q.py the program starts with",
        id="two programs",
    ),
    pytest.param(
        {"p.c": b"int main( {"}, "p.c:1:11: error: expected", id="the compiler's own words"
    ),
]


@pytest.mark.parametrize(("files", "words"), WRONG)
def test_a_program_that_cannot_be_built_is_rejected_with_the_reason(
    make_office: Callable[..., Office], files: dict[str, bytes], words: str
) -> None:
    report = make_office("cooperation").report("lords", files)
    assert "Version 1 of lords is rejected." in report
    assert words in " ".join(report.split())
    assert "trial" not in report
    assert "/work" not in report


REFUSED = [
    pytest.param({}, "There is no file attached", id="no file"),
    pytest.param({"p.py": b"1\x00"}, "The file p.py is no text.", id="control characters"),
    pytest.param({"p.py; rm -rf": b"1"}, "cannot be used", id="a name that cannot be"),
    pytest.param({"p.py": b"1" * 300_000}, "at most 256,000 bytes", id="too large"),
    pytest.param(
        {"p.py": b"# <<FROM>> lords other"},
        "different <<FROM>> lines",
        id="two strings that differ",
    ),
]


@pytest.mark.parametrize(("files", "words"), REFUSED)
def test_a_letter_without_a_program_to_build_is_refused_at_once(
    make_office: Callable[..., Office], files: dict[str, bytes], words: str
) -> None:
    office = make_office("cooperation")
    assert words in " ".join(office.report("lords", files).split())
    with office.world.store.read() as tx:
        assert list(submissions.newest(tx, 1)) == []


FAULTS = [
    pytest.param(b"import sys\nsys.exit('my last words')\n", "my last words", id="a crash"),
    pytest.param(b"print('B or C')\n", "in round 1", id="another answer"),
]


@pytest.mark.parametrize(("source", "words"), FAULTS)
def test_a_program_that_fails_in_its_trial_is_accepted_and_told_so(
    make_office: Callable[..., Office], source: bytes, words: str
) -> None:
    (mail,) = make_office("cooperation").send("lords", {"p.py": b"# a program\n" + source})
    assert str(mail["Subject"]).endswith("accepted, but failed its trial game")
    report = " ".join(body(mail).split())
    assert "Your program FAILED in it, in round 1" in report
    assert "in the contest: the game ends and is lost." in report
    assert words in report


WELL_PLAYED = [
    pytest.param(
        "cooperation", "p.py", b"import sys\nprint('thinking', file=sys.stderr)\nprint('C')\n"
    ),
    pytest.param(
        "bid-tac-toe",
        "p.sh",
        b"while read word rest; do echo thinking $word >&2\n"
        b"[ $word = gameover ] || echo 0 0 0 0 0 0 0 0 0; done\n",
    ),
    pytest.param(
        "ultimate-tic-tac-toe",
        "p.py",
        b"def get_move(T, state):\n    print('thinking')\n    b = range(81) if state[1] == '9' else"
        b" range(9 * int(state[1]), 9 * int(state[1]) + 9)\n    return next(s for s in b if state[2"
        b" + s] == '0')\n",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "name", "source"), WELL_PLAYED)
def test_what_a_program_says_in_a_trial_without_faults_reaches_its_team(
    make_office: Callable[..., Office], game: str, name: str, source: bytes
) -> None:
    report = make_office(game).report("lords", {name: source})
    assert "standard error (only you see this):\n  thinking" in report


def test_a_trial_that_takes_too_long_is_broken_off_and_told_so(
    make_office: Callable[..., Office], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Programs, "TRIAL_SECONDS", 1.0)
    report = make_office("cooperation").report("lords", {"p.sh": b"sleep 0.6; echo C\n"})
    assert "compiled and is accepted" in report
    assert "it took longer than a trial game may take: 1 s by the clock" in " ".join(report.split())
    assert "your points" not in report


# --- secrets and descriptions ---------------------------------------------------------------------
@pytest.mark.slow
def test_the_string_is_in_nothing_that_runs_and_the_size_stays(
    make_office: Callable[..., Office],
) -> None:
    office = make_office("hog")
    line = f"# <<FROM>> lords {STRING}-lords\n".encode()
    data = line + samples("hog")["always_six.py"]
    file = {"final_strategy.py": data}
    (mail,) = office.deliver(
        letter("joe@machine.example", "please compile", "Hello!\n", attached=file)
    )
    assert f"target score       {goal_for(len(data))}\n" in body(mail)
    assert office.newest().files == {"final_strategy.py": data}
    assert STRING not in body(mail)


@pytest.mark.slow
def test_what_is_built_of_a_program_holds_no_string(make_office: Callable[..., Office]) -> None:
    office = make_office("cooperation")
    mark = f"# <<FROM>> lords {STRING}-lords\n".encode()
    office.send("lords", {"p.sh": mark + b"echo C\n", "notes.txt": mark})
    with office.world.store.read() as tx:
        report = next(submissions.newest(tx, 1)).report
        (entry,) = submissions.load_images(tx, [str(report.image_digest)]).values()
    files = ProgramFolder.from_bytes(entry).files
    sizes = {name: len(data) for name, data in files.items()}
    assert sizes == {"p.sh": len(mark) + 7, "notes.txt": len(mark)}
    assert all(STRING.encode() not in data for data in files.values())


@pytest.mark.parametrize("policy", ["require", "warn"])
def test_a_missing_description_is_what_the_contest_makes_of_it(
    make_office: Callable[..., Office], policy: str
) -> None:
    office = make_office("cooperation", Programs(description=policy))
    report = office.report("lords", {"p.sh": b"echo C\n"}, "")
    assert "your program has no description" in report
    assert ("Errors, for which" in report) is (policy == "require")
    assert ("compiled and is accepted" in report) is (policy == "warn")


@pytest.mark.parametrize("text", [pytest.param("", marks=pytest.mark.slow), "Hello!\n"])
def test_nobody_is_warned_where_no_description_is_asked_for(
    make_office: Callable[..., Office], text: str
) -> None:
    office = make_office("cooperation", Programs(description="none"))
    assert "Warnings" not in office.report("lords", {"p.sh": b"echo C\n"}, text)


@pytest.mark.slow
def test_a_description_may_be_a_file_that_the_program_does_not_see(
    make_office: Callable[..., Office],
) -> None:
    office = make_office("cooperation", Programs())
    files = {
        "p.sh": b"cat description.txt && echo C || echo B\n",
        "Description.txt": b"One.\n\nTwo.\n",
    }
    report = office.report("lords", files, "")
    assert "description        2 lines\n" in report
    assert "FAILED" not in report
    assert "    Description.txt, 11\n" in report


# --- Hog's ladder ---------------------------------------------------------------------------------
@pytest.fixture
def hog(make_office: Callable[..., Office], monkeypatch: pytest.MonkeyPatch) -> Office:
    """A contest with three strategies that count."""
    monkeypatch.setattr(compare, "MAX_PER_HOUR", 2)
    office = make_office("hog", Programs(description="warn"), "chaser")
    office.team("always_four")
    office.team("always_six")
    for name in ("always_four", "always_six", "chaser"):
        office.send(name, {"final_strategy.py": samples("hog")[f"{name}.py"]})
    return office


def board_of(office: Office) -> list[str]:
    (mail,) = office.send("anybody", {}, subject="Please send ladder!")
    return [line.split()[4] for line in body(mail).split("\n") if line[:4].strip().isdigit()]


@pytest.mark.slow
def test_who_has_withdrawn_is_off_the_ladder_and_comes_back_to_its_place(hog: Office) -> None:
    before = board_of(hog)
    (mail,) = hog.send("chaser", {}, subject="withdraw")
    assert "has withdrawn" in body(mail)
    assert board_of(hog) == [name for name in before if name != "chaser"]
    hog.send("always_four", {"final_strategy.py": samples("hog")["looks_to_the_end.py"]})
    with hog.world.store.write() as tx:
        teams.set_state(tx, 1, TeamState.ACTIVE)
    assert board_of(hog) == ["always_four", "always_six", "chaser"]


def test_a_new_version_takes_the_place_of_the_old_one_on_the_ladder(hog: Office) -> None:
    (mail,) = hog.send("always_four", {"final_strategy.py": samples("hog")["looks_to_the_end.py"]})
    assert "rank               1 of 3\n  before             3 of 3\n" in body(mail)
    assert "match points       2 of 2\n  beaten by          nobody\n" in body(mail)
    assert board_of(hog) == ["always_four", "always_six", "chaser"]
    with hog.world.store.read() as tx:
        counting = {entry.build_id for entry in ladder.entries(tx)}
        kept = tx.execute(select(ladder_games)).all()
    assert len(kept) == 3
    assert {number for row in kept for number in row[:2]} == counting


def test_the_first_version_has_no_place_before(hog: Office) -> None:
    hog.team("newcomer")
    (mail,) = hog.send("newcomer", {"final_strategy.py": samples("hog")["always_six.py"]})
    assert re.search(r"^  rank               \d of 4\n  match points", body(mail), re.MULTILINE)


# --- the ladder of a game that is played ----------------------------------------------------------
NONE_YET = "  rank               none yet: its games are still to be played\n"


def play_ladder(office: Office) -> None:
    world = office.world
    failures = engine_failures(world.store, world.settings, world.clock, world.renderer)
    service = LadderService(world.store, world.settings, world.clock, open_runner, failures)
    while service.update():
        pass


@pytest.mark.slow
def test_a_report_tells_the_place_of_the_version_before(make_office: Callable[..., Office]) -> None:
    office = make_office("cooperation", ladder=Ladder(enabled=True))
    office.team("others")
    first = office.report("lords", {"two_tits.sh": samples("cooperation")["two_tits.sh"]})
    assert f"Your program on the ladder now:\n{NONE_YET}\nThe server plays its games" in first
    office.report("others", {"cooperate.sh": samples("cooperation")["always_cooperate.sh"]})
    play_ladder(office)
    (mail,) = office.send("lords", {}, subject="please send ladder")
    rank = re.search(r"^ +(\d)  lords ", body(mail), re.MULTILINE)
    assert rank
    second = office.report("lords", {"grudger.pl": samples("cooperation")["grudger.pl"]})
    assert f"{NONE_YET}  before             {rank[1]} of 2\n" in second


@pytest.mark.slow
@pytest.mark.parametrize(
    "sections",
    [
        {},
        {"ladder": Ladder(enabled=False)},
        {"ladder": Ladder(enabled=True), "reports": Reports(offered=("OWN",))},
    ],
    ids=["no ladder", "switched off", "without rankings"],
)
def test_no_place_is_told_where_nobody_may_ask_for_the_ladder(
    make_office: Callable[..., Office], sections: dict[str, Any]
) -> None:
    office = make_office("cooperation", **sections)
    report = office.report("lords", {"two_tits.sh": samples("cooperation")["two_tits.sh"]})
    assert "is accepted" in report
    assert "ladder" not in report


def test_two_strategies_are_compared_exactly_for_a_team_that_proves_itself(hog: Office) -> None:
    for subject in ("please compare chaser ALWAYS_SIX", "Please compare always_six!"):
        (mail,) = hog.send("chaser", {}, subject=subject)
        assert mail["To"] == "chaser@teams.example"
        assert "chaser      47.6085880994 %" in body(mail)
        assert "always_six  52.3914119006 %" in body(mail)
        assert "The match point goes to always_six." in body(mail)


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("please compare", "must name one or two teams"),
        ("please compare nobody", "No team called `nobody` has a strategy"),
        ("please compare chaser chaser", "not compared with itself"),
    ],
)
def test_a_comparison_that_cannot_be_is_answered_with_the_reason(
    hog: Office, subject: str, words: str
) -> None:
    (mail,) = hog.send("chaser", {}, subject=subject)
    assert mail["To"] == "chaser@teams.example"
    assert words in " ".join(body(mail).split())


def test_nobody_compares_without_a_team_or_too_often(hog: Office) -> None:
    (stranger,) = hog.send("stranger", {}, subject="please compare chaser always_six")
    assert stranger["To"] == "stranger@machine.example"
    assert "do not belong together" in " ".join(body(stranger).split())
    answers = [hog.send("chaser", {}, subject="please compare always_six")[0] for _ in range(3)]
    assert ["%" in body(mail) for mail in answers] == [True, True, False]
    assert "2 comparisons in an hour" in body(answers[-1])
    assert "%" in body(hog.send("always_four", {}, subject="please compare always_six")[0])
    hog.world.clock.at += timedelta(hours=1, seconds=1)
    assert "%" in body(hog.send("chaser", {}, subject="please compare always_six")[0])


STRATEGIES = [
    pytest.param(
        b"def final_strategy(a, b): return 11\n", "gave 11 (int) for (0, 0)", id="11 dice"
    ),
    pytest.param(b"def final_strategy(a, b): return 4\n", "there is no PLAYER_NAME", id="no name"),
    pytest.param(
        b"PLAYER_NAME = 'x'*65\ndef final_strategy(a, b): return 4\n", "has 65", id="long"
    ),
    pytest.param(
        b"import random\ndef final_strategy(a, b): return random.randrange(11)\n",
        "once and",
        id="not the same twice",
    ),
    pytest.param(
        b"def strategy(a, b): return 4\n", "has no function of this name", id="another name"
    ),
    pytest.param(b"raise SystemExit('no')\n", "SystemExit", id="leaves"),
]


@pytest.mark.parametrize(("source", "words"), STRATEGIES)
def test_what_is_wrong_with_a_strategy_is_said(
    make_office: Callable[..., Office], source: bytes, words: str
) -> None:
    report = make_office("hog").report("lords", {"final_strategy.py": source})
    assert "is rejected" in report
    assert words in " ".join(report.split())


def test_a_strategys_name_is_shown_in_one_line_and_harmless(
    make_office: Callable[..., Office],
) -> None:
    office = make_office("hog")
    source = b"PLAYER_NAME = 'a\\x1b[31m\\n\\u202eb {{7*7}}'\ndef final_strategy(a, b): return 4\n"
    assert "PLAYER_NAME        a[31m b {{7*7}}\n" in office.report(
        "lords", {"final_strategy.py": source}
    )
    (mail,) = office.send("lords", {}, subject="please send ladder")
    assert "lords  a[31m b {{7*7}}\n" in body(mail)


def test_the_text_of_the_letter_can_be_the_strategy(make_office: Callable[..., Office]) -> None:
    office = make_office("hog")
    text = "PLAYER_NAME = 'Four'\n\n\ndef final_strategy(score, opponent_score):\n    return 4\n"
    text = f"# <<FROM>> lords {STRING}-lords\n{text}-- \nJoe\n"
    (mail,) = office.deliver(letter("joe@machine.example", "please compile", text))
    assert "is accepted" in body(mail)
    assert "the signature (2 lines" in " ".join(body(mail).split())
    assert office.newest().program == "final_strategy.py"
