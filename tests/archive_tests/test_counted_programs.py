"""Archives of contests whose programs' time is counted: their programs play again."""

import base64
import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from compiler.builders.text import TextBuilder
from contest.errors import ToolMissing
from knobellib.samples import samples
from sandbox.fuel import engine
from tests.support import check_page
from tests.support.archives import DRAW_BELIEVED, Mended, Published, changes, knobeln
from tests.support.check_page import page_on
from tests.support.counted_programs import (
    FAILING,
    LEARNING,
    MOODY,
    counted_contest,
    needs_engine,
)
from tests.support.organizers import resealed
from tests.support.unchecked_facts import unchecked_facts, unnoticed
from tournament.text_referee import TextGameResult, Turn

pytestmark = [needs_engine, pytest.mark.slow]

GROUP, ASKED = "rounds/1/group-1.json", "rounds/1/asked-1.json"


@pytest.fixture(scope="module")
def all_counted(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Each move in a new instance; with chance, and with faults of two kinds."""
    known = samples("cooperation")
    sources = {"moody.c": MOODY, "failing.c": FAILING}
    from_line = b"// <<FROM>> detective STRING\n"
    sources |= {"detective.js": from_line + known["detective.js"]}
    sources |= {name: known[name] for name in ("nervous.py", "pavlov.c")}
    return counted_contest(tmp_path_factory.mktemp("counted"), "cooperation", sources, games=2)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """One instance through all games, against a program whose time is not counted."""
    sources = {"learning.c": LEARNING, **{n: samples("bid-tac-toe")[n] for n in ("copycat.pl",)}}
    sources["regret_matcher.c"] = samples("bid-tac-toe")["regret_matcher.c"]
    return counted_contest(tmp_path_factory.mktemp("mixed"), "bid-tac-toe", sources, games=4)


def test_a_contest_of_counted_programs_is_played_again(all_counted: Published) -> None:
    result = knobeln("verify", all_counted.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    assert "5 programs, built again: the same, bit for bit" in result.output
    assert "played again: the same to the last point" in result.output
    assert re.search(r"how sure the ranking is, by \d+ contests: the same", result.output)
    assert "recorded" not in result.output


def test_no_authentification_string_is_in_the_builds_that_are_published(
    all_counted: Published,
) -> None:
    for file in (all_counted.archive / "builds").iterdir():
        build = json.loads(file.read_bytes())
        texts = b"".join(map(base64.b64decode, (build["module"], *build["files"].values())))
        assert not any(string.encode() in texts for string in all_counted.strings)


def test_counted_programs_are_asked_again_between_others(mixed: Published) -> None:
    result = knobeln("verify", mixed.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    assert "2 programs, built again: the same, bit for bit" in result.output
    assert (
        "in which the programs whose time is counted played again: the same moves" in result.output
    )
    assert "the programs of copycat: they talk with the referee" in result.output


def test_an_archive_names_what_counts(mixed: Published) -> None:
    counted = json.loads((mixed.archive / "counted.json").read_text())
    assert [each["team"] for each in counted] == ["learning", "regret_matcher"]
    assert {(each["counter"], each["guest"]) for each in counted} == {(engine.COUNTER, "")}
    assert {each["engine"] for each in counted} == {engine.name()}
    assert all(len(each["module"]) == 64 for each in counted)
    assert len(list((mixed.archive / "builds").iterdir())) == 2


def a_question(games: list) -> list:
    return next(seat for game in games for seat in game if seat)[0]


def interpreter(contents: dict[str, bytes]) -> str:
    return next(path for path in contents if path.startswith("guests/"))


Change = Callable[[dict[str, bytes]], None]


def json_file(path: str, change: Callable[[dict], None]) -> Change:
    def do(contents: dict[str, bytes]) -> None:
        value = json.loads(contents[path])
        change(value)
        contents[path] = json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"

    return do


def in_a_game(change: Callable[[dict, int], None], team: str = "") -> Change:
    """Change a flawless game of this team in the first group, if it is given; its seat is told,
    too."""

    def do(group: dict) -> None:
        for match in group["matches"]:
            players, result = match["pairing"]["players"], match["result"]
            if team in ("", *players) and not any(seat["fault"] for seat in result["seats"]):
                seated = players if match["game"] % 2 else players[::-1]
                with suppress(LookupError):
                    change(result, seated.index(team) if team else 0)
                    return
        raise AssertionError("no game is such that this can be changed")

    return json_file(GROUP, do)


def a_unit(result: dict, seat: int) -> None:
    result["seats"][seat]["instructions"] += 1


def a_page(result: dict, seat: int) -> None:
    result["seats"][seat]["memory"] += 65_536


def a_bid(result: dict, seat: int) -> None:
    """A dollar less for the first square that it bids for but does not win, which changes nothing;
    with the right digest."""
    turns = [[[int(bid) for bid in bids.split()] for bids in turn] for turn in result["moves"]]
    own, other = turns[0][seat], turns[0][1 - seat]
    lost = [square for square in range(9) if 0 < own[square] < other[square]]
    if not lost:
        raise LookupError
    own[lost[0]] -= 1
    result["moves"] = [[" ".join(map(str, bids)) for bids in turn] for turn in turns]
    played = [Turn(dict(enumerate(map(tuple, turn))), {}) for turn in turns]
    points = tuple(seat["points"] for seat in result["seats"])
    result["digest"] = TextGameResult(points, tuple(played)).digest


def without_builds(contents: dict[str, bytes]) -> None:
    """As if nobody had counted, with the units of the results, too."""
    for path in [path for path in contents if path.startswith("builds/")]:
        del contents[path]
    del contents["counted.json"]

    def do(group: dict) -> None:
        for match in group["matches"]:
            for seat in match["result"]["seats"]:
                seat.update(instructions=0, memory=0)

    json_file(GROUP, do)(contents)


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (
            in_a_game(a_unit, "moody"),
            r"moody's program: archived [\d,]+ units, but it used [\d,]+ here",
        ),
        (
            in_a_game(a_page, "pavlov"),
            r"pavlov's program: archived [\d,]+ bytes of memory, but it used",
        ),
        (without_builds, "counted.json does not have .*: the time of its program is counted"),
        (
            json_file("counted.json", lambda all: all[0].update(counter="counter 0")),
            "counted.json: the builds",
        ),
        (
            json_file(ASKED, lambda all: a_question(all).append("0 C")),
            "asked-1.json: programs were told",
        ),
        (lambda c: c.pop(ASKED), "asked-1.json: programs were told otherwise"),
        (
            lambda c: c.update({interpreter(c): c[interpreter(c)] + b"\0"}),
            "guests/[0-9a-f]+ is no interpreter",
        ),
    ],
)
def test_what_counted_programs_did_not_do_is_found(
    all_counted: Published, mended: Mended, change: Callable[..., Any], finding: str
) -> None:
    result = knobeln("verify", mended(all_counted.archive, change))
    assert result.exit_code == 1, result.output
    assert re.search(finding, result.output), result.output


def test_a_counted_program_that_played_with_the_build_of_an_uncounted_one_is_found(
    all_counted: Published, mended: Mended
) -> None:
    """Lists, ledger and seed fit to it, as if the contest had been held like that."""

    def change(contents: dict[str, bytes]) -> None:
        entries = json.loads(contents["entries.json"])
        moody = next(entry for entry in entries if entry["name"] == "moody")
        del contents[f"builds/{moody['build']}"]
        moody["build"] = "ab" * 32
        contents["entries.json"] = json.dumps(entries, indent=1).encode() + b"\n"
        own = [each for each in json.loads(contents["counted.json"]) if each["team"] != "moody"]
        contents["counted.json"] = json.dumps(own, indent=1).encode() + b"\n"
        resealed(all_counted.contest)(contents)

    archive = mended(all_counted.archive, change)
    finding = "counted.json does not have moody: the time of its program is counted"
    result = knobeln("verify", archive)
    assert (result.exit_code, finding in result.output) == (1, True), result.output
    assert page_on(archive).differs == finding


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (in_a_game(a_unit, "learning"), "learning's program: archived"),
        (in_a_game(a_unit, "copycat"), "what is said of the players' turns"),
        (in_a_game(a_bid, "regret_matcher"), "in turn 1, regret_matcher's program: archived"),
    ],
)
def test_what_others_did_is_believed_and_what_counted_programs_did_is_not(
    mixed: Published, mended: Mended, change: Change, finding: str
) -> None:
    result = knobeln("verify", mended(mixed.archive, change))
    assert result.exit_code == 1, result.output
    assert finding in result.output


def test_where_nobody_counts_nobody_can_be_asked(in_words: Published, mended: Mended) -> None:
    result = knobeln("verify", mended(in_words.archive, lambda c: c.update({ASKED: b"[]\n"})))
    assert (result.exit_code, "asked-1.json: programs were told otherwise" in result.output) == (
        1,
        True,
    )


def games_of(archive: Path, *names: str) -> int:
    """In how many games these programs played."""
    matches = json.loads((archive / GROUP).read_text())["matches"]
    return sum(not set(names).isdisjoint(match["pairing"]["players"]) for match in matches)


def test_the_page_asks_all_but_programs_in_python(all_counted: Published, mixed: Published) -> None:
    said = page_on(all_counted.archive)
    assert said.asked == games_of(all_counted.archive, "moody", "failing", "detective", "pavlov")
    assert [each for each in said.unchecked if each.startswith("what the program")] == [
        "what the program of nervous did: the archive does not have what it takes to ask it again"
    ]
    assert page_on(mixed.archive).asked == games_of(mixed.archive, "learning", "regret_matcher")


def test_the_page_names_what_an_archive_lacks(all_counted: Published, mended: Mended) -> None:
    said = page_on(mended(all_counted.archive, lambda c: c.pop(interpreter(c))))
    assert not said.is_refused
    missed = [each for each in said.unchecked if "what it takes to ask it again" in each]
    assert [each.split()[4] for each in missed] == ["detective", "nervous"]
    assert said.asked == page_on(all_counted.archive).asked - games_of(
        all_counted.archive, "detective"
    )


def test_the_page_notices_every_answer_unit_and_byte(tmp_path: Path) -> None:
    sources = {"moody.c": MOODY, "pavlov.c": samples("cooperation")["pavlov.c"]}
    few = counted_contest(tmp_path, "cooperation", sources, games=1).archive
    fact = re.compile(r".*/group-\*.json: matches.*\.(moves\.\*\.\*|instructions|memory)")
    cases = [
        (name, check_page.mended(changed)) for name, changed in changes(few) if fact.fullmatch(name)
    ]
    said = check_page.page_says(data for _, data in cases)
    assert [name for (name, _), each in zip(cases, said, strict=True) if not each.is_refused] == []
    assert len(cases) > 10


@pytest.mark.usefixtures("built_once")
def test_every_fact_about_counting_is_checked_or_listed(mixed: Published, tmp_path: Path) -> None:
    found = unnoticed(mixed.archive, tmp_path / "changed", ("counted.json: ",))
    assert found == {fact for fact in unchecked_facts() if fact.startswith("counted.json: ")}


@pytest.mark.parametrize("archive", ["all_counted", "mixed"])
def test_other_functions_of_the_host_compare_the_moves_alone(
    archive: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: Published = request.getfixturevalue(archive)
    monkeypatch.setattr(engine, "COUNTER", "counter 3, prices 3, host 4")
    monkeypatch.setattr(engine, "is_installed", lambda: True)
    result = knobeln("verify", published.archive)
    assert result.exit_code == 3, result.output
    assert "cannot be computed here with the same counts" in result.output
    assert "was built for host 3, and here is host 4" in result.output
    assert "the moves keep to the rules, and give these points" in result.output
    assert "played again:" not in result.output
    assert knobeln("verify", published.archive, "--strict").exit_code == 1


def test_where_no_engine_is_installed_the_moves_are_compared(
    mixed: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "is_installed", lambda: False)
    result = knobeln("verify", mixed.archive)
    assert result.exit_code == 3, result.output
    assert "needs an engine for WebAssembly, and none is installed here" in result.output


def test_without_the_compiler_the_build_in_the_archive_plays(
    mixed: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ToolMissing("C is not installed: there is no clang")

    monkeypatch.setattr(TextBuilder, "build", missing)
    result = knobeln("verify", mixed.archive)
    assert result.exit_code == 3, result.output
    assert "of 2 programs: C is not installed: there is no clang" in result.output
    assert "in which the programs whose time is counted played again" in result.output
    assert "copycat's program" not in result.output
