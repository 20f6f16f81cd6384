"""The file with which readers beat the programs of a contest: what is in it, and that it plays."""

import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.config.settings import Settings
from knobellib.beat_kit import MAX_BYTES, MAX_PROGRAM_BYTES, BeatGame, beat_kit
from knobellib.kit_archives import zip_archive
from knobellib.samples import house_strategies, samples
from knobeln import presets
from tests.support import archives, contest_field
from tests.support.archives import knobeln
from tests.support.browser import Browser
from tests.support.contest_field import NOW

SEED = bytes(range(32)).hex()
PROGRAMS = {name: {"program.c": b"main () {}\n"} for name in ("alice", "bob", "eve")}
GAMES = [
    BeatGame("1.alice.bob", ("alice", "bob"), 1, 1, 1),
    BeatGame("2.eve.alice", ("eve", "alice"), 2, 1, 0),
]
BOUND_SECONDS = 300


def files_of(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def settings(game: str = "knobeln") -> Settings:
    return contest_field.settings() if game == "knobeln" else presets.settings(game, NOW)


def test_it_has_both_programs_the_seed_the_kit_and_one_line_to_start() -> None:
    kit = beat_kit(settings(), PROGRAMS, GAMES, SEED)
    assert kit
    assert kit.first_command == "python3 beat.py 1.alice.bob"
    files = files_of(zip_archive(kit))
    facts = json.loads(files["beat/games.json"])
    assert facts["seed"] == SEED
    assert facts["games"]["2.eve.alice"]["players"] == ["eve", "alice"]
    assert files["beat/programs/alice/program.c"] == b"main () {}\n"
    assert {"beat/README", "beat/beat.py", "beat/kit/knobeln.c"} <= files.keys()


@pytest.mark.parametrize("game", ["knobeln", "bid-tac-toe"])
def test_the_same_contest_gives_the_same_bytes_and_they_are_few(game: str) -> None:
    first, second = (beat_kit(settings(game), PROGRAMS, GAMES, SEED) for _ in range(2))
    assert first
    assert second
    assert zip_archive(first) == zip_archive(second)
    assert len(zip_archive(first)) < 120_000


def test_a_program_that_is_too_large_is_left_out_with_its_games() -> None:
    large = {**PROGRAMS, "eve": {"image.tar": bytes(MAX_PROGRAM_BYTES + 1)}}
    kit = beat_kit(settings(), large, GAMES, SEED)
    assert kit
    files = files_of(zip_archive(kit))
    assert list(json.loads(files["beat/games.json"])["games"]) == ["1.alice.bob"]
    assert not any(name.startswith("beat/programs/eve") for name in files)


def test_without_a_game_that_can_be_played_there_is_none() -> None:
    assert beat_kit(settings(), PROGRAMS, [], SEED) is None
    assert beat_kit(settings(), {"alice": PROGRAMS["alice"]}, GAMES, SEED) is None


def test_of_programs_that_are_too_large_together_the_largest_are_left_out() -> None:
    large = {"program.c": bytes(MAX_PROGRAM_BYTES)}
    count = MAX_BYTES // MAX_PROGRAM_BYTES
    many = {**PROGRAMS, **{f"team_{number:02}": large for number in range(count)}}
    pairs = [("alice", name) for name in many if name != "alice"]
    kit = beat_kit(
        settings(), many, [BeatGame(name, (a, name), 1, 1, 1) for a, name in pairs], SEED
    )
    assert kit
    told = json.loads(files_of(zip_archive(kit))["beat/games.json"])["games"]
    assert list(told) == [name for name in many if name not in ("alice", f"team_{count - 1}")]


def test_programs_without_a_game_take_no_room() -> None:
    kit = beat_kit(settings(), {**PROGRAMS, "idle": {"program.c": b"x"}}, GAMES, SEED)
    assert kit
    assert not any(file.name.startswith("programs/idle") for file in kit.files)


# --- as a reader plays ----------------------------------------------------------------------------
class Reader:
    """Somebody who has unpacked the file in this folder."""

    def __init__(self, folder: Path, raw: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            packed.extractall(folder)
        self.folder = folder / "beat"
        self.games = json.loads((self.folder / "games.json").read_text())["games"]

    def plays(self, *words: str) -> tuple[int, str]:
        """Exit code and all that is printed."""
        done = subprocess.run(
            [sys.executable, "-I", "beat.py", *words],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=BOUND_SECONDS,
            check=False,
        )
        return done.returncode, done.stdout.decode()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a contest of KNOBELN."""
    folder = tmp_path_factory.mktemp("throws")
    contest, _ = archives.played(folder / "contest", archives.small(), archives.knobeln_field())
    knobeln("site", folder / "site", "-C", contest)
    return folder / "site"


@pytest.fixture(scope="module")
def browser(site: Path) -> Iterator[Browser]:
    opened = Browser(site)
    yield opened
    opened.driver.quit()


@pytest.fixture(scope="module")
def throws(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(tmp_path_factory.mktemp("reader"), (site / "beat.zip").read_bytes())


@pytest.mark.slow
def test_a_game_of_knobeln_is_that_of_the_contest(site: Path, throws: Reader) -> None:
    """The points are those that the page of the game tells."""
    assert 'href="beat.zip"' in (site / "replay.html").read_text()
    name = next(iter(throws.games))
    first, second = throws.games[name]["players"]
    code, said = throws.plays(name)
    assert code == 0, said
    points = re.findall(rf"^(?:{first}|{second}): ([0-9]+) points", said, re.MULTILINE)
    scripts = (path.read_text() for path in (site / "games").glob("*.js"))
    (of_page,) = (text for text in scripts if f"game\t{name}\n" in text)
    told = of_page.partition(f"game\t{name}\n")[2].partition("\nend")[0]
    assert re.findall(r"^player\t\w+\t([0-9]+)\t", told, re.MULTILINE) == points


@pytest.mark.slow
def test_the_page_of_a_game_shows_the_line_that_beats_it(
    site: Path, browser: Browser, throws: Reader
) -> None:
    for name in list(throws.games)[:2]:
        browser.open(f"replay.html?game={name}")
        line, link = browser.one(".beat code[data-part=line]"), browser.one(".beat a")
        assert line.text == f"python3 beat.py {name} mine.c"
        assert link.get_attribute("href") == (site / "beat.zip").as_uri()
    assert browser.complaints() == []


@pytest.mark.slow
def test_a_readers_strategy_takes_the_place_of_the_loser(throws: Reader) -> None:
    (throws.folder / "mine.c").write_text(house_strategies()[0].source)
    name, game = next(iter(throws.games.items()))
    lost = game["players"][game["lost"]]
    code, said = throws.plays(name, "mine.c")
    assert code == 0, said
    assert said.startswith(f"mine.c plays in the place of {lost}.\n")
    assert "throw       number" in throws.plays(name, "--moves")[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Games, all of them in games.json"),
        (("9.nobody.nobody",), "There is no game 9.nobody.nobody here: programs that are"),
        (("GAME", "missing.c"), "there is no missing.c"),
        (("GAME", "broken.c"), "it could not be compiled"),
        (("GAME", "a.c", "b.c"), "Games, all of them in games.json"),
        (("--moves",), "Games, all of them in games.json"),
    ],
)
def test_what_cannot_be_played_is_told(throws: Reader, words: tuple[str, ...], said: str) -> None:
    (throws.folder / "broken.c").write_text("main ( {")
    named = [next(iter(throws.games)) if word == "GAME" else word for word in words]
    code, told = throws.plays(*named)
    assert code == 2
    assert said in told


@pytest.mark.slow
def test_a_game_of_moves_is_played_by_the_kits_referee(tmp_path: Path) -> None:
    sources = samples("cooperation")
    programs = {name: {f"{name}.py": sources["nervous.py"]} for name in ("alice", "bob")}
    kit = beat_kit(settings("cooperation"), programs, GAMES[:1], SEED)
    assert kit
    reader = Reader(tmp_path, zip_archive(kit))
    (reader.folder / "mine.sh").write_bytes(sources["two_tits.sh"])
    code, said = reader.plays("1.alice.bob", "mine.sh")
    assert code == 0, said
    assert re.search("^mine: [0-9]+ points", said, re.MULTILINE)


@pytest.mark.slow
def test_a_site_that_hides_programs_has_no_such_file(tmp_path: Path) -> None:
    def hidden(chosen: Settings) -> Settings:
        return chosen.changed(site={"programs": False})

    field = dict(list(archives.knobeln_field().items())[:2])
    contest, _ = archives.played(tmp_path / "contest", hidden(archives.small()), field)
    knobeln("site", tmp_path / "site", "-C", contest)
    assert not (tmp_path / "site" / "beat.zip").exists()
    assert "beat.zip" not in (tmp_path / "site" / "replay.html").read_text()
