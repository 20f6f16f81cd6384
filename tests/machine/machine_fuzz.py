"""Fuzzing the machine: `python tests/machine/machine_fuzz.py SECONDS [FOLDER]`, which is
`make fuzz`.

With clang by libFuzzer, without it by a driver of our own. The corpus is made of the house
strategies and of a few words of code; libFuzzer adds to it in FOLDER (build/fuzz). What breaks is
left there as crash-...
"""

import shutil
import subprocess
import sys
from pathlib import Path

from contest.subprocesses.c_programs import c_compiler
from knobellib.samples import house_strategies
from tests.support.fuzzed_images import build, run_driver, small_seeds, write_corpus
from tests.support.machine_programs import compiled

ROOT = Path(__file__).parents[2]
LONGEST = 65_536


def main() -> None:
    seconds = int(sys.argv[1])
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "build" / "fuzz"
    images = [*small_seeds(), *(compiled(strategy.source) for strategy in house_strategies())]
    corpus = write_corpus(folder / "corpus", images)
    clang = next(
        filter(None, map(shutil.which, ("clang", "clang-19", "clang-16", "clang-14"))), None
    )
    if clang is None:
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


if __name__ == "__main__":
    main()
