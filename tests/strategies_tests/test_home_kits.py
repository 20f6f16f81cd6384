"""The kits of the games other than KNOBELN: unpacked in an empty folder, and played with Python
alone."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from contest.config.settings import Settings
from contest.games.registry import game_of, registered
from contest.schema.languages import Language
from contest.subprocesses.hog_solver import win_rates
from knobellib.kit_archives import tar_archive
from knobellib.kits import kit_of
from knobellib.samples import samples
from knobeln import presets
from knobeln.cli import main
from knobeln.context import create_contest
from knobeln.home.programs import accepted, home_builder, rebuilt
from tests.support.hog_ranking import all_pairs, ranking

NOW = datetime(2026, 3, 1, tzinfo=UTC)
GAMES = sorted(
    game
    for game, rules in registered().items()
    if rules.info.has_kit and not rules.info.play.is_in_c
)
PATIENCE = 300  # seconds, on a computer that does much else
BOTS = {"python": "bot.py", "javascript": "bot.js", "java": "Bot.java"}
slowly = partial(pytest.param, marks=pytest.mark.slow)
ISOLATED = (sys.executable, "-I", "-S")  # no PYTHONPATH, no folder of the caller, no site-packages


def settings(
    game: str, changes: Mapping[str, object] | None = None, **of_programs: object
) -> Settings:
    """`changes`: in the settings of the game."""
    usual = presets.settings(game, NOW)
    programs = usual.programs.model_copy(update=of_programs)
    game_settings = usual.game.model_copy(update=changes or {})
    return usual.model_copy(update={"game": game_settings, "programs": programs})


class HomeKit:
    """An unpacked kit."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def play(self, *words: object, code: int = 0, within: Sequence[str] = ()) -> str:
        """What the referee writes. `within`: a command that starts another."""
        done = subprocess.run(
            [*within, *ISOLATED, "referee.py", *map(str, words)],
            cwd=self.path,
            env={"PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == code, done.stdout
        return done.stdout


def unpacked(folder: Path, of: Settings) -> HomeKit:
    kit = kit_of(of)
    (folder / kit.tar_name).write_bytes(tar_archive(kit))
    subprocess.run(["tar", "-xzf", kit.tar_name], cwd=folder, check=True)
    return HomeKit(folder / kit.folder)


@pytest.fixture(scope="module")
def kit_for(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], HomeKit]:
    made: dict[str, HomeKit] = {}

    def kit(game: str) -> HomeKit:
        if game not in made:
            made[game] = unpacked(tmp_path_factory.mktemp("kit"), settings(game))
        return made[game]

    return kit


def by_the_server(*words: object) -> str:
    result = CliRunner().invoke(main, [*map(str, words)])
    assert result.exit_code == 0, result.output
    return result.output


# --- the archives ---------------------------------------------------------------------------------
def test_every_game_has_a_kit() -> None:
    assert all(rules.info.has_kit for rules in registered().values())


@pytest.mark.parametrize("game", GAMES)
def test_the_archives_are_small_the_same_again_and_without_secrets(game: str) -> None:
    kit, again = kit_of(settings(game)), kit_of(settings(game))
    assert tar_archive(kit) == tar_archive(again)
    assert len(tar_archive(kit)) < 80_000
    assert not any(b"<<FROM>>" in file.data for file in kit.files)
    names = {file.name for file in kit.files}
    assert {f"programs/{name}" for name in samples(game)} < names
    assert any(name.startswith("images/") for name in names) == settings(game).programs.takes_images


# --- games ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("game", "programs"),
    [
        ("bid-tac-toe", ("bookkeeper.py", "even_hand.sh")),
        slowly("cooperation", ("tit_for_tat.py", "two_tits.sh")),
        slowly("cooperation-legacy", ("backward_inducer.py", "grudger.sh")),
        slowly("standoff", ("cautious.py", "trigger_happy.sh", "accountant.c")),
        slowly("ultimate-tic-tac-toe", ("random_mover.py", "first_open.sh")),
    ],
)
def test_a_game_at_home_is_the_game_of_the_server(
    game: str, programs: tuple[str, ...], kit_for: Callable[[str], HomeKit]
) -> None:
    chosen = [_without_chance(kit_for(game).path / "programs" / program) for program in programs]
    at_home = kit_for(game).play("--seed", "s", *chosen)
    assert at_home == by_the_server("play", "--game", game, "--seed", "s", "--protocol", *chosen)
    assert "failed" not in at_home
    assert len(at_home.splitlines()) >= 2 + len(programs)


def _without_chance(path: Path) -> Path:
    """The program, or a copy that draws the same numbers each time: our seed is not for its own
    chance."""
    text = path.read_text()
    if path.suffix != ".py" or "import random" not in text:
        return path
    seeded = path.with_name(f"seeded_{path.name}")
    seeded.write_text(text.replace("import random\n", "import random\n\nrandom.seed(1)\n"))
    return seeded


BAD_PROGRAMS = {
    "crash.py": "import sys\nsys.exit('my remark')\n",
    "endless.py": "print('C' * 10_000)\n",
    "forbidden.py": "print('R')\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD_PROGRAMS)
def test_a_mistake_has_the_sentence_of_the_server(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_text(BAD_PROGRAMS[name])
    (tmp_path / "still.sh").write_text("echo N\n")
    monkeypatch.chdir(tmp_path)
    by_the_server("init", "--game", "standoff", "contest")
    toml = tmp_path / "contest" / "contest.toml"
    text = re.sub(r"(?m)^max_rounds = .*", "max_rounds = 2", toml.read_text())
    text = re.sub(r"(?m)^counted_languages = .*", "counted_languages = []", text)  # as at home
    toml.write_text(re.sub(r"(?m)^seconds = .*", "seconds = 1.5", text))
    by_the_server("kit", "-C", "contest", "kit.tgz")
    subprocess.run(["tar", "-xzf", "kit.tgz"], check=True)
    words = ("--seed", "s", tmp_path / name, tmp_path / "still.sh")
    at_home = HomeKit(tmp_path / "standoff-software").play(*words)
    assert at_home == by_the_server("play", "-C", "contest", "--protocol", *words)
    assert at_home.count(f"{Path(name).stem} failed") == 2


def test_at_home_the_clock_decides_who_is_late(tmp_path: Path) -> None:
    """The server counts processor time, which nobody does at home."""
    short = settings("standoff", {"max_rounds": 2}, seconds=0.3)
    (tmp_path / "late.py").write_text("import time\ntime.sleep(60)\n")
    (tmp_path / "still.sh").write_text("echo N\n")
    printed = unpacked(tmp_path, short).play(
        "--seed", "s", tmp_path / "late.py", tmp_path / "still.sh"
    )
    assert "there was no answer within 0.3 s\n" in printed


@pytest.mark.slow
def test_a_game_of_python_functions_and_one_in_a_lasting_process_go_on_after_a_crash(
    tmp_path: Path, kit_for: Callable[[str], HomeKit]
) -> None:
    (tmp_path / "raises.py").write_text(
        "def get_move(T, gamestate):\n    raise ValueError('my remark')\n"
    )
    game = ("ultimate-tic-tac-toe", "first_open.sh", tmp_path / "raises.py")
    (tmp_path / "quits.py").write_text("import sys\ninput()\nprint('my remark', file=sys.stderr)\n")
    for name, sample, bad in (game, ("bid-tac-toe", "even_hand.sh", tmp_path / "quits.py")):
        words = ("--seed", "s", kit_for(name).path / "programs" / sample, bad)
        at_home = kit_for(name).play(*words)
        assert at_home == by_the_server("play", "--game", name, "--protocol", *words)
        assert "my remark" in at_home


@pytest.mark.slow
def test_hog_at_home_has_the_rates_of_the_server(
    tmp_path: Path, kit_for: Callable[[str], HomeKit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = kit_for("hog").path / "programs"
    (tmp_path / "larger.py").write_text((folder / "chaser.py").read_text() + "#" * 1300)
    programs = [folder / "piler.py", folder / "chaser.py", tmp_path / "larger.py"]
    at_home, hog = kit_for("hog").play(*programs), settings("hog")
    builder = home_builder(hog)
    entries = [accepted(path.name, rebuilt(str(path), builder, hog)) for path in programs]
    rates = win_rates(entries, all_pairs(3))
    assert re.findall(r"[\d.]+%", at_home) == [f"{rate:.6%}" for rate in rates]
    names = [path.stem for path in programs]
    assert re.findall(r"(?m)^(\w+): goal (\d+)", at_home) == [
        (name, str(entry.goal)) for name, entry in zip(names, entries, strict=True)
    ]
    ranked = ranking(3, dict(zip(all_pairs(3), rates, strict=True)))
    assert re.findall(r"(?m)^(\d+)\. (\w+): (\d+) match", at_home) == [
        (str(rank), names[entry], str(points)) for rank, entry, points in ranked
    ]


# --- what is typed wrong --------------------------------------------------------------------------
NAMED = "PLAYER_NAME = 'A'\n"
FOUR = "def final_strategy(a, b):\n    return 4\n"
WRONG = {  # the game, what is typed, the text of the first file or None, and what the referee says
    "no file": ("standoff", ["nobody.py", "x.py"], None, "there is no file nobody.py"),
    "no suffix": ("standoff", ["README", "README"], None, "README is no program; the suffix"),
    "does not compile": (
        "standoff",
        ["b.py"] * 2,
        "print(\n",
        "b.py cannot be built; python3 says:",
    ),
    "no function": ("hog", ["a.py"] * 2, NAMED, "has no function of this name"),
    "too many dice": (
        "hog",
        ["a.py"] * 2,
        NAMED + FOUR.replace("4", "11"),
        "a.py: final_strategy gave 11 (int) for (0, 0); an int in 0..10 is needed",
    ),
    "not in Python": ("hog", ["a.sh", "a.sh"], "echo 4\n", "Python (.py)"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_what_is_wrong_is_told_in_a_sentence(
    mistake: str, kit_for: Callable[[str], HomeKit]
) -> None:
    game, words, text, says = WRONG[mistake]
    kit = kit_for(game)
    if text is not None:
        (kit.path / words[0]).write_text(text)
    said = kit.play(*words, code=2)
    assert said.startswith("referee.py: ")
    assert says in said
    assert "Traceback" not in said


def test_a_damaged_kit_says_so(tmp_path: Path) -> None:
    kit = unpacked(tmp_path, settings("standoff"))
    (kit.path / "contest.json").write_text("{")
    assert "contest.json is damaged" in kit.play(
        "programs/cautious.py", "programs/cautious.py", code=2
    )
    (kit.path / "contest.json").unlink()
    assert "contest.json: No such file" in kit.play(
        "programs/cautious.py", "programs/cautious.py", code=2
    )


# --- the settings of the contest ------------------------------------------------------------------
def test_the_kit_plays_with_the_settings_of_the_contest(tmp_path: Path) -> None:
    cat = {"tool": "cat", "run": ("{tool}", "{program}"), "memory_mb": 64, "sample": "x"}
    ours = Language(name="Echo", suffixes=("bids",), **cat)
    changed = settings("bid-tac-toe", {"illegal_bid": "zero"}, languages=(ours,), seconds=4)
    kit = unpacked(tmp_path, changed)
    assert "has 4 s by the clock" in (kit.path / "README").read_text()
    (kit.path / "all.bids").write_text("100 0 0 0 0 0 0 0 0\n")
    (kit.path / "sleeps.py").write_text("import time\ntime.sleep(30)\n")
    said = kit.play("all.bids", "sleeps.py")
    assert "there was no answer within 4 s" in said
    # The bids count as zeros, and one square is no line.
    assert "all: 0.5 points\nsleeps: 0.5 points\n" in said


@pytest.mark.slow
def test_the_kit_has_the_noise_and_the_payoffs_of_the_contest(tmp_path: Path) -> None:
    chosen = settings("cooperation", {"noise_percent": 20, "payoffs": (5, 3, 0, -2)})
    kit = unpacked(tmp_path, chosen)
    names = ("always_cooperate.sh", "two_tits.sh")
    at_home = kit.play("--seed", "s", *(f"programs/{name}" for name in names))
    path = tmp_path / "contest"
    create_contest(path, chosen).store.close()
    programs = [kit.path / "programs" / name for name in names]
    assert at_home == by_the_server("play", "-C", path, "--seed", "s", "--protocol", *programs)
    assert "C>B" in at_home


# --- what programs read, and templates ------------------------------------------------------------
@pytest.mark.parametrize(
    ("game", "program"),
    [
        ("cooperation", "two_tits.sh"),
        ("cooperation-legacy", "grudger.sh"),
        ("standoff", "trigger_happy.sh"),
        ("ultimate-tic-tac-toe", "first_open.sh"),
    ],
)
def test_sample_programs_answer_the_sample_states_as_the_readme_types_it(
    game: str, program: str, kit_for: Callable[[str], HomeKit]
) -> None:
    path = kit_for(game).path
    typed = "tail -n 1 states/game_1.txt | xargs python3 mybot.py"
    assert f"    {typed}\n" in (path / "README").read_text()
    command = typed.replace("python3 mybot.py", f"sh programs/{program}")
    done = subprocess.run(
        ["sh", "-c", command], cwd=path, stdout=subprocess.PIPE, text=True, check=True
    )
    rules = game_of(settings(game).game, settings(game).programs)
    rules.answer(rules.start(2), 0, done.stdout)  # raises ValueError for an answer that is none


@pytest.mark.parametrize("language", BOTS)
@pytest.mark.parametrize(
    "game",
    ["standoff", *map(slowly, ("cooperation", "cooperation-legacy", "ultimate-tic-tac-toe"))],
)
def test_the_templates_of_images_play(game: str, language: str, tmp_path: Path) -> None:
    tool = {"python": "python3", "javascript": "node", "java": "javac"}[language]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    kit = unpacked(tmp_path, settings(game, max_image_bytes=10**7))
    folder = kit.path / "images" / language
    assert sorted(path.name for path in folder.iterdir()) == sorted(["Dockerfile", BOTS[language]])
    dockerfile = (folder / "Dockerfile").read_text()
    assert f"COPY {BOTS[language]} /bot/" in dockerfile
    assert re.search(r'(?m)^ENTRYPOINT \["', dockerfile)
    assert "failed" not in kit.play(
        folder / BOTS[language], next((kit.path / "programs").glob("*.sh"))
    )


@pytest.mark.parametrize("language", ["python", slowly("javascript"), slowly("java")])
def test_only_folders_for_temporary_files_are_written_to(language: str, tmp_path: Path) -> None:
    """The sandbox's folders are not there at home, and a team can write to few others."""
    if shutil.which({"python": "python3", "javascript": "node", "java": "javac"}[language]) is None:
        pytest.skip(f"there is no compiler of {language}")
    kit = unpacked(tmp_path, settings("standoff", max_image_bytes=10**7))
    usual = "/tmp"  # noqa: S108 - the kit takes it, too
    (tmp_path / "scratch").mkdir()
    read_only = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    read_only += ["--bind", str(tmp_path / "scratch"), usual]
    bot = kit.path / "images" / language / BOTS[language]
    # The tests' own temporary folder may be in it.
    if kit.path.is_relative_to(usual):
        read_only += ["--ro-bind", str(tmp_path), str(tmp_path)]
    assert "failed" not in kit.play(bot, "programs/cautious.py", within=read_only)


# --- programs of several files --------------------------------------------------------------------
@pytest.mark.slow
def test_a_program_of_several_files_plays_at_home(
    tmp_path: Path, kit_for: Callable[[str], HomeKit]
) -> None:
    (tmp_path / "mine" / "src").mkdir(parents=True)
    (tmp_path / "mine" / "src" / "main.py").write_text("from answers import first\nprint(first)\n")
    (tmp_path / "mine" / "src" / "answers.py").write_text("first = 'C'\n")
    kit = kit_for("cooperation")
    told = kit.play("--seed", "s", tmp_path / "mine", "programs/always_cooperate.sh")
    assert "failed" not in told
    assert "mine: " in told


@pytest.mark.slow
def test_a_strategy_of_hog_imports_the_courses_files_at_home(
    tmp_path: Path, kit_for: Callable[[str], HomeKit]
) -> None:
    strategy = "from dice import six_sided\nfrom hog_contest.dice import make_fair_dice\n"
    strategy += "PLAYER_NAME = 'x'\ndef final_strategy(score, opponent_score):\n    return 4\n"
    (tmp_path / "final_strategy.py").write_text(strategy)
    told = kit_for("hog").play(tmp_path / "final_strategy.py", "programs/always_six.py")
    assert "final_strategy" in told
