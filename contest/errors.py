"""The error tree. Blame is a type: what a stranger did wrong is never raised, it is answered.

KnobelnError
├── TryAgain          something of ours or of the network failed for now; the same call may work later
│   ├── StoreBusy         the database is locked, full or unreachable
│   ├── EngineFailed      the engine process died, hung or answered nonsense (verdict INTERNAL)
│   ├── Paused            the contest day rests, by the organizer's word or after failures of ours
│   └── DeliveryDeferred  the relay said 4xx, or was not there
└── GiveUp            the same call will fail again until somebody changes something
    ├── ConfigError       contest.toml is missing, or says something that cannot be
    ├── ToolMissing       a program that we need is not installed (doctor says which and how to get it)
    ├── NotNow            the contest is in a phase in which this is not possible
    ├── NotFound          there is no such team, round, letter ...
    ├── SchemaMismatch    the database belongs to another version
    ├── Differs           an archive, or what was kept of a game, is not what it says
    └── DeliveryRefused   the relay said 5xx
"""


class KnobelnError(Exception):
    """Anything that we raise on purpose; the text is for the organiser."""


class TryAgain(KnobelnError):
    """Temporary: the same call may work later."""


class StoreBusy(TryAgain):
    """The database is locked, full or unreachable."""


class EngineFailed(TryAgain):
    """The engine process died, hung or answered nonsense. Never a team's fault."""


class Paused(TryAgain):
    """The contest day rests. What is being played is finished first, nothing is lost."""


class DeliveryDeferred(TryAgain):
    """The relay said 4xx, or could not be reached."""


class GiveUp(KnobelnError):
    """Permanent: fails again until somebody changes something."""


class ConfigError(GiveUp):
    """contest.toml is missing, or says something that cannot be."""


class ToolMissing(GiveUp):
    """A program that we need is not installed."""


class NotNow(GiveUp):
    """The contest is in a phase in which this is not possible."""


class NotFound(GiveUp):
    """There is no such team, round, letter ..."""


class SchemaMismatch(GiveUp):
    """The database belongs to another version of knobeln."""


class Differs(GiveUp):
    """An archive, or what was kept of a game, is not what it says; names the first difference."""


class DeliveryRefused(GiveUp):
    """The relay said 5xx: this letter will never be taken."""
