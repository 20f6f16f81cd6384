"""`make bench`: every measurement, one after the other."""

from __future__ import annotations

from bench import contest_day, hog, machine


def main() -> None:
    machine.main()
    print()
    contest_day.main()
    print()
    hog.main()


if __name__ == "__main__":
    main()
