"""What became of each member of each team, and of each person of the class list, as rows for a
lecturer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.language import listed
from contest.model import (
    Phase,
    PracticeGame,
    RoundOutcome,
    Team,
)
from knobeln.context import ContestContext
from reports.practice_table import does_count
from reports.site.tables import Column, Table, cell
from store import (
    Transaction,
    class_people,
    contest_state,
    outbox,
    participation,
    results,
    submissions,
)
from store import teams as team_store
from store.class_people import ListedPerson
from store.submissions import Version
from tournament.derived_settings import format_of

PlayField = Callable[[tuple[str, bytes]], Sequence[PracticeGame]]
"""Plays a program, given as digest and bytes of its image, against a fixed field."""


class Mark(NamedTuple):
    """A member's row. What has not happened, or not yet, is None; the numbers are the team's.

    `mail`: the member's own, if the class list has it. `version`: that takes part, or would now;
    `trial`: how its trial game ended. `accepted`, `first_accepted`, `last_accepted`: how many
    programs were accepted, and when. `reached`: the last round in which the team played. `share`:
    of the evolution's last generation, from 0 to 1. Of the games against a fixed field
    `field_points` are the mean; a failed game has 0.
    """

    member: str
    team: str
    mail: str
    organization: str
    state: str
    sent: int = 0
    accepted: int = 0
    first_accepted: datetime | None = None
    last_accepted: datetime | None = None
    version: int | None = None
    trial: str | None = None
    reached: int | None = None
    rank: int | None = None
    points: float | None = None
    failures: int | None = None
    evolution_rank: int | None = None
    share: float | None = None
    field_games: int | None = None
    field_won: int | None = None
    field_failures: int | None = None
    field_points: float | None = None


MarkedPerson = tuple[Mapping[str, str], Mark]
"""A row: what the class list says, by heading, and the marks."""


INVITED, NOT_INVITED = "invited", "not invited"
"""The states of people who are in no team."""
PASSED, FAILED = "passed", "failed"
"""How trial games end."""
INVITATIONS = ("invitation", "invitation_of_group")
"""The kinds of mails that invite somebody."""


def marks_of(contest: ContestContext, play: PlayField | None = None) -> tuple[MarkedPerson, ...]:
    """Return the rows in the order of the class list, then those of team members who are not in it.

    Rank and points are there after the contest's end; the columns of the field with `play`.
    """
    info = game_of(contest.settings.game, contest.settings.programs).info
    with contest.store.read() as tx:
        people = class_people.everybody(tx)
        unfound = _Unfound(people)
        results_of = _results_of_teams(tx, contest.settings, info)
        rows: dict[str, MarkedPerson] = {}
        strangers: list[MarkedPerson] = []
        images: dict[str, tuple[str, bytes]] = {}  # by the names of the teams
        for team in sorted(team_store.all_teams(tx), key=lambda team: team.name.casefold()):
            mark = results_of(team)
            if mark.version and play:
                images[team.name] = submissions.image_of(tx, team.id, mark.version)
            names = [member.name for member in team.registration.members] or [""]
            marks = [mark._replace(member=name) for name in names]
            for of_member, person in _with_people(team, marks, unfound):
                if person is None:
                    strangers.append(({}, of_member))
                else:
                    rows[person.key] = _row(person, of_member)
        invited = outbox.sent_to(tx, INVITATIONS)
    for person in unfound.left.values():
        rows[person.key] = _absent(person, invited)
    marked = [*(rows[person.key] for person in people), *strangers]
    return tuple(marked if play is None else _with_fields(marked, images, play, info))


def _results_of_teams(
    tx: Transaction, settings: Settings, info: GameInfo
) -> Callable[[Team], Mark]:
    """Return a function that makes the mark of a team, without a member yet."""
    history = results.finished_rounds(tx)
    is_over = contest_state.state(tx).phase is Phase.FINISHED
    ranked = format_of(settings).ranking(history) if is_over and history else ()
    ranking = {line.entry: line for line in ranked}
    evolution = results.get_evolution(tx)
    evolved = {line.entry: line for line in evolution.ranking} if evolution else {}
    participating, counting = participation.of_all(tx), submissions.counting_numbers(tx)

    def results_of(team: Team) -> Mark:
        versions = submissions.versions(tx, team.id)
        mark = _mark(team, participating[team.id], versions, counting.get(team.id), history)
        if standing := ranking.get(team.name):
            points = None if standing.disqualified else standing.half_points / (2 * info.point)
            mark = mark._replace(rank=standing.rank, points=points, failures=standing.failures)
        if line := evolved.get(team.name):
            mark = mark._replace(evolution_rank=line.rank, share=line.share)
        return mark

    return results_of


def _row(person: ListedPerson, mark: Mark) -> MarkedPerson:
    return dict(person.columns), mark._replace(mail=person.address or mark.mail)


def _absent(person: ListedPerson, invited: Collection[str]) -> MarkedPerson:
    """The row of somebody who is in no team."""
    state = INVITED if person.address.casefold() in invited else NOT_INVITED
    return dict(person.columns), Mark(person.name, "", person.address, "", state)


def _with_fields(
    marked: Iterable[MarkedPerson],
    images: Mapping[str, tuple[str, bytes]],
    play: PlayField,
    info: GameInfo,
) -> Iterator[MarkedPerson]:
    """The rows, with how each team's program does against the field. Equal programs play once."""
    played = {digest: play((digest, image)) for digest, image in images.values()}
    for row, mark in marked:
        image = images.get(mark.team)
        yield row, _with_field(mark, played[image[0]], info) if image else mark


def _with_field(mark: Mark, played: Sequence[PracticeGame], info: GameInfo) -> Mark:
    """Games that do not count through no fault of the program are left out."""
    won = failures = total = games = 0
    for game in played:
        seat, *others = game.result.seats
        counts = does_count(game.result, info)
        if counts or seat.verdict.is_charged:
            games += 1
        if seat.verdict.is_charged:
            failures += 1
        if counts:
            total += seat.points
            won += all(seat.points > other.points for other in others)
    points = total / (games * info.point) if games else None
    return mark._replace(
        field_games=games, field_won=won, field_failures=failures, field_points=points
    )


class _Unfound:
    """The people of the class list who were found in no team so far. `left`: by key, in their
    order."""

    def __init__(self, people: Iterable[ListedPerson]) -> None:
        self.left = {person.key: person for person in people}
        # by group, or None, and name
        self._named: dict[tuple[str | None, str], deque[ListedPerson]] = {}
        for person in self.left.values():
            for group in (person.team, None):
                self._named.setdefault((group, _key(person.name)), deque()).append(person)

    def named(self, name: str, group: str | None = None) -> ListedPerson | None:
        """The first who has this name, in this group of the list or in all of it."""
        namesakes = self._named.get((group, _key(name)), deque())
        while namesakes and namesakes[0].key not in self.left:
            namesakes.popleft()
        return namesakes[0] if namesakes else None

    def take(self, person: ListedPerson) -> ListedPerson:
        return self.left.pop(person.key)


def _with_people(
    team: Team, marks: Iterable[Mark], unfound: _Unfound
) -> Iterator[tuple[Mark, ListedPerson | None]]:
    """The marks of a team's members, each with its person of the list, who is taken from `unfound`.

    A member is who has the name: first those with the team's address or in its group of the list,
    then all others. If one member is left, it is the person with the team's address, whatever name
    it gave.
    """
    registered = unfound.left.get(team.address.casefold())
    members, people = list(marks), list[ListedPerson | None]()
    for mark in members:
        person = _near(mark.member, registered, unfound) or unfound.named(mark.member)
        people.append(unfound.take(person) if person else None)
    if registered and registered.key in unfound.left and people.count(None) == 1:
        people[people.index(None)] = unfound.take(registered)
    yield from zip(members, people, strict=True)


def _near(name: str, registered: ListedPerson | None, unfound: _Unfound) -> ListedPerson | None:
    """The person with this name in the group of the one who registered, or that one."""
    if registered is None:
        return None
    if registered.team:
        return unfound.named(name, registered.team)
    is_left = registered.key in unfound.left
    return registered if is_left and _key(registered.name) == _key(name) else None


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


def _mark(
    team: Team,
    state: str,
    versions: Sequence[Version],
    counting: int | None,
    history: Sequence[RoundOutcome],
) -> Mark:
    """The team's results as a mark, without a member yet. `counting`: the version that plays."""
    accepted = sorted(
        version.submission.received_at
        for version in versions
        if version.report and version.report.accepted
    )
    trials = (_trial(version) for version in versions if version.submission.number == counting)
    played = [outcome.plan.number for outcome in history if outcome.has_played(team.name)]
    return Mark(
        member="",
        team=team.name,
        mail=team.address,
        organization=team.registration.organization,
        state=state,
        sent=len(versions),
        accepted=len(accepted),
        first_accepted=accepted[0] if accepted else None,
        last_accepted=accepted[-1] if accepted else None,
        version=counting,
        trial=next(filter(None, trials), None),
        reached=played[-1] if played else None,
    )


def _trial(version: Version) -> str | None:
    trial = version.report.trial if version.report else None
    if trial is None:
        return None
    return FAILED if trial.failed else PASSED


# --- as tables ------------------------------------------------------------------------------------
_WORDS = ("member", "team", "mail", "organization", "state", "trial")
_TIMES = ("first_accepted", "last_accepted")
NUMBERS = tuple(name for name in Mark._fields if name not in _WORDS + _TIMES)
"""The columns that can be a mark."""
_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def marks_table(rows: Sequence[MarkedPerson]) -> Table:
    """All columns of the class list, then those of Mark; of two with one name the first is
    `NAME (list)`."""
    heads = tuple(dict.fromkeys(head for row, _ in rows for head in row))
    titles = [f"{head} (list)" if head.casefold() in Mark._fields else head for head in heads]
    values = ((*_cells(row, heads), *map(_written, mark)) for row, mark in rows)
    return _table((*titles, *Mark._fields), values)


def moodle_table(rows: Sequence[MarkedPerson], number: str, title: str) -> Table:
    """One mark of each person, as Moodle imports grades: by mail address. Without one it knows
    nobody."""
    known = [mark for _, mark in rows if mark.mail]
    return _table(("Email address", title), ((mark.mail, getattr(mark, number)) for mark in known))


def canvas_table(rows: Sequence[MarkedPerson], number: str, title: str) -> Table:
    """One mark of each person of a list from Canvas, as its gradebook imports it.

    Canvas knows people by columns of its own; who came in another list is left out. Raises GiveUp
    if nobody has them.
    """
    needed = ("Student", "ID", "Section")
    known = [(row, mark) for row, mark in rows if all(head in row for head in needed)]
    if not known:
        heads = {head for row, _ in rows for head in row}
        missing = [head for head in needed if head not in heads]
        raise GiveUp(
            f"the class list has no column {listed(missing or ['Student'])}",
            hint="export the gradebook from Canvas, and give it to `class invite`, too",
        )
    values = ((*_cells(row, _CANVAS), getattr(mark, number)) for row, mark in known)
    return _table((*_CANVAS, title), values)


def _cells(row: Mapping[str, str], heads: Iterable[str]) -> Iterator[str]:
    """The row of a class list under these heads."""
    return (row.get(head, "") for head in heads)


def _written(value: object) -> Any:
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else value


def _table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    columns = tuple(Column(head, head) for head in heads)
    return Table("marks", "Marks", columns, tuple(tuple(map(cell, row)) for row in rows))
