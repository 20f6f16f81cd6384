"""The organizer acts, as the command line and letters do."""

from collections.abc import Callable

from knobeln.context import ContestContext
from mailserver.command import Desk
from mailserver.decision import OrganizerDecision
from mailserver.organizer_actions import OrganizerActions
from mailserver.write_action import act
from tests.support.mail_world import World

Decide = Callable[[OrganizerActions], OrganizerDecision]


def organizer_acts(contest: ContestContext, decide: Decide) -> str:
    """Carry out one action. Returns what was done."""
    with contest.store.write() as tx:
        desk = Desk(tx, contest.settings, contest.templates, contest.clock.now())
        return act(desk, "a test", decide)


def organizer_acts_in(world: World, decide: Decide) -> str:
    """Carry out one action in a world of letters."""
    with world.store.write() as tx:
        return act(Desk(tx, world.settings, world.renderer, world.clock.now()), "a test", decide)
