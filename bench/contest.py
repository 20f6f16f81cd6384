"""A contest and its parts, beside their limits: programs, games on the contest machine, whole days.

- Programs are compiled, checked and tried as `knobeln serve` does it, up to the report; and then
  translated. The limit is a compiler alone, which makes an object file of each of them, on all
  cores.
- The machine's peer is the same source as unprotected native coroutines in one process. Both play
  the very same games, with the same random streams and referee; their digests are compared before
  anything is timed.
- The table of all programs of former contests has its games alone as its limit; both play in native
  code.
- A day goes from the freezing of the entries to the last report in the outbox. Its games alone, on
  the same engine, are the limit; the peer is Axelrod-Python with as many turns of TitForTat against
  TitForTat.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from io import BytesIO
from itertools import combinations, count
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench import Bench, Spent, children_seconds, output_of, spent
from compiler.build import build
from compiler.toolchain import Toolchain
from contest.games.knobeln import Rules
from contest.model import GameJob, RoundOutcome
from contest.schema.sections import Programs
from contest.seeds import Seeds
from contest.subprocesses.c_programs import c_compiler
from contest.subprocesses.engine_connection import read_answer
from contest.subprocesses.engine_pool import cores
from contest.util.log import log
from knobellib.samples import house_strategies
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from knobeln.native_code import translate_builds
from knobeln.services import Services
from sandbox.sandbox import ExitStatus, Sandbox
from sandbox.vm import engine_binary
from sandbox.vm.image import Image
from sandbox.vm.translation import Translations, translations
from store import letters, results, submissions
from store.results import Games
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW, SEED, House, add_team, make_contest, settings
from tournament.all_time import FormerProgram, all_time_table
from tournament.referee import Fixture, game_job
from tournament.runners import open_runner
from tournament.runners.knobeln_batch import Batch
from tournament.runners.machine import KNOBELN_SOURCES, MachineRunner, knobeln_engine

_RUNS = 5


# --- programs -------------------------------------------------------------------------------------
PROGRAMS = 16
_WITHOUT_BOX = (c_compiler(), "-std=gnu89", "-O2", "-w", "-c", "-o", "/dev/null", "-x", "c", "-")


def programs(bench: Bench) -> None:
    log.least = logging.WARNING
    for stage, is_translated in (("up to the report", False), ("with native code", True)):
        ways: Mapping[str, Callable[[], Spent]] = {
            "ours": partial(_compiled, is_translated),
            f"{PROGRAMS} calls of a compiler alone": _bare,
        }
        bench.compare(f"{PROGRAMS} programs compiled, checked, tried, {stage}", _RUNS, ways)


def _compiled(is_translated: bool) -> Spent:
    """Build one program, with which the service makes itself ready, and then the others."""
    inside: list[float] = []  # what is done in a sandbox is not counted among our children
    run = Sandbox.run

    def noted(sandbox: Sandbox, command: Sequence[str], **more: Any) -> ExitStatus:
        result = run(sandbox, command, **more)
        inside.append(result.usage.cpu_seconds or 0.0)
        return result

    with tempfile.TemporaryDirectory() as folder:
        contest = make_contest(Path(folder) / "contest", 0, {}, settings())
        with contest.store.write() as tx:
            for house in house_strategies()[: PROGRAMS + 1]:
                raw = house.name.encode()
                letter = letters.add(tx, raw=raw, sender="", recipients=(), channel="test", now=NOW)
                team = add_team(tx, house.name, "RSM")
                submissions.add(tx, team.id, letter, {"program.c": house.source.encode()}, NOW)
        empty_cache = Translations(Path(folder) / "translations")
        with patch("tournament.runners.machine.translations", lambda: empty_cache):
            services = Services(contest)
            services.compile_or_translate()
            step = services.compile_or_translate if is_translated else services.compile_next_program

            def work() -> None:
                while step():
                    pass

            with patch.object(Sandbox, "run", noted):
                taken = spent(lambda: _on_all_cores([work] * cores()))
        with contest.store.read() as tx:
            assert submissions.count_with_program(tx) == PROGRAMS + 1, "a program was refused"
        contest.store.close()
    return taken._replace(cpu_seconds=taken.cpu_seconds + sum(inside))


def _on_all_cores(work: Sequence[Callable[[], object]]) -> None:
    with ThreadPoolExecutor(cores()) as pool:
        for done in [pool.submit(job) for job in work]:
            done.result()


def _bare() -> Spent:
    sources = [house.source.encode() for house in house_strategies()[1 : PROGRAMS + 1]]
    calls = [partial(output_of, _WITHOUT_BOX, source) for source in sources]
    return spent(lambda: _on_all_cores(calls))


# --- the contest machine --------------------------------------------------------------------------
ROOT = Path(__file__).parents[1]
PEER = ROOT / "bench" / "native_coroutines"
MAX_INSTRUCTIONS = Programs().max_instructions
LIKE_STRATEGIES = (
    "-std=gnu89",
    "-O2",
    "-w",
    "-fno-builtin",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
)


def machine(bench: Bench) -> None:
    _compare_games(
        bench, "both programs like the example", (ROOT / "knobellib" / "example.c").read_text(), 500
    )
    _compare_games(bench, "both think long", (PEER / "heavy.c").read_text(), 20)


def _compare_games(bench: Bench, title: str, source: str, games: int) -> None:
    built = build(source, Programs(description="warn"), Toolchain())
    assert built.image is not None, built.report.findings
    jobs, digest = _complete_jobs(built.image, games), built.image.digest
    path = translations().add(built.image, Sandbox())
    batch = Batch(Rules(), MAX_INSTRUCTIONS, {digest: built.image}, {digest: path})
    with tempfile.TemporaryDirectory() as folder:
        native = _native(Path(folder), source)

        def on_the_machine(count: int) -> bytes:
            return output_of([knobeln_engine()], batch.header() + batch.chunk(jobs[:count]))

        def by_coroutines(count: int) -> bytes:
            return output_of(
                [native], b"".join(stream for job in jobs[:count] for stream in job.streams)
            )

        results = batch.results(jobs, read_answer(BytesIO(on_the_machine(games))))
        lines = [f"{r.digest} {r.turns} {r.seats[0].points} {r.seats[1].points}" for r in results]
        assert by_coroutines(games).decode().splitlines() == lines, "the two play different games"

        def seconds(play: Callable[[int], bytes]) -> Spent:
            """Without the time of a start."""
            taken = children_seconds(lambda: play(games)) - children_seconds(lambda: play(1))
            return Spent(taken, taken)

        players = {"ours": on_the_machine, "native coroutines": by_coroutines}
        ways = {name: partial(seconds, play) for name, play in players.items()}
        bench.compare(f"a game of 1,000 throws, {title}", _RUNS, ways, games - 1)


def _complete_jobs(image: Image, games: int) -> list[GameJob]:
    """Return games that go to the end. Sometimes example.c throws a forbidden 0, which ends its
    game."""
    seeds = Seeds(bytes(32))
    pairs = [
        (seeds.stream(f"game/{n}/seat/0"), seeds.stream(f"game/{n}/seat/1"))
        for n in range(2 * games)
    ]
    jobs = [GameJob((image.digest, image.digest), pair) for pair in pairs]
    results = MachineRunner({image.digest: image}, Rules(), MAX_INSTRUCTIONS).play(jobs)
    return [job for job, result in zip(jobs, results, strict=True) if result.is_flawless][:games]


def _native(folder: Path, source: str) -> Path:
    """Build the peer: the strategy and the library once for each seat, with the engine's
    referee."""
    compiler, engine = c_compiler(), engine_binary.SOURCES
    strategy = folder / "strategy.c"
    strategy.write_text(source)
    for seat, name in enumerate(("first", "second")):
        names = [f"-DSEAT={seat}", f"-DNAME(x)={name}_##x", f'-DSTRATEGY="{strategy}"']
        program = [str(PEER / "program.c"), "-o", str(folder / f"{name}.o")]
        subprocess.run([compiler, *LIKE_STRATEGIES, *names, "-c", *program], check=True)
    parts = [PEER / "coroutines.c", PEER / "switch.S", KNOBELN_SOURCES / "knobeln.c"]
    parts += [engine / "faults.c", engine / "machine.c", folder / "first.o", folder / "second.o"]
    options = [*engine_binary.FLAGS, f"-I{engine}", f"-I{KNOBELN_SOURCES}"]
    subprocess.run([compiler, *options, "-o", folder / "coroutines", *parts], check=True)
    return folder / "coroutines"


# --- the table of all programs --------------------------------------------------------------------
def all_time(bench: Bench) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        builds = {}
        for built in House(Path(scratch)).values():
            assert built.image is not None
            builds[built.image.digest] = built.image.to_bytes()
    translate_builds(builds)
    chosen = settings(workers=0)
    programs = [FormerProgram("bench", digest, digest, None) for digest in builds]
    jobs = [_job_of(pair) for pair in combinations(sorted(builds), 2)]

    def games_alone() -> Spent:
        with open_runner(builds, chosen, Seeds(SEED)) as runner:
            return spent(partial(runner, jobs))

    ways = {
        "ours": lambda: spent(lambda: all_time_table(programs, builds, chosen, open_runner)),
        "its games alone": games_alone,
    }
    bench.compare(f"table of {len(builds)} programs, all against all", 4 * _RUNS, ways)


def _job_of(pair: tuple[str, str]) -> GameJob:
    first, second = (Seeds(SEED).stream(f"{'/'.join(pair)}/{seat}") for seat in (0, 1))
    return GameJob(pair, (first, second), names=pair)


# --- contest days ---------------------------------------------------------------------------------
SIZES, LARGE = (41, 1_000), 10_000
QUICK_PROGRAMS = 8
THROWS, MATCHES = 1_000, 100  # of a game, and of Axelrod's in a run


def day(bench: Bench) -> None:
    _days(bench, SIZES[:1] if bench.is_quick else SIZES, _RUNS)


def large_day(bench: Bench) -> None:
    _days(bench, [LARGE], runs=1)


def _days(bench: Bench, sizes: Sequence[int], runs: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        house = House(Path(scratch))
        programs = house.first(QUICK_PROGRAMS) if bench.is_quick else dict(house)
        for built in programs.values():
            assert built.image is not None
            translations().add(built.image, Sandbox())
        for size in sizes:
            opened = Path(scratch) / f"opened-{size}"
            make_contest(opened, size, programs, settings(workers=0)).store.close()
            _compare_days(bench, size, opened, runs)


def _compare_days(bench: Bench, size: int, opened: Path, runs: int) -> None:
    import axelrod  # takes seconds

    numbers, played = count(), [opened]

    def once() -> Spent:
        played.append(opened.with_name(f"{opened.name}-{next(numbers)}"))
        shutil.copytree(opened, played[-1])
        contest = replace(ContestContext.open(played[-1]), clock=FixedClock(NOW))
        taken = spent(lambda: _play_day(contest))
        contest.store.close()
        return taken

    def turns() -> None:
        for _ in range(MATCHES):
            axelrod.Match((axelrod.TitForTat(), axelrod.TitForTat()), turns=THROWS).play()

    def as_many_turns() -> Spent:
        games = sum(
            len(group.matches) for outcome in _rounds(played[-1]) for group in outcome.groups
        )
        return spent(turns).per(MATCHES / games)

    ways = {
        "ours": once,
        "its games alone": lambda: _games_alone(played[-1]),
        "as many turns of Axelrod-Python": as_many_turns,
    }
    bench.compare(f"contest day of {size:,} teams", runs, ways)


def _play_day(contest: ContestContext) -> None:
    """The day, without the contests with other random numbers that follow its last round."""
    with patch("tournament.day.default_contests", return_value=None):
        contest_day(contest).run()


def _rounds(path: Path) -> tuple[RoundOutcome, ...]:
    contest = ContestContext.open(path)
    with contest.store.read() as tx:
        rounds = tuple(results.finished_rounds(tx, Games.ALL))
    contest.store.close()
    return rounds


def _games_alone(path: Path) -> Spent:
    """Play all games of the day again, without protocols."""
    seeds, rounds, contest = Seeds(SEED), _rounds(path), ContestContext.open(path)
    with contest.store.read() as tx:
        digests = {entry.name: entry.image_digest for entry in submissions.all_entries(tx)}
        raw = submissions.load_images(tx, tuple(digests.values()))
    contest.store.close()
    taken = []
    for outcome in rounds:
        matches = [match for group in outcome.groups for match in group.matches]
        number = outcome.plan.number
        jobs = [
            game_job(number, Fixture.of(match), digests, seeds, frozenset()) for match in matches
        ]
        with open_runner(raw, contest.settings, seeds) as runner:
            taken.append(spent(partial(runner, jobs)))
    return Spent(*map(sum, zip(*taken, strict=True)))
