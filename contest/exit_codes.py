"""The exit codes of all commands, and what each tells the caller."""

from __future__ import annotations

from collections.abc import Mapping

EX_OK = 0
EX_FAILED = 1
EX_USAGE = 2
EX_INCOMPLETE = 3
EX_DATAERR = 65
EX_SOFTWARE = 70
EX_TEMPFAIL = 75
EX_FAULT = 125

MEANINGS: Mapping[int, str] = {
    EX_OK: "Success.",
    EX_FAILED: "An error that you must fix first; the message says why. `check`: the program would be "
    "rejected. `doctor`: a check failed. `verify`: something differs or, with `--strict`, cannot be checked.",
    EX_USAGE: "A usage error: an unknown command, option or value. Nothing was done.",
    EX_INCOMPLETE: "`verify`: all that was checked is the same, but this host could not check everything.",
    EX_DATAERR: "`receive`: this is not a letter, or it or its headers are too large: do not try again.",
    EX_SOFTWARE: "An unexpected error, with a traceback: please report it.",
    EX_TEMPFAIL: "A temporary error: the same command may work later.",
    EX_FAULT: "`machine run`: the program had a fault. Any other code is the program's own.",
}
