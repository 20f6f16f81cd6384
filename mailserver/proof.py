"""What shows who has written a letter: all of it, asked once. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from contest.model import Team
from mailserver.problem import Problem
from mailserver.reading.authentication_results import Authenticity

NameAndString = tuple[str, str]
"""The two words of a `<<FROM>>` line."""


@dataclass(frozen=True)
class AuthFailure:
    """Why we do not know which team wrote: the line is missing or wrong in itself (`problem`), or
    its string is not that of the team that it names."""

    problem: Problem | None = None
    named: Team | None = None  # an active team of that name
    # the string is that of a team that asked for the name and got another (K33)
    renamed: Team | None = None
    withdrawn: Team | None = None  # both are right, but the team has withdrawn


@dataclass(frozen=True)
class Proof:
    """What shows who has written a letter.

    `team`: its name and string are in the letter; `lines`: what was found out about each pair.
    `mailboxes`: that the letter is shown to come from; `authenticity`: what our mail server says of
    its sender; `is_confirmed`: the writer answered our question about this letter.
    """

    team: Team | None = None
    lines: Mapping[NameAndString, Team | AuthFailure] = field(default_factory=dict)
    mailboxes: frozenset[str] = frozenset()
    # The addresses, casefolded, to which the mails went that the letter answers. A mail's
    # Message-ID is made of the contest's secret and its reader's address, so its reader alone knows
    # it, and whoever he gave it to: it shows nothing about another address of the same mailbox.
    readers: frozenset[str] = frozenset()
    authenticity: Authenticity = Authenticity.NONE
    is_confirmed: bool = False
