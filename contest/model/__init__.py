"""The data model of the contest: frozen dataclasses and enums. No SQL, no I/O.

Points are kept as *half points* (int) wherever a self-game may enter, because a strategy that plays
itself receives the mean of its two sides (K66); `points_text` shows them. Times are aware datetimes
in UTC.
"""

from contest.model.games import *
from contest.model.ladder import *
from contest.model.letters import *
from contest.model.programs import *
from contest.model.teams import *
from contest.model.tournament import *
