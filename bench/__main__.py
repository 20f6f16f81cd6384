"""`make bench`: run every benchmark, one after the other."""

from __future__ import annotations

from bench import (
    cluster,
    contest_day,
    fuel,
    hog,
    letters_in,
    machine,
    mails_out,
    programs,
    receive,
    sandbox,
    talking,
)

STAGES = (
    letters_in,
    receive,
    programs,
    machine,
    contest_day,
    hog,
    sandbox,
    talking,
    fuel,
    cluster,
    mails_out,
)


def main() -> None:
    for stage in STAGES:
        stage.main()
        print(flush=True)


if __name__ == "__main__":
    main()
