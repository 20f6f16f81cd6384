"""`make bench`: run every benchmark, one after the other."""

from __future__ import annotations

from bench import contest_day, hog, letters_in, machine, sandbox_start


def main() -> None:
    machine.main()
    print()
    contest_day.main()
    print()
    hog.main()
    print()
    letters_in.main()
    print()
    sandbox_start.main()


if __name__ == "__main__":
    main()
