"""The data model of the contest: frozen dataclasses and enums. No SQL, no I/O.

Points are kept as *half points* (int) wherever a self-game may enter, because a strategy that plays itself
receives the mean of its two sides (K66); `points_text` shows them. Times are aware datetimes in UTC.
"""

from contest.model.games import Fault, GameJob, GameResult, Missing, Moves, SeatResult, SeatUsage, Verdict
from contest.model.ladder import (
    LadderEntry,
    LadderGame,
    LadderLine,
    LadderPlace,
    LadderRanking,
    StrategyFacts,
)
from contest.model.letters import (
    Attachment,
    Bounce,
    CountedAnswer,
    IncomingLetter,
    LetterQuestion,
    LetterState,
    Order,
    OrganizerRequest,
    OutboxState,
    Outgoing,
    Scope,
    StoredLetter,
)
from contest.model.programs import (
    BuildFacts,
    BuildReport,
    FileFacts,
    Finding,
    ImageFacts,
    MachineBuildReport,
    Practice,
    PracticeGame,
    PracticeState,
    ProgramsWaiting,
    Severity,
    Submission,
    SubmissionState,
    TableBuildReport,
    TextBuildReport,
    Trial,
)
from contest.model.teams import LANGUAGE_FIELD, Ban, BanKind, Member, Registration, Team, TeamState
from contest.model.tournament import (
    Certainty,
    ContestState,
    Entry,
    EvolutionEnding,
    EvolutionOutcome,
    EvolutionRank,
    Former,
    GroupOutcome,
    GroupPlan,
    LogLine,
    Match,
    Pairing,
    Pause,
    Phase,
    Rerun,
    RoundOutcome,
    RoundPlan,
    Standing,
    TeamCertainty,
    TimeChange,
    points_text,
)
