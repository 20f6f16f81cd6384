"""`python -m bench [--quick] [STAGE]...`: the usual stages, or those that are named, as a table.

It ends with 1 if a ratio is worse than docs/performance.md promises by more than 20 %. With
`--quick` the usual stages take less than a minute together, and their ratios are only printed.
"""

from __future__ import annotations

import sys

from bench import HEAD, Bench, bots, contest, mail

STAGES = {
    "letters": mail.letters_in,
    "mails": mail.mails_out,
    "programs": contest.programs,
    "machine": contest.machine,
    "all-time": contest.all_time,
    "day": contest.day,
    "sandbox": bots.sandbox,
    "counted": bots.counted,
    "large": contest.large_day,
}
USUAL = [name for name in STAGES if name != "large"]  # it takes minutes


def main() -> None:
    words = sys.argv[1:]
    named = [word for word in words if word != "--quick"] or USUAL
    if unknown := [name for name in named if name not in STAGES]:
        sys.exit(f"there is no stage {unknown[0]}; there are {', '.join(STAGES)}")
    bench = Bench(is_quick="--quick" in words)
    print(HEAD)
    for name in named:
        STAGES[name](bench)
    if bench.worse and not bench.is_quick:
        sys.exit("worse than docs/performance.md promises: " + "; ".join(bench.worse))


if __name__ == "__main__":
    main()
