"""Contests of programs in C whose time is counted."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from compiler.builders.text import TextBuilder
from compiler.uploaded_files import take_apart
from contest import presets
from contest.config.settings import Settings
from contest.model import TextBuildReport
from contest.protocols import BuildResult
from sandbox.fuel import engine
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from tests.support.archives import Published, played, publish
from tests.support.contest_field import NOW

needs_engine = pytest.mark.skipif(not engine.is_installed(), reason="no engine that counts is installed")

MEMORY_BYTES = 32 * MB

MOODY = b"""/* betrays by chance, the more often the longer the game */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words)
{
    unsigned char drawn[2];
    getentropy(drawn, 2);
    puts(count > 1 && drawn[0] < 60 + 10 * strlen(words[1]) ? "B" : "C");
    return 0;
}
"""
"""For `cooperation`."""
FAILING = b"""/* divides by the number of rounds, and has no answer to the first; later it loops for ever */
#include <stdio.h>
#include <string.h>
int main(int count, char **words)
{
    volatile unsigned left = strlen(words[1]) - 2;
    if (left > 6)
        for (;;) left++;
    printf("%s\\n", 7 / left > 2 ? "C" : "B");
    return 0;
}
"""
"""For `cooperation`."""
LEARNING = b"""/* bids one dollar more from game to game: it lives through all of them */
#include <stdio.h>
#include <string.h>
int main(void)
{
    char line[4096];
    int games = 0, bid;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "gameover", 8))
            continue;
        bid = strncmp(line, "newgame", 7) ? 0 : ++games % 10;
        printf("%d %d %d %d %d %d %d %d %d\\n", bid, bid, bid, bid, bid, bid, bid, bid, bid);
        fflush(stdout);
    }
    return 0;
}
"""
"""For `bid-tac-toe`."""


@cache
def wasm_of(source: bytes) -> bytes:
    """The source in C as WebAssembly."""
    words = ["clang-14", "--target=wasm32-wasi", "-O2", "-s", "-x", "c", "-", "-o", "/dev/stdout"]
    return subprocess.run(words, input=source, stdout=subprocess.PIPE, check=True).stdout  # noqa: S603


def counted(source: bytes, file: str = "program.c") -> FuelProgram:
    return FuelProgram("C", file, {file: source}, MEMORY_BYTES, module=wasm_of(source))


def count_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contests count the time of programs in C."""
    rebuild = TextBuilder.rebuild

    def rebuild_counted(self: TextBuilder, files: Mapping[str, bytes], text: str) -> BuildResult[Any]:
        uploaded = take_apart(files, text)
        (file,) = uploaded.files
        if not file.endswith(".c") or self._settings.programs.clock != "fuel":
            return rebuild(self, files, text)
        program = counted(uploaded.files[file], file)
        report = TextBuildReport(
            findings=(),
            tool="clang-14",
            messages="",
            description_lines=uploaded.description_lines,
            source_digest=uploaded.digest_of(file),
            image_digest=program.digest,
            language="C",
            files=uploaded.facts,
            counted_by=program.engine,
        )
        return BuildResult(report, program, file)

    monkeypatch.setattr(TextBuilder, "rebuild", rebuild_counted)


def settings_of(game: str, fuel: int = 300_000_000, **tournament: object) -> Settings:
    chosen = presets.settings(game, NOW)
    programs = chosen.programs.model_copy(update={"clock": "fuel", "fuel": fuel, "description": "none"})
    return chosen.model_copy(
        update={"programs": programs, "tournament": chosen.tournament.model_copy(update=tournament)}
    )


def counted_contest(path: Path, game: str, sources: Mapping[str, bytes], **tournament: object) -> Published:
    """A contest of these programs, by their files' names, played and published."""
    field = {file.partition(".")[0]: {file: source} for file, source in sources.items()}
    contest, strings = played(path / "contest", settings_of(game, **tournament), field)
    return publish(contest, path / "archive", strings)
