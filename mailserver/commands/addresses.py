"""`change address`: where a team's mails go.

The team proves itself by its `<<FROM>>` line, and the new address by an answer from there. Until
then nothing goes to it but the question.
"""

from __future__ import annotations

from contest.language import gettext
from contest.ledger.receipts import Effect
from contest.model import Team
from mailserver import authentication
from mailserver.authentication import team_command
from mailserver.command import Arguments, LetterContext
from mailserver.decision import Answer, Decision, Entry, Question, SetAddress
from mailserver.limits import MAX_CONFIRMATION_DAYS, Limit
from mailserver.problem import Problem
from mailserver.reading import addresses
from mailserver.write import has_room
from store import teams

_QUESTION = "address_confirm"


def _change_address(context: LetterContext, team: Team, arguments: Arguments) -> Decision:
    """The argument is the new address."""
    address = _address_in(context, arguments)
    other = teams.by_address(context.tx, address) if isinstance(address, str) else None
    if other is not None and other.id == team.id and other.address == address:
        text = gettext(
            "%(address)s is the mail-address of your team already.", address=other.address
        )
        address = Problem(text)
    elif other is not None and other.id != team.id:
        address = Problem(gettext("There is already a team with this mail-address."))
    if isinstance(address, Problem):
        return authentication.refuse(context, team.address, "problem", problem=address, team=team)
    if not context.proof.is_confirmed:
        return _ask(context, team, address)
    left = Answer("address_left", team.address, {"team": team, "address": address}, is_notice=True)
    return Decision(
        f"the mail-address of {team.name} is {address} now, was {team.address}",
        Answer("address_changed", address, {"address": address}, of_team=team),
        changes=(SetAddress(team, address),),
        entries=(Entry(Effect.ADDRESS_CHANGED, team.name),),
        before=(left,),
    )


COMMAND = team_command(
    "address",
    _change_address,
    lambda settings: ("change address", "change mail-address"),
    arguments="NEW_ADDRESS",
    every_subject=True,
    answers={
        _QUESTION: Limit.DROP,
        "address_asked": Limit.NONE,
        "address_changed": Limit.NONE,
        "address_left": Limit.NONE,
    },
)


def _address_in(context: LetterContext, arguments: Arguments) -> str | Problem:
    expected = "Subject: change address joe@new.example"
    if len(arguments) != 1:
        return Problem(gettext("The subject must name one address."), expected=expected)
    address, why = addresses.check(arguments[0])
    if address is None:
        why = why.rstrip(".")
        text = gettext(
            "The address %(arguments)s cannot be used: %(rstrip)s.",
            arguments=arguments[0],
            rstrip=why,
        )
        return Problem(text, expected=expected)
    if addresses.is_one_of(address, context.settings.contest.addresses):
        return Problem(gettext("That is the address of this robot."), expected=expected)
    return address


def _ask(context: LetterContext, team: Team, address: str) -> Decision:
    """Ask the new address, and tell the team at its own one, because somebody else may have
    written."""
    facts = {
        "address": address,
        "is_asked": has_room(context, _QUESTION, address),
        "days": MAX_CONFIRMATION_DAYS,
    }
    return Decision(
        f"{team.name} wants mails at {address}",
        Answer("address_asked", team.address, facts, of_team=team),
        before=(Question(_QUESTION, address, team.name),),
    )
