"""Contests of the other games, played by their real rules, formats and referee, with strategies in
Python.

Nothing is jailed: strategies are functions here, so that the same contest is played in every test
run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from contest.config.settings import Settings
from contest.games.game import TextProtocol, Words
from contest.games.hog import HogEntry
from contest.games.registry import game_of
from contest.interfaces.events import (
    ContestStarted,
    GroupFinished,
    GroupStarted,
    RoundFinished,
    RoundPlayed,
)
from contest.interfaces.protocols import Runner, no_progress
from contest.ledger.entry_list import EntryList
from contest.model import (
    GameJob,
    GameResult,
    Member,
    Outgoing,
    Registration,
    RoundOutcome,
    Standing,
    Team,
    TeamState,
)
from contest.schema.sections import Reports
from contest.seeds import ContestSeed, Seeds
from knobeln import presets
from reports.announcement import announcement
from reports.contest_reporter import ContestReporter
from reports.kinds import reports
from reports.prizes import prize_fields
from reports.render import Templates
from sandbox.limits import MB
from sandbox.players import AnswerFault, AnswerFaultKind, Player, PlayerUsage
from tests.support.fuel_workers import COUNTABLE
from tournament import referee
from tournament.derived_settings import format_of
from tournament.runners.table import play_tables
from tournament.runners.text_result import game_result
from tournament.text_referee import drawer, play_game

SEED = bytes(range(32))
SEEDS = Seeds(SEED)
# it draws 10 rounds, too, as SEEDS
SEED_OF_CONTEST = ContestSeed(bytes([2]) * 32, EntryList(()).root)
Strategy = Callable[[Words, Callable[[int], int]], str | AnswerFault]
"""Question and draw -> answer, or what went wrong. `draw(n)` gives a number in 0..n-1."""


@dataclass(frozen=True)
class Played:
    """A contest that is over: every mail of the day by its key, and what it came to."""

    settings: Settings
    teams: Mapping[str, Team]
    history: tuple[RoundOutcome, ...]
    ranking: tuple[Standing, ...]
    mails: Mapping[str, Outgoing]
    announcement: str


# --- the arena ------------------------------------------------------------------------------------
@dataclass
class Person(Player):
    """A strategy at a seat (sandbox.players.Player)."""

    strategy: Strategy
    draw: Callable[[int], int]
    protocol: TextProtocol
    fuel: int  # for an answer; 0 = time is not counted
    answer_fuel: list[int] = field(default_factory=list, init=False)

    def move(self, question: Words) -> str | AnswerFault:
        answer = self.strategy(question, self.draw)
        if self.fuel:
            is_late = isinstance(answer, AnswerFault) and answer.kind is AnswerFaultKind.LATE
            self.answer_fuel.append(
                self.fuel if is_late else 1_234_567 * sum(map(len, map(str, question)))
            )
        return answer

    def usage(self) -> PlayerUsage:
        return PlayerUsage((), 7 * MB, 64 * MB, self.answer_fuel) if self.fuel else PlayerUsage()


@dataclass
class Table:
    """Plays games in this process (interfaces.protocols.Runner); an image has the name of its
    team."""

    settings: Settings
    strategies: Mapping[str, Strategy]
    info: Any = field(init=False)

    def __post_init__(self) -> None:
        self.rules = game_of(self.settings.game, self.settings.programs)
        self.info = self.rules.info

    def __call__(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        return [self._play(job) for job in jobs]

    def _play(self, job: GameJob) -> GameResult:
        rules: Any = self.rules
        programs = self.settings.programs
        fuel = programs.fuel if programs.counted_languages else 0
        players = [
            Person(self.strategies[name], drawer([stream]), self.info.protocols[0], fuel)
            for name, stream in zip(job.images, job.streams, strict=True)
        ]
        for_players = rules.for_players(job.names, partial(SEEDS.below, "game"))
        return game_result(play_game(for_players, players, drawer(job.streams)), job.protocol)


# --- the day --------------------------------------------------------------------------------------
def play(settings: Settings, strategies: Mapping[str, Any], teams: Mapping[str, Team]) -> Played:
    """The contest from its start to its end, with all mails that the reporter writes."""
    templates = Templates(settings, None)
    reporter, chosen = ContestReporter(settings, templates), format_of(settings)
    info = game_of(settings.game, settings.programs).info
    tables = partial(play_tables, strategies, 1, no_progress)
    runner: Runner = Table(settings, strategies) if info.play.has_moves else tables
    entries = sorted(strategies)
    playing = {name: teams[name] for name in entries}
    idle = [team for name, team in teams.items() if name not in strategies]
    mails: list[Outgoing] = list(
        reporter.mails(
            ContestStarted(
                teams=playing, without_program=idle, seed=SEED_OF_CONTEST, sealed=EntryList(())
            )
        )
    )
    history: list[RoundOutcome] = []
    while plan := chosen.plan(entries, history, SEEDS):
        groups = []
        for group in plan.groups:
            mails += reporter.mails(GroupStarted(teams=playing, plan=group))
            outcome = referee.play_group(
                group,
                images={name: name for name in group.members},
                seeds=SEEDS,
                runner=runner,
                protocols_for={
                    name for name in group.members if "DGP" in teams[name].registration.preferences
                },
                standings=partial(chosen.standings, group, plan.final),
                fault_rule=info.fault_rule,
            )
            mails += reporter.mails(GroupFinished(teams=playing, outcome=outcome))
            groups.append(outcome)
        history.append(RoundOutcome(plan, tuple(groups)))
        final = plan.final or chosen.plan(entries, history, SEEDS) is None
        history[-1] = replace(history[-1], plan=replace(plan, final=final))
        ranking = chosen.ranking(history) if final else ()
        mails += reporter.mails(RoundPlayed(teams=playing, history=history, ranking=ranking))
        seed = SEED_OF_CONTEST if final else None
        mails += reporter.mails(
            RoundFinished(teams=playing, history=history, ranking=ranking, seed=seed)
        )
    fields = prize_fields(playing, settings.teams)
    posting = announcement(history, ranking, None, SEED_OF_CONTEST, fields, settings, templates)
    return Played(
        settings,
        playing,
        tuple(history),
        ranking,
        {mail.key: mail for mail in mails},
        f"Subject: {posting.subject}\n\n{posting.body}",
    )


def settings_of(game: str, **changes: Any) -> Settings:
    """The preset, with all reports on offer unless others are named, and an organizer."""
    chosen = presets.settings(game, datetime(2027, 1, 4, tzinfo=UTC))
    contest = {"organizer": "The referees", "organizer_address": "referees@games.example"}
    return chosen.model_copy(
        update={
            "contest": chosen.contest.model_copy(update=contest),
            "reports": Reports(**{"offered": tuple(reports()), **changes}),
        }
    )


def counted(settings: Settings) -> Settings:
    """The same contest, with programs whose time is counted."""
    programs = settings.programs.model_copy(update={"counted_languages": COUNTABLE})
    return settings.model_copy(update={"programs": programs})


def team(number: int, name: str, preferences: Sequence[str], school: str = "") -> Team:
    registration = Registration(
        f"{name}@machine.example",
        tuple(preferences),
        name,
        f"University of {name.title()}",
        (Member("Ada Example", None, "student", ""),),
        (("school", school),) if school else (),
    )
    return Team(number, registration, name, TeamState.ACTIVE, datetime(2027, 1, 5, tzinfo=UTC))


EVERYTHING = ("LAP", "LGP", "DGP", "GRG", "RSM", "OWN")
WITHOUT_SUMMARY = ("LGP", "GRP", "GRG", "GRR", "OWN", "BRK")


def teams_of(names: Sequence[str], schools: Sequence[str] = ("",)) -> Mapping[str, Team]:
    """The first and every other team wants everything, the others everything but protocols and
    summaries."""
    return {
        name: team(
            number, name, (EVERYTHING, WITHOUT_SUMMARY)[number % 2], schools[number % len(schools)]
        )
        for number, name in enumerate(names)
    }


# --- Bid-Tac-Toe ----------------------------------------------------------------------------------
def bidder(free_hand: Callable[[int, Callable[[int], int]], int], fails: int = 0) -> Strategy:
    """Bids `free_hand(square, draw)` everywhere in the first round, and nothing more; `fails`: how
    many of a hundred games it spoils by bidding too much."""

    def bid(question: Words, draw: Callable[[int], int]) -> str | AnswerFault:
        if question[0] != "newgame":
            return " ".join("0" * 9)
        if draw(100) < fails:
            return " ".join(["50"] * 9)
        return " ".join(str(free_hand(square, draw)) for square in range(9))

    return bid


def crashing(question: Words, draw: Callable[[int], int]) -> str | AnswerFault:
    said = (
        "Traceback (most recent call last):\n  File \"program.py\", line 7\nKeyError: 'nextround'"
    )
    if question[0] == "nextround" and draw(4) == 0:
        return AnswerFault(
            AnswerFaultKind.CRASH, "the program ended with exit code 1 before it answered", said
        )
    return " ".join(str(2 + draw(12)) if question[0] == "newgame" else "0" for _ in range(9))


BIDDERS: Mapping[str, Strategy] = {
    "even_hand": bidder(lambda square, draw: 11),
    "center_first": bidder(lambda square, draw: 36 if square == 4 else 8),
    "diagonal": bidder(lambda square, draw: 33 if square in (0, 4, 8) else 0),
    "random_bids_of_the_third_floor": bidder(lambda square, draw: draw(12)),
    "greedy": bidder(lambda square, draw: 10 + draw(2), fails=5),
    "crashing": crashing,
}
SCHOOLS = ("Caltech", "MIT", "Carnegie Mellon")


@cache
def bid_tac_toe(*, own_only: bool = False) -> Played:
    settings = settings_of("bid-tac-toe", **({"offered": ("OWN",)} if own_only else {}))
    return play(settings, BIDDERS, teams_of(list(BIDDERS), ("MIT", "Caltech")))


# --- Ultimate Tic-Tac-Toe -------------------------------------------------------------------------
def open_squares(state: str) -> list[int]:
    """Empty squares of the board that must be played in, or, to be simple, of all boards."""
    squares = state[2:]
    boards = range(9) if state[1] == "9" else [int(state[1])]
    return [s for b in boards for s in range(9 * b, 9 * b + 9) if squares[s] == "0"]


def mover(skill: int, fails: int = 0, late: str = "there was no answer within 5 s") -> Strategy:
    """Takes the best of `skill` random squares, the middle being the best; of a hundred moves
    `fails` are none, because it was `late`. Where any board will do it may try a closed one, which
    is a fault too."""

    def move(question: Words, draw: Callable[[int], int]) -> str | AnswerFault:
        if draw(100) < fails:
            return AnswerFault(AnswerFaultKind.LATE, late, "thinking...\n")
        squares = open_squares(str(question[1]))
        tried = [squares[draw(len(squares))] for _ in range(skill)]
        return str(min(tried, key=lambda square: (abs(square % 9 - 4), square)))

    return move


@cache
def ultimate_tic_tac_toe(entries: int = 12) -> Played:
    names = [
        "alpha_beta",
        "board_taker",
        "first_open",
        "mid_player",
        "never_late",
        "often_late",
        "playouts",
        "random_mover",
        "square_dance",
        "the_long_way_round_the_board",
        "tic",
        "toe",
    ][:entries] + [f"entry_{number:02}" for number in range(13, entries + 1)]
    strategies = {
        name: mover(1 + number % 5, fails=20 if name == "often_late" else 0)
        for number, name in enumerate(names)
    }
    teams = {**teams_of(names)}
    if "toe" in teams:
        teams["toe"] = team(names.index("toe"), "toe", ("LGP", "GRG", "GRR", "OWN", "BRK"))
    return play(settings_of("ultimate-tic-tac-toe"), strategies, teams)


@cache
def counted_ultimate_tic_tac_toe(language: str = "en") -> Played:
    settings = counted(settings_of("ultimate-tic-tac-toe"))
    settings = settings.model_copy(
        update={"contest": settings.contest.model_copy(update={"language": language})}
    )
    late = f"the answer took more than {settings.programs.fuel:,} units"
    strategies = {
        "often_late": mover(2, 20, late),
        "playouts": mover(5),
        "tic": mover(3),
        "toe": mover(1),
    }
    return play(settings, strategies, teams_of(list(strategies)))


# --- cooperation ----------------------------------------------------------------------------------
def tit_for_tat(question: Words, draw: Callable[[int], int]) -> str:
    return str(question[1])[-2:-1] if question[1] != "[]" else "C"


def shouting(question: Words, draw: Callable[[int], int]) -> str:
    return "c!" if draw(30) == 0 else "C"


COOPERATORS: Mapping[str, Strategy] = {
    "always_betray": lambda question, draw: "B",
    "always_cooperate": lambda question, draw: "C",
    "coin_flip": lambda question, draw: "CB"[draw(2)],
    "grudger": lambda question, draw: "B" if "B" in str(question[1]) else "C",
    "shouting": shouting,
    "tit_for_tat": tit_for_tat,
}


@cache
def cooperation() -> Played:
    return play(settings_of("cooperation"), COOPERATORS, teams_of(list(COOPERATORS)))


INDEX_ERROR = AnswerFault(
    AnswerFaultKind.CRASH,
    "the program ended with exit code 1 instead of answering",
    'Traceback (most recent call last):\n  File "program.py", line 3\nIndexError: list index out of'
    " range",
)
COOPERATORS_OF_OLD: Mapping[str, Strategy] = {
    "always_betray": lambda question, draw: "B",
    "forgiving": lambda question, draw: (
        "B" if question and str(question[1]).endswith("B/B") else "C"
    ),
    "grudger": lambda question, draw: "B" if question and "B" in str(question[1]) else "C",
    "lost_at_first": lambda question, draw: "C" if question else INDEX_ERROR,
    "tit_for_tat": lambda question, draw: str(question[1])[-1] if question else "C",
}


@cache
def cooperation_legacy() -> Played:
    return play(
        settings_of("cooperation-legacy"), COOPERATORS_OF_OLD, teams_of(list(COOPERATORS_OF_OLD))
    )


# --- standoff -------------------------------------------------------------------------------------
def fighter(plan: str, fails: int = 0) -> Strategy:
    """Does what the letters of `plan` say, drawn at random, as far as ammunition goes."""

    def act(question: Words, draw: Callable[[int], int]) -> str | AnswerFault:
        if draw(100) < fails:
            return "S" if "/0/" in str(question[0]) else "X"
        wish, ammo = plan[draw(len(plan))], int(str(question[0]).split("/")[1])
        return {"S": "S" if ammo else "R", "R": "R" if ammo < 2 else "P"}.get(wish, wish)

    return act


FIGHTERS: Mapping[str, Strategy] = {
    "accountant": fighter("SSPRP"),
    "avenger": fighter("SSSR"),
    "bystander": fighter("N"),
    "cautious": fighter("PPPS"),
    "clumsy": fighter("P", fails=60),
    "dice": fighter("SPRN"),
    "hermit": fighter("P"),
    "the_north_by_northwest_fighter": fighter("SP"),
    "pacifist": fighter("PN"),
    "sniper": fighter("SSSSP"),
    "trigger_happy": fighter("S"),
    "vulture": fighter("PPS"),
}


@cache
def standoff() -> Played:
    return play(settings_of("standoff"), FIGHTERS, teams_of(list(FIGHTERS)))


# --- Hog ------------------------------------------------------------------------------------------
def roller(dice: Callable[[int, int], int], goal: int) -> HogEntry:
    return HogEntry(bytes(dice(own, other) for own in range(300) for other in range(300)), goal)


@cache
def hog() -> Played:
    entries = {
        "always_four": roller(lambda own, other: 4, 60),
        "always_four_too": roller(lambda own, other: 4, 60),
        "always_six": roller(lambda own, other: 6, 60),
        "chaser": roller(lambda own, other: 6 if own < other else 3, 60),
        "long_file": roller(lambda own, other: 5, 90),
        "pig_fancier": roller(lambda own, other: 0 if other % 6 == 3 else 4, 60),
    }
    return play(settings_of("hog"), entries, teams_of(list(entries)))
