"""The step mode of `knobeln run`: the contest has been played, and is now shown step by step.

The reports are held meanwhile, so nobody knows more than the audience. The database keeps how many steps were
shown: after any interruption the show goes on with the step that was on the screen.
"""

from __future__ import annotations

import sys

from contest.actions.organizer_actions import OrganizerActions
from contest.seeds import Seeds
from contest.store import contest_state, decisions, results
from contest.store.decisions import Show
from contest.store.results import Games
from contest.util.plurals import plural
from knobeln.cli.dry_run import organizer_actions
from knobeln.cli.output import console
from knobeln.context import ContestContext
from knobeln.day.steps import steps_of

_REASON = "they go out after the last step"


def prepare(contest: ContestContext) -> None:
    """Hold the reports until the last step was shown, unless the organizer holds them already."""
    with organizer_actions(contest) as organizer:
        if decisions.show(organizer.tx) is None:
            holds = decisions.reports_held(organizer.tx) is None
            if holds:
                organizer.hold(_REASON)
            decisions.set_show(organizer.tx, Show(0, holds))


def show_steps(contest: ContestContext) -> bool:
    """Show the steps, one at each Enter, and then release the reports. False: the organizer stopped it."""
    with contest.store.read() as tx:
        show = decisions.show(tx) or Show(0, holds_reports=False)
        seeds = Seeds(contest_state.state(tx).seed.value)
        rounds = results.all_rounds(tx, Games.WITH_MOVES)
    steps = list(steps_of(contest.settings, seeds, rounds))
    console.print(f"The games are played; there are {plural(len(steps), 'step')} to show.")
    for number in range(show.shown, len(steps)):
        if not _enter():
            console.print(f"Stopped before step {number + 1}. `knobeln run --step` goes on with it.")
            return False
        console.rule(f"{number + 1}/{len(steps)}  {steps[number].title}")
        console.print(steps[number].text, markup=False)
        with contest.store.write() as tx:  # the step before this one was seen
            decisions.set_show(tx, Show(number, show.holds_reports))
    with organizer_actions(contest) as organizer:
        _end(organizer, show)
    return True


def _enter() -> bool:
    """Wait for Enter. False: the input ended, or has a `q`."""
    console.print("Enter: the next step; q: stop here.", style="dim")
    line = sys.stdin.readline()
    return line.endswith("\n") and line.strip().lower() != "q"


def _end(organizer: OrganizerActions, show: Show) -> None:
    decisions.set_show(organizer.tx, None)
    if show.holds_reports and decisions.reports_held(organizer.tx) is not None:
        console.print(organizer.release("the last step was shown"))
    elif decisions.reports_held(organizer.tx) is not None:
        console.print("The reports are held, as you said: `knobeln mail release` sends them.")
