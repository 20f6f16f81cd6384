"""The words of the contest: frozen dataclasses and enums. No SQL, no I/O.

Points are kept as *half points* (int) wherever a self-game may enter, because a strategy that plays itself
receives the mean of its two sides (K66); `points_text` shows them. Times are aware datetimes in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

_MILLIONTHS = 1_000_000


# --- teams ------------------------------------------------------------------------------------------------
class MailPreference(StrEnum):
    """What a team may ask for: KNOBELN's announcement's in its order (K30), then those of other contests."""

    LAP = "LAP"
    LGP = "LGP"
    DGP = "DGP"
    GRP = "GRP"
    GRG = "GRG"
    GRR = "GRR"
    RSM = "RSM"
    OWN = "OWN"
    BRK = "BRK"

    @property
    def meaning(self) -> str:
        return _PREFERENCE_MEANINGS[self]


_PREFERENCE_MEANINGS = {
    MailPreference.LAP: "send list of all participants (full registration format)",
    MailPreference.LGP: "send list of my groups' participants (team names only)",
    MailPreference.DGP: "send detailed game protocol for each of my games (every move)",
    MailPreference.GRP: "send game result (points) for each of my games",
    MailPreference.GRG: "send group result (all games of all participants)",
    MailPreference.GRR: "send group result (ranking)",
    MailPreference.RSM: "send summaries of rounds (includes all group rankings)",
    MailPreference.OWN: "send my own result (place and points) at the end",
    MailPreference.BRK: "send the bracket after each round",
}
USUAL_PREFERENCES = tuple(MailPreference)[:7]
"""Those of KNOBELN's announcement, which a contest offers unless it says otherwise."""


@dataclass(frozen=True)
class Member:
    """One person of a team: the two-line informal description of K35.

    Where a contest asks for one line a member (B21), `occupation` is what stands behind the name, `age` is
    None and `background` empty.
    """

    name: str
    age: int | None
    occupation: str
    background: str


@dataclass(frozen=True)
class Registration:
    """What a team wrote into the form (K25), read and found well-formed.

    `fields`: names and values of the contest's own fields, in the form's order; one left empty is not there.
    """

    address: str
    preferences: tuple[MailPreference, ...]
    team_name: str
    organization: str
    members: tuple[Member, ...]
    fields: tuple[tuple[str, str], ...] = ()

    def field(self, name: str) -> str:
        """The value of the contest's own field of this name; "" = none was given."""
        return dict(self.fields).get(name, "")


class TeamState(StrEnum):
    PENDING = "pending"  # waits for the organiser's word; a rejected registration is taken out again
    ACTIVE = "active"
    WITHDRAWN = "withdrawn"  # by its own letter before the start; registering again brings it back


@dataclass(frozen=True)
class Team:
    """A registered team. `registration.team_name` counts; `requested_name` is what it asked for."""

    id: int
    registration: Registration
    requested_name: str
    state: TeamState
    registered_at: datetime
    flags: tuple[str, ...] = ()  # remarks for the organiser, e.g. people shared with another team (K36)
    is_friendly: bool = False  # other teams may play friendly matches against it

    @property
    def name(self) -> str:
        return self.registration.team_name

    @property
    def address(self) -> str:
        return self.registration.address


class BanKind(StrEnum):
    """Why a team that has registered takes no part (any more), by the organizer's hand."""

    DISQUALIFIED = "disqualified"
    DROPPED = "dropped"  # at its own request


@dataclass(frozen=True)
class Ban:
    """A team is out of the contest until this is lifted."""

    id: int
    team_id: int
    kind: BanKind
    reason: str
    at: datetime


# --- letters and mails ------------------------------------------------------------------------------------
class LetterState(StrEnum):
    NEW = "new"  # durable, not yet looked at
    HANDLED = "handled"  # its effect and its answer are committed
    IGNORED = "ignored"  # deliberately without effect: bounce, loop, automatic answer, duplicate
    FAILED = "failed"  # our handler broke; set aside with its traceback, `knobeln letters retry`


@dataclass(frozen=True)
class StoredLetter:
    """A letter as it arrived, byte for byte."""

    id: int
    digest: str  # sha256 of the raw letter, in hex
    received_at: datetime
    sender: str  # envelope sender, "" for the null sender or when unknown
    recipients: tuple[str, ...]
    channel: str  # smtp, receive, ...
    state: LetterState
    raw: bytes


@dataclass(frozen=True)
class Attachment:
    """A file that goes with an outgoing mail."""

    name: str
    media_type: str  # "text/x-csrc", "application/gzip"
    data: bytes


@dataclass(frozen=True)
class Outgoing:
    """One mail to one recipient, not yet composed. A second mail with the same `key` is dropped."""

    key: str
    kind: str  # "registration accepted", "compile report", "LAP", "GRR" ...
    to: str
    subject: str
    body: str
    team_id: int | None = None
    attachments: tuple[Attachment, ...] = ()
    in_reply_to: str | None = None  # the Message-ID that this answers
    letter_id: int | None = None  # the letter that this answers
    cause: str | None = None  # the address that wrote it; counts against its limits as well as against `to`'s
    broadcast: bool = False  # one of the reports that a team ordered and can order off


class OutboxState(StrEnum):
    READY = "ready"
    HELD = "held"  # the organizer keeps it back
    SENT = "sent"
    FAILED = "failed"  # refused for good (5xx), or given up
    BOUNCED = "bounced"  # it was sent and came back


@dataclass(frozen=True)
class Bounce:
    """A letter that says that a mail of ours did not arrive, or (not `permanent`) not yet."""

    letter_id: int
    at: datetime
    permanent: bool
    diagnosis: str  # the other mail system's words, in one line


# --- programs ---------------------------------------------------------------------------------------------
class SubmissionState(StrEnum):
    QUEUED = "queued"
    BUILT = "built"
    REPLACED = "replaced"  # never compiled: its team sent too many in an hour, and a newer one took its turn
    SET_ASIDE = "set aside"  # our compiler service broke on it; `knobeln letters retry` puts it back


@dataclass(frozen=True)
class HillGame:
    """A game of two versions on the standing hill, with the points of each. Who failed got none, and where a
    failure discards the game neither did."""

    first: int  # build ids, the lower one first
    second: int
    points: tuple[int, int]
    failed: tuple[bool, bool]


@dataclass(frozen=True)
class HillLine:
    """A line of the hill's ranking. `points` are the mean of its games, as people count."""

    rank: int
    team: str
    version: int
    games: int
    points: float
    failures: int


@dataclass(frozen=True)
class HillRanking:
    """The hill as it stood from `at` on, the best first."""

    id: int
    at: datetime
    lines: tuple[HillLine, ...]
    mailed_at: datetime | None


class PracticeState(StrEnum):
    QUEUED = "queued"
    PLAYED = "played"
    SET_ASIDE = "set aside"  # our service broke on it; `knobeln letters retry` puts it back


@dataclass(frozen=True)
class Practice:
    """What a team asked to be tried, without any consequence for the contest.

    Either `files`, a program against our own ones, or `other_id`, a match of the two teams' latest versions.
    """

    id: int
    team_id: int
    other_id: int | None
    letter_id: int
    files: Mapping[str, bytes]
    program: str = ""  # the name of the program among the files where it is known
    repairs: tuple[str, ...] = ()
    reply_to: str | None = None


@dataclass(frozen=True)
class PracticeGame:
    """One game of practice: the asking team has the first seat, `opponents` the others."""

    opponents: tuple[str, ...]
    result: GameResult


@dataclass(frozen=True)
class Submission:
    """One mailed program. `number` counts a team's submissions from 1, in order of arrival (K47).

    The files are as they were sent: the authentification string is still in one of them.
    """

    id: int
    team_id: int
    letter_id: int
    number: int
    received_at: datetime
    files: Mapping[str, bytes] = field(repr=False)  # by name
    program: str  # the name of the program among them, "" while it is not known
    description: str  # the letter's own words about it (B21), "" where they stand in the program
    state: SubmissionState


class Severity(StrEnum):
    ERROR = "error"  # the program is rejected
    WARNING = "warning"  # it is accepted, and the report says so
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """Something a compile rule found. Lines count from 1 in the program as sent; 0 = no particular line."""

    rule: str  # "include", "description", "forbidden routine" ...
    severity: Severity
    line: int
    text: str
    quote: str = ""  # the offending line, shortened


@dataclass(frozen=True)
class Trial:
    """How a program did in its one trial game; it has the first seat, its opponents the others."""

    opponent: str  # its name, or their names
    result: GameResult

    @property
    def failed(self) -> bool:
        """The program did what the rules forbid."""
        return self.result.seats[0].verdict.is_charged


@dataclass(frozen=True)
class ImageFacts:
    """A container image that plays for a team (M11)."""

    digest: str  # sha256 in hex: of the archive, or the id that podman or docker knows it by
    platform: str  # e.g. "linux/amd64"
    layers: int
    unpacked_bytes: int
    command: tuple[str, ...]  # the words before the move's arguments
    name: str = ""  # by which the organizer has pulled it; "" = it came as an archive


@dataclass(frozen=True)
class FileFacts:
    """A file as it was sent; its sha256 in hex."""

    name: str
    size: int  # bytes
    digest: str


@dataclass(frozen=True)
class BuildReport:
    """Everything that a compile report says. Memory figures in bytes.

    Elements, memory and code are known of programs for the contest machine alone; their limits are None for
    the others.
    """

    findings: tuple[Finding, ...]
    tool: str  # the compiler or interpreter: what it says of its version
    messages: str  # the compiler's own words, cleaned and shortened
    elements: int | None  # lexical elements, None where the preprocessor already failed (K46)
    element_limit: int | None
    description_lines: int  # without blank ones
    static_bytes: int | None  # data and bss; None where it did not link
    memory_limit: int | None
    code_bytes: int | None
    source_digest: str  # sha256 of the program as compiled, in hex
    image_digest: str | None
    trial: Trial | None = None
    language: str = "C"  # "" where no file was recognised as a program
    files: tuple[FileFacts, ...] = ()
    said: str = ""  # the end of the trial's standard error, for the program's own team only
    source_bytes: int = 0  # of all files that count for the goal (H8)
    goal: int | None = None  # of a Hog strategy: the score that it has to reach
    player_name: str = ""  # of a Hog strategy: its PLAYER_NAME
    trial_rates: tuple[tuple[str, float], ...] = ()  # of a Hog strategy: how often it beats these samples
    image: ImageFacts | None = None  # of a container image that plays in place of a program

    @property
    def accepted(self) -> bool:
        return self.image_digest is not None and not any(f.severity is Severity.ERROR for f in self.findings)


@dataclass(frozen=True)
class BoardLine:
    """A line of the leaderboard of a contest that is computed exactly (H12)."""

    rank: int
    team: str
    player_name: str
    version: int
    source_bytes: int
    goal: int
    match_points: int


@dataclass(frozen=True)
class BoardPlace:
    """Where one team stands on the leaderboard."""

    line: BoardLine
    entrants: int
    beaten_by: tuple[str, ...]  # teams that win a match point against it


# --- games ------------------------------------------------------------------------------------------------
class Verdict(StrEnum):
    """How a player left a game. INTERNAL is our fault and never counts against a team."""

    OK = "OK"
    TIME = "TIME"  # more instructions than the limit
    MEMORY = "MEMORY"  # the stack left the memory
    CRASH = "CRASH"  # any other fault of the machine
    ILLEGAL_MOVE = "ILLEGAL_MOVE"  # out of range, or a drop in a series that is too short
    PROTOCOL = "PROTOCOL"  # left before the last throw, or used a door that does not exist
    INTERNAL = "INTERNAL"

    @property
    def is_charged(self) -> bool:
        """The player did what the rules forbid; a failure of ours is nobody's (K75)."""
        return self not in (Verdict.OK, Verdict.INTERNAL)


_OK = Verdict.OK  # an enumeration takes its time to look its members up


@dataclass(frozen=True)
class Fault:
    """What a player did that the rules forbid, in a sentence for its team."""

    turn: int  # the turn in which it happened, from 1; of KNOBELN the throw
    reason: str  # e.g. "throw 17 was 0, outside 1..12288"
    said: str = ""  # the end of what the program wrote to its standard error; for its own team only


@dataclass(frozen=True)
class SeatResult:
    """One side of one game. On the contest machine instructions are counted, and memory in bytes."""

    points: int
    verdict: Verdict  # of its first fault
    fault: Fault | None  # the first
    instructions: int = 0
    memory: int = 0  # bytes of static data and stack that were in use at the most
    faults: int = 0  # how many turns it was at fault in, where a game goes on after a fault
    last_turn: int = 0  # the last in which it was asked for a move in words: when it fell, where players fall
    said: str = ""  # in a trial: the end of what it wrote to its standard error; for its own team only


@dataclass(frozen=True)
class Missing:
    """In the place of the move of a seat that was at fault."""

    instead: str = ""  # the move that the rules made for it, in words; "" = none
    kind: str = ""  # what was wrong, in a word of the players; "" = not known


Moves = tuple[int | str | Missing | None, ...]
"""What each seat did in a turn: a throw, or a move in words; None where it was not asked."""


@dataclass(frozen=True)
class GameResult:
    """One game, seat by seat. `moves` is filled only where they were asked for."""

    seats: tuple[SeatResult, ...]
    turns: int  # that were played to their end
    digest: str  # 16 hex digits over all moves, to compare a replay with
    moves: Sequence[Moves] | None = None
    is_whole: bool = True  # a trial that took too long is not: its points say nothing

    @property
    def is_flawless(self) -> bool:
        """Nobody was at fault."""
        for seat in self.seats:  # noqa: SIM110 - `all` takes twice as long, and this is asked often
            if seat.verdict is not _OK:
                return False
        return True


@dataclass(frozen=True)
class GameJob:
    """A game to be played, seat by seat: programs by the digests of their images, and random streams."""

    images: tuple[str, ...]
    streams: tuple[bytes, ...]  # 16 bytes each
    protocol: bool = False
    names: tuple[str, ...] = ()  # by which the players know each other, in games that tell them
    is_trial: bool = False  # in words: broken off when it takes long, and it tells what its programs said


# --- the tournament ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Entry:
    """A team's program as frozen for the contest day. `name` is the team's; it names the entry everywhere."""

    name: str
    team_id: int
    build_id: int
    image_digest: str


@dataclass(frozen=True, order=True)
class Pairing:
    """Entries that meet, in the order of their seats; the same name twice is a self-game (K65).

    They play `games` games, and then, one by one, more while the best are equal, up to `most` (U11). With
    every further game each player moves up a seat, so that of two each begins every other game.
    """

    players: tuple[str, ...]
    games: int = 1
    most: int = 0  # 0 = no more than `games`

    def __hash__(self) -> int:
        return hash(self.players)  # enough to tell them apart, in a third of the time

    @property
    def is_self(self) -> bool:
        players = self.players
        return players[0] == players[1] if len(players) == 2 else len(set(players)) < len(players)

    def seating(self, game: int) -> tuple[str, ...]:
        """Who sits where in this game of the pairing, which count from 1."""
        shift = (game - 1) % len(self.players)
        if not shift:
            return self.players
        return self.players[shift:] + self.players[:shift]


@dataclass(frozen=True)
class Match:
    """One attempt at one game of a pairing, as it was played."""

    pairing: Pairing
    attempt: int  # from 1; a rescheduled game is attempt 2 and so on (K74)
    result: GameResult
    counted: bool  # it stands: it was not discarded, and nobody in it is disqualified in this round (K73)
    game: int = 1

    @property
    def players(self) -> tuple[str, ...]:
        """By seat, as in `result.seats`."""
        return self.pairing.players if self.game == 1 else self.pairing.seating(self.game)

    @property
    def is_discarded(self) -> bool:
        """Somebody failed, and the rules of the game say that it is played again (K72)."""
        return not self.counted and not self.result.is_flawless

    @property
    def sides(self) -> tuple[tuple[str, SeatResult], ...]:
        """Each player with what became of him; in a self-game the same twice."""
        return tuple(zip(self.players, self.result.seats, strict=True))


@dataclass(frozen=True)
class Standing:
    """A line of a group's ranking. The disqualified have no rank and no points (K73)."""

    entry: str
    half_points: int
    rank: int | None
    failures: int
    disqualified: bool
    advances: bool

    @property
    def taken_out(self) -> bool:
        """Disqualified without having failed: by the organizer, or at its own wish."""
        return self.disqualified and not self.failures

    @property
    def fate(self) -> str:
        """What becomes of it, for tables; "" where rank and points say all."""
        if self.disqualified:
            return "taken out" if self.taken_out else "disqualified"
        return "proceeds" if self.advances else ""


@dataclass(frozen=True)
class GroupPlan:
    """A group as drawn: who is in it, and who meets whom. Numbers count from 1."""

    round: int
    number: int
    members: tuple[str, ...]  # in the order of the draw
    pairings: tuple[Pairing, ...]
    title: str = ""  # where in the contest it is, e.g. "losers' side"; "" where the numbers say it all


@dataclass(frozen=True)
class RoundPlan:
    number: int
    groups: tuple[GroupPlan, ...]
    final: bool  # nothing follows it; in a knock-out that may turn out only when it has been played


@dataclass(frozen=True)
class GroupOutcome:
    """A group when it has finished: every attempt that was played, and the ranking."""

    plan: GroupPlan
    matches: tuple[Match, ...]
    standings: tuple[Standing, ...]  # best first, the disqualified last


@dataclass(frozen=True)
class RoundOutcome:
    plan: RoundPlan
    groups: tuple[GroupOutcome, ...]

    @property
    def survivors(self) -> tuple[str, ...]:
        """Those who proceed, in the order of the groups and of their ranks."""
        return tuple(s.entry for g in self.groups for s in g.standings if s.advances)


# --- the evolution ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class EvolutionRank:
    """A line of the evolution's ranking: the fraction held at the end as numerator and denominator."""

    entry: str
    rank: int | None  # None: extinct, no rank (K89)
    fraction: tuple[int, int]
    extinct_in: int | None  # the generation in which the last exemplar vanished


class EvolutionEnding(StrEnum):
    FIXED_POINT = "fixed point"
    CYCLE = "cycle"
    NO_POINTS = "nobody won a point"
    LAST_ONE = "a single exemplar was left"
    CAP = "generation limit"


@dataclass(frozen=True)
class EvolutionOutcome:
    """All generations, from the start (generation 0) to the last, and how it ended."""

    entries: tuple[str, ...]
    generations: tuple[tuple[int, ...], ...]  # exemplars per entry, in the order of `entries`
    ending: EvolutionEnding
    cycle_start: int | None  # the generation that came back, where it ended in a cycle
    ranking: tuple[EvolutionRank, ...]  # best first, the extinct last


@dataclass(frozen=True)
class FinalReplays:
    """The final played so many times more, each time with other chance: how often each finalist came first.

    All of them, the most frequent first; where several shared the first place, each of them.
    """

    times: int
    firsts: tuple[tuple[str, int], ...]


# --- the contest ------------------------------------------------------------------------------------------
class Phase(StrEnum):
    """Where a contest is. Before RUNNING the dates decide what is open."""

    OPEN = "open"
    RUNNING = "running"
    FINISHED = "finished"


@dataclass(frozen=True)
class ContestState:
    phase: Phase
    seed: bytes  # 32 bytes; its sha256 is published at the start, itself with the results
    started_at: datetime | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True)
class Pause:
    """The run starts nothing new. `until`: it goes on by itself then; None = only by the organizer's word."""

    since: datetime
    reason: str
    until: datetime | None = None


@dataclass(frozen=True)
class Rerun:
    """A round, or one group of it, was ordered to be played again, and all that came after it."""

    id: int
    at: datetime
    round: int
    group: int | None  # None = the whole round
    reason: str

    @property
    def what(self) -> str:
        return f"round {self.round}" if self.group is None else f"group {self.group} of round {self.round}"


@dataclass(frozen=True)
class LogLine:
    """A line of the journal. `actor` is "" where the machine acted by itself."""

    id: int
    at: datetime
    area: str  # what was done, or the part of the machine: "pause", "disqualify", "run", "delivery" ...
    text: str
    actor: str = ""
    whom: str = ""
    reason: str = ""


def points_text(half_points: int, point: int = 1) -> str:
    """Half points as people read them, to the sixth decimal: 4247 -> "2123.5", -2 -> "-1".

    `point`: how many of the game's points make one as people count (GameInfo.point).
    """
    if point == 1:
        half = ".5" if half_points % 2 else ""
        return f"{'-' if half_points < 0 else ''}{abs(half_points) // 2}{half}"
    rounded = (_MILLIONTHS * half_points + point) // (2 * point)  # half up
    whole, rest = divmod(abs(rounded), _MILLIONTHS)
    decimals = f"{rest:06}".rstrip("0")
    return f"{'-' * (rounded < 0)}{whole}{'.' * bool(decimals)}{decimals}"
