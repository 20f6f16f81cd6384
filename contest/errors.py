"""The error tree. Blame is a type. Mistakes of strangers are never raised: they are answered by
mail.

KnobelnError
├── TryAgain          our machinery or the network failed for now; the same call may work later
│   ├── StoreBusy         the database is locked, full or unreachable
│   ├── EngineFailed      the engine process died, hung or answered nonsense (verdict INTERNAL)
│   ├── Stopped           this process ends, and with it what it had begun
│   ├── Paused            the organizer paused the contest day, or failures of ours did
│   └── DeliveryDeferred  the relay answered 4xx, or did not answer
└── GiveUp            the same call fails again until somebody changes something
    ├── ConfigError       contest.toml is missing or wrong
    ├── ToolMissing       a program that we need is not installed (`knobeln doctor` names it)
    ├── NotNow            the phase of the contest does not allow this
    ├── NotFound          there is no such team, round, letter ...
    ├── Differs           an archive or a stored game does not match what was computed
    └── DeliveryRefused   the relay answered 5xx
"""

from collections.abc import Mapping


class KnobelnError(Exception):
    """An error that we raise on purpose, for the organizer: what is wrong, and a hint what to do
    about it.

    `hint`: "" if there is none; the error's text is both, with a semicolon between them.
    """

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class TryAgain(KnobelnError):
    """Temporary: the same call may work later."""


class StoreBusy(TryAgain):
    """The database is locked, full or unreachable."""


class EngineFailed(TryAgain):
    """The engine process died, hung or answered nonsense. Never a team's fault.

    `program`: the digest of the program that its worker ran, "" if it ran none. `move`: names the
    move at which it failed; the same move of the same game has the same name again. `pace`: how
    many nanoseconds a unit of fuel took at least, if that was all that failed, also while the
    program was alone on the host.
    """

    def __init__(
        self,
        message: str = "",
        *,
        hint: str = "",
        program: str = "",
        move: str = "",
        pace: float = 0.0,
    ) -> None:
        super().__init__(message, hint=hint)
        self.program = program
        self.move = move
        self.pace = pace


class HostBusy(EngineFailed):
    """A compiler had no processor until its time by the clock was over."""


class Stopped(TryAgain):
    """This process ends. What it had begun is done again at the next start, and is no failure."""


class Paused(TryAgain):
    """The contest day is paused. Groups that are being played are finished first, so nothing is
    lost."""


class NumberAwaited(TryAgain):
    """The contest day waits for the public number."""


class DeliveryDeferred(TryAgain):
    """The relay answered 4xx, or could not be reached."""


class GiveUp(KnobelnError):
    """Permanent: the same call fails again until somebody changes something."""


class ConfigError(GiveUp):
    """contest.toml is missing or wrong."""


class ToolMissing(GiveUp):
    """A program that we need is not installed."""


class NotNow(GiveUp):
    """The phase of the contest does not allow this."""


class NotFound(GiveUp):
    """There is no such team, round, letter ..."""


class Differs(GiveUp):
    """An archive or a stored game does not match what was computed; the text names the first
    difference. `code`: the step of the check that found it, in `DIFFERENCES`
    (trust/archive/findings.py); "" before that is known."""

    code = ""


class DeliveryRefused(GiveUp):
    """The relay answered 5xx: it will never take this mail."""


# --- the exit codes of all commands ---------------------------------------------------------------
EX_OK = 0
EX_FAILED = 1
EX_USAGE = 2
EX_INCOMPLETE = 3
EX_DATAERR = 65
EX_SOFTWARE = 70
EX_TEMPFAIL = 75
EX_INTERRUPTED = 130

MEANINGS: Mapping[int, str] = {
    EX_OK: "Success.",
    EX_FAILED: (
        "An error that you must fix first; the message says why. `check`: the program would be"
        " rejected. `doctor`: a check failed. `verify`: something differs or, with `--strict`,"
        " has to be believed."
    ),
    EX_USAGE: "A usage error: an unknown command, option or value. Nothing was done.",
    EX_INCOMPLETE: (
        "`verify`: nothing differs, but something has to be believed. `check`: the program would be"
        " accepted, but failed its trial game."
    ),
    EX_DATAERR: (
        "`receive`: this is not a letter, or it or its headers are too large: do not try again."
    ),
    EX_SOFTWARE: "An unexpected error, with a traceback: please report it.",
    EX_TEMPFAIL: "A temporary error: the same command may work later.",
    EX_INTERRUPTED: "Interrupted, by Ctrl-C.",
}
"""What each tells the caller."""
