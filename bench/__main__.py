"""`python -m bench [STAGE]...`: all stages, or those that are named, as rows of one table."""

from __future__ import annotations

import sys

from bench import HEAD, bots, contest, mail

STAGES = {
    "letters": mail.letters_in,
    "mails": mail.mails_out,
    "programs": contest.programs,
    "machine": contest.machine,
    "day": contest.day,
    "sandbox": bots.sandbox,
    "counted": bots.counted,
}


def main() -> None:
    named = sys.argv[1:] or list(STAGES)
    if unknown := [name for name in named if name not in STAGES]:
        sys.exit(f"there is no stage {unknown[0]}; there are {', '.join(STAGES)}")
    print(HEAD)
    for name in named:
        STAGES[name]()


if __name__ == "__main__":
    main()
