"""Where translations are kept, which the engine takes, and what an evil one could do: nothing."""

import os
import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from contest.errors import EngineFailed
from contest.games.knobeln import Rules
from contest.model import GameJob, GameResult
from contest.subprocesses.c_programs import c_compiler, c_program
from knobellib.samples import house_strategies
from sandbox.sandbox import Limits, Sandbox
from sandbox.vm import engine_binary, translation
from sandbox.vm.image import Image
from sandbox.vm.translation import FLAGS, NotTranslated, Translations
from tests.support.fuzzed_images import build, run_driver, small_seeds, write_corpus
from tests.support.machine_assembler import ECALL, immediate, jal
from tests.support.machine_compare import SANITIZERS
from tests.support.machine_programs import EXAMPLE, FAULTS, assembled, compiled, stream, throwing
from tournament.runners.knobeln_batch import Batch
from tournament.runners.machine import KNOBELN_SOURCES, MachineRunner, knobeln_engine

RULES = Rules(L=50)
FUEL = 1_000_000
HEADERS = (engine_binary.SOURCES, engine_binary.SOURCES.parent / "translator")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Translations:
    """An empty place for translations, which arenas use, too."""
    monkeypatch.setattr(
        "tournament.runners.machine.translations", lambda: Translations(tmp_path / "kept")
    )
    return Translations(tmp_path / "kept")


@pytest.fixture(scope="module")
def example() -> Image:
    return compiled(EXAMPLE.read_text())


def _jobs(*images: Image) -> list[GameJob]:
    pairs = [(a.digest, b.digest) for a in images for b in images]
    return [
        GameJob(pair, (stream(f"{n}/0"), stream(f"{n}/1")), protocol=n % 2 == 0)
        for n, pair in enumerate(pairs)
    ]


def _played(*images: Image, workers: int = 1, translated: bool = True) -> list[GameResult]:
    by_digest = {image.digest: image for image in images}
    return list(
        MachineRunner(by_digest, RULES, FUEL, workers, translated=translated).play(_jobs(*images))
    )


# --- the same results -----------------------------------------------------------------------------
@pytest.mark.slow
def test_results_depend_neither_on_translations_nor_on_workers(
    cache: Translations, example: Image
) -> None:
    names = ("echo", "gambler", "squatter")
    house = [compiled(strategy.source) for strategy in house_strategies() if strategy.name in names]
    broken = [
        compiled(FAULTS[name][0])
        for name in ("endless after a throw", "recursion", "reads address 0")
    ]
    images = [example, *house, *broken, throwing([7] * 50)]
    expected = _played(*images, translated=False)
    for image in images[:-1]:
        cache.add(image, Sandbox())
    for workers in (1, 2, 4):
        assert _played(*images, workers=workers) == expected
        assert _played(*images, workers=workers, translated=False) == expected


# --- the folder -----------------------------------------------------------------------------------
def test_a_translation_is_made_once_and_found_again(cache: Translations, example: Image) -> None:
    assert cache.found([example]) == {}
    path = cache.add(example, Sandbox())
    written = path.stat()
    assert cache.add(example, Sandbox()) == path
    assert cache.found([example]) == {example.digest: path}
    assert path.stat() == written
    assert list(cache.folder.iterdir()) == [path]
    assert cache.folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_in_one_that_others_can_write_is_not_used(
    cache: Translations, example: Image, tmp_path: Path
) -> None:
    cache.add(example, Sandbox())
    tmp_path.chmod(0o777)
    assert cache.found([example]) == {}
    with pytest.raises(NotTranslated, match="chmod go-w"):
        cache.add(example, Sandbox())
    tmp_path.chmod(0o1777)  # as /tmp is
    assert list(cache.found([example])) == [example.digest]


# --- what cannot be translated --------------------------------------------------------------------
def test_a_program_that_is_too_large_stays_with_the_interpreter(cache: Translations) -> None:
    large = assembled([immediate("addi", 17, 0, 1), ECALL, jal(0, -8), *[0x13] * 70_000])
    with pytest.raises(NotTranslated, match="70,003 instructions"):
        cache.add(large, Sandbox())
    assert _played(large)[0].turns == 0


def test_a_program_that_takes_the_compiler_too_long_stays_with_the_interpreter(
    cache: Translations, example: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation, "LIMITS", Limits(address_space_bytes=32 * 1024 * 1024))
    with pytest.raises(NotTranslated, match="did not translate"):
        cache.add(example, Sandbox())
    assert not cache.folder.exists()


@pytest.mark.slow
@pytest.mark.night
def test_jumps_that_cross_each_other_are_translated_with_less_care_instead_of_not_at_all(
    cache: Translations,
) -> None:
    # At 10,000 lexical elements; gcc -O2 would take more than the processor time that there is for
    # all.
    chance = random.Random(5)  # noqa: S311 - a repeatable program, no secret
    pairs = ((chance.choice("abcd"), chance.randrange(700)) for _ in range(760))
    jumps = "\n".join(f"L{n}: if ({v}++ & 1) goto L{to};" for n, (v, to) in enumerate(pairs))
    source = (
        f"int a, b, c, d; main () {{ for (;;) {{ {jumps} make_throw ((a + b + c + d & 1023) + 1);"
        " } }"
    )
    crossing = compiled(source)
    expected = _played(crossing, translated=False)
    assert cache.add(crossing, Sandbox()).is_file()
    assert _played(crossing) == expected


# --- what the engine takes ------------------------------------------------------------------------
def test_a_damaged_or_foreign_file_is_not_run(cache: Translations, example: Image) -> None:
    path = cache.add(example, Sandbox())
    good = path.read_bytes()
    expected = _played(example, translated=False)
    other = replace(example, static_size=example.static_size + 16)
    for bad in (b"", good[:40], b"\0" * len(good), translation.compiled(other, Sandbox())):
        path.write_bytes(bad)
        assert cache.found([example]) == {}
        assert _played(example) == expected
        assert cache.add(example, Sandbox()).read_bytes() == good
    for bad in (good[:40], translation.compiled(other, Sandbox())):
        kept = cache.keep(example, bad)  # even if somebody noted a digest that fits
        path.unlink()
        assert list(cache.found([example]).values()) == [kept]
        assert _played(example) == expected
        kept.unlink()
        path.write_bytes(good)
    path.chmod(0o666)
    assert _played(example) == expected
    path.unlink()
    path.symlink_to("/usr/bin/true")
    assert _played(example) == expected


EVIL = """
#define COUNT 1u
#include "native.h"
HEAD (%du, %du, %du);
static const char path[] = "/etc/passwd";
TRANSLATION
{
  long result = %s;
  __asm__ volatile ("syscall" : "+a" (result) : "D" (%s), "S" (%s), "d" (%s) : "rcx", "r11",
  "memory");
  machine->x[REGISTER_A0] = 7;
  return STOP_THROW;
}
"""
ATTEMPTS = {
    "open": ("2", "path", "0L", "0L"),
    "socket": ("41", "2L", "1L", "0L"),
    "kill": ("62", "1L", "9L", "0L"),
    "executable memory": ("10", "machine", "4096L", "7L"),
}


def _evil_translation(image: Image, attempt: str, folder: Path) -> bytes:
    """Native code that makes a system call in the middle of a game."""
    facts = (image.entry, len(image.code), image.static_size)
    (folder / "evil.c").write_text(EVIL % (*facts, *ATTEMPTS[attempt]))
    flags = [flag.replace("/box", str(HEADERS[1])) for flag in FLAGS]
    includes = [f"-I{header}" for header in HEADERS]
    command = [c_compiler(), *flags, "-O1", *includes, folder / "evil.c", "-o", folder / "evil"]
    subprocess.run(command, check=True)
    return (folder / "evil").read_bytes()


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the system calls are those of x86_64")
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_native_code_in_the_engine_can_open_start_and_send_nothing(
    cache: Translations, tmp_path: Path, attempt: str
) -> None:
    # Whatever a translation did, it would find the door locked; and the game would be nobody's
    # failure.
    image = throwing([7] * 50)
    cache.keep(image, _evil_translation(image, attempt, tmp_path))
    with pytest.raises(EngineFailed, match="4 times running: ended with -31"):  # SIGSYS
        _played(image)


# --- the sanitizers -------------------------------------------------------------------------------
@pytest.mark.slow
def test_the_engine_plays_under_the_sanitizers(
    cache: Translations, example: Image, tmp_path: Path
) -> None:
    broken = [compiled(source) for source, _verdict, _reason in FAULTS.values()]
    images = {image.digest: image for image in (example, throwing([7] * 50), *broken)}
    batch = Batch(RULES, FUEL, images, {example.digest: cache.add(example, Sandbox())})
    jobs = [job for image in images.values() for job in _jobs(example, image)[1:3]]
    order = batch.header() + batch.chunk(jobs)
    flags = (*engine_binary.FLAGS, *SANITIZERS)
    sanitized = c_program(engine_binary.SOURCES, flags, tmp_path / "engines", more=KNOBELN_SOURCES)
    # at the end, for which the lock has no system calls
    options = {"ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([sanitized], input=order, capture_output=True, check=False, env=options)
    assert (done.returncode, done.stderr) == (0, b"")
    plain = subprocess.run([knobeln_engine()], input=order, capture_output=True, check=True)
    assert done.stdout == plain.stdout


@pytest.mark.slow
def test_random_images_break_nothing(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", small_seeds())
    build(c_compiler(), ["-DDRIVER"], tmp_path / "fuzz_image")
    assert int(run_driver(tmp_path / "fuzz_image", 1, 1994, corpus).split()[0]) >= 150
