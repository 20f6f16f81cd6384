"""Programs: compiled, checked and tried as `knobeln serve` does it, against the bare calls of the compilers.

The house strategies wait in the queue of a contest, and the compile service builds them: gcc in the sandbox,
the checks, the trial game, the translation into native code, the report. The limit is what the compilers
alone take: the very same commands, noted in a run before, without sandboxes, on all cores. Both take turns.
"""

from __future__ import annotations

import logging
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

from bench.timing import Spent, spent
from contest.log import log
from contest.store import letters, submissions
from contest.subprocesses.engine_pool import cores
from knobellib.house import house_strategies
from knobeln.context import ContestContext
from knobeln.services import Services
from sandbox.limits import Usage
from sandbox.places import WORK
from sandbox.sandbox import Sandbox, SandboxResult
from sandbox.vm.translation import Translations
from tests.support.contest_field import NOW, add_team, make_contest, settings

RUNS = 3
PROGRAMS = 16
MAX_RATIO = 1.3
_BOX = "/box"


class Call(NamedTuple):
    """One call of a compiler, as the sandbox was asked for it."""

    command: Sequence[str]
    files: Mapping[str, bytes]
    environment: Mapping[str, str]


def main() -> None:
    log.least = logging.WARNING
    calls: list[Call] = []
    _ours(calls)
    runs: tuple[list[Spent], list[Spent]] = ([], [])
    for _run in range(RUNS):
        runs[0].append(_ours([]))
        runs[1].append(_bare(calls))
    print(f"{PROGRAMS} programs compiled, checked, tried and translated (medians of {RUNS} runs)")
    for what, unit in (("seconds", "s"), ("cpu_seconds", "s of processor time")):
        ours, bare = (median(getattr(run, what) for run in taken) for taken in runs)
        print(
            f"  {ours:.2f} {unit}   {len(calls)} calls of compilers alone, on {cores()} cores, {bare:.2f}"
            f"   ratio {ours / bare:.2f} (at most {MAX_RATIO})"
        )


def _ours(calls: list[Call]) -> Spent:
    """Build one program, with which the service makes itself ready, and then the others; note their calls."""
    with tempfile.TemporaryDirectory() as folder:
        contest = _contest(Path(folder) / "contest")
        kept = Translations(Path(folder) / "translations")
        with patch("compiler.builders.machine.translations", lambda: kept):
            services = Services(contest)
            services.compile_next_program(at_once=True)
            usages: list[Usage] = []
            with patch.object(Sandbox, "run", _noting(calls, usages)):
                taken = spent(lambda: _on_all_cores(lambda: _work_off(services)))
        with contest.store.read() as tx:
            assert submissions.count_with_program(tx) == PROGRAMS + 1, "a program was refused"
        contest.store.close()
    # What is done in a sandbox is not counted among our children.
    inside = sum(usage.cpu_seconds or 0.0 for usage in usages)
    return taken._replace(cpu_seconds=taken.cpu_seconds + inside)


def _work_off(services: Services) -> None:
    while services.compile_next_program(at_once=True):
        pass


def _on_all_cores(work: Callable[[], None]) -> None:
    with ThreadPoolExecutor(cores()) as pool:
        for done in [pool.submit(work) for _core in range(cores())]:
            done.result()


def _contest(path: Path) -> ContestContext:
    """A contest in which each team has sent another house strategy."""
    contest = make_contest(path, 0, {}, settings())
    with contest.store.write() as tx:
        for strategy in house_strategies()[: PROGRAMS + 1]:
            letter, _ = letters.add(
                tx, raw=strategy.name.encode(), sender="", recipients=(), channel="test", now=NOW
            )
            team = add_team(tx, strategy.name, "RSM")
            submissions.add(tx, team.id, letter, {"program.c": strategy.source.encode()}, NOW)
    return contest


def _noting(calls: list[Call], usages: list[Usage]) -> Any:
    run = Sandbox.run

    def noted(sandbox: Sandbox, command: Sequence[str], **more: Any) -> SandboxResult:
        calls.append(Call(command, more.get("files", {}), more.get("environment", {})))
        result = run(sandbox, command, **more)
        usages.append(result.usage)
        return result

    return noted


def _bare(calls: Sequence[Call]) -> Spent:
    with tempfile.TemporaryDirectory() as folder:
        ready = [_placed(call, Path(folder) / str(number)) for number, call in enumerate(calls)]

        def work() -> None:
            while ready:
                with suppress(IndexError):  # another thread was quicker
                    _call(*ready.pop())

        return spent(lambda: _on_all_cores(work))


def _placed(call: Call, folder: Path) -> tuple[list[str], Path, Mapping[str, str]]:
    """Write the files of the call below this folder, and have its command name them there."""
    places = {WORK: str(folder / "work"), _BOX: str(folder / "box")}
    for place in places.values():
        Path(place).mkdir(parents=True)

    def there(text: str) -> str:
        for place, instead in places.items():
            text = text.replace(f"{place}/", f"{instead}/")
        return text

    for name, data in call.files.items():
        Path(there(name)).write_bytes(data)
    return [there(word) for word in call.command], folder / "work", {**os.environ, **call.environment}


def _call(command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)


if __name__ == "__main__":
    main()
