"""Tells a team, once, that its program waits, and for what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from contest.config.settings import Settings
from contest.interfaces.protocols import Renderer, to_team
from contest.language import speaking
from contest.model import Phase, WaitingProgram
from store import Store, Transaction, contest_state, outbox, submissions, teams, waiting

_MAIL = "program_waiting"


def tell_of_waiting(store: Store, settings: Settings, renderer: Renderer, now: datetime) -> None:
    """Tell the teams whose programs have waited for long, and were not told."""
    with store.read() as tx:
        if not any(_untold(tx, settings, now)):
            return
    with store.write() as tx:
        for program in tuple(_untold(tx, settings, now)):
            tell(tx, program, settings, renderer, now)


def tell(
    tx: Transaction,
    program: WaitingProgram,
    settings: Settings,
    renderer: Renderer,
    now: datetime,
) -> None:
    """Tell the program's team, unless it was told about this program before."""
    team = teams.get(tx, program.team)
    own = submissions.program_of(tx, team.id)
    with speaking(team.language or settings.contest.language):
        text = renderer.render(_MAIL, team=team.name, program=program, counts=own.counts)
    mail = replace(to_team(team, _key(program), _MAIL, text), in_reply_to=program.reply_to)
    outbox.put(tx, mail, settings, now)


def _untold(tx: Transaction, settings: Settings, now: datetime) -> Iterator[WaitingProgram]:
    if contest_state.state(tx).phase is not Phase.OPEN:
        return
    late = [
        each for each in waiting.programs(tx, settings, now) if now - each.since >= waiting.LONG
    ]
    told = outbox.known(tx, [_key(each) for each in late])
    yield from (each for each in late if _key(each) not in told)


def _key(program: WaitingProgram) -> str:
    return f"{_MAIL}/{program.submission}"
