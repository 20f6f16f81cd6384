"""Fuzzing the machine: `python tests/machine/machine_fuzz.py SECONDS [FOLDER]`, which is
`make fuzz`.

By libFuzzer where a clang has it, else by a driver of our own. Debian's clang has it in a package
of its own: libclang-rt-14-dev belongs to clang-14. The corpus is made of the house strategies and
of a few words of code; libFuzzer adds to it in FOLDER (build/fuzz). What breaks is left there as
crash-...
"""

import shutil
import subprocess
import sys
from pathlib import Path

from contest.subprocesses.c_programs import c_compiler
from knobellib.samples import house_strategies
from tests.support.fuzzed_images import build, run_driver, small_seeds, write_corpus
from tests.support.machine_compare import SANITIZERS
from tests.support.machine_programs import compiled

ROOT = Path(__file__).parents[2]
LONGEST = 65_536
NO_TARGET = b"int LLVMFuzzerTestOneInput (void) { return 0; }"


def main() -> None:
    seconds = int(sys.argv[1])
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "build" / "fuzz"
    images = [*small_seeds(), *(compiled(strategy.source) for strategy in house_strategies())]
    corpus = write_corpus(folder / "corpus", images)
    clang = clang_with_fuzzer()
    if clang is None:
        print("No clang here has libFuzzer; our own driver changes the images.")
        build(c_compiler(), ["-DDRIVER"], folder / "fuzz_image")
        print(run_driver(folder / "fuzz_image", seconds, 1, corpus), end="")
        return
    build(clang, ["-fsanitize=fuzzer"], folder / "fuzz_image")
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        "-timeout=10",
        "-print_final_stats=1",
    ]
    subprocess.run([folder / "fuzz_image", *options, folder / "corpus"], cwd=folder, check=True)


def clang_with_fuzzer() -> str | None:
    """The first clang that can link a fuzz target: each knows its own runtime libraries."""
    names = ("clang", *(f"clang-{version}" for version in range(22, 13, -1)))
    return next(filter(_links_a_target, filter(None, map(shutil.which, names))), None)


def _links_a_target(clang: str) -> bool:
    options = [*SANITIZERS, "-fsanitize=fuzzer", "-x", "c", "-", "-o", "/dev/null"]
    command = [clang, *options]
    return not subprocess.run(command, input=NO_TARGET, capture_output=True, check=False).returncode


if __name__ == "__main__":
    main()
