"""The registration form of the announcement (K25): its fields, and registrations as text. Pure.

A contest may ask for fields of its own; they come between the organization and the members.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.language import available, gettext, noted
from contest.model import LANGUAGE_FIELD, Member, Registration
from contest.schema.sections import FORM_FIELDS, ExtraField, Teams, spelling

ADDRESS, PREFERENCE, TEAM_NAME, ORGANIZATION, MEMBERS = FORM_FIELDS

INDENT = "  "
FOR_PROGRAMS = "JSON"  # the report that programs read


@dataclass(frozen=True)
class Form:
    """The text after each field; a form without an organization does not ask for one.

    `members`: single lines, one or two for each member, as the contest asks for. `fields`: names
    and values of the contest's own fields.
    """

    address: str
    preferences: str
    team_name: str
    organization: str
    members: tuple[str, ...]
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The form, field by field in the right order, without a newline at the end."""
        values = (
            (ADDRESS, self.address),
            (PREFERENCE, self.preferences),
            (TEAM_NAME, self.team_name),
            *([(ORGANIZATION, self.organization)] if self.organization else ()),
            *self.fields,
            (MEMBERS, ""),
        )
        lines = [f"{name}: {value}".rstrip() for name, value in values]
        return "\n".join(lines + [INDENT + line for line in self.members])


def field_names(teams: Teams) -> tuple[str, ...]:
    """Return the names of the form's fields in their order."""
    usual = [name for name in FORM_FIELDS[:-1] if name != ORGANIZATION or teams.member_lines]
    return (*usual, *(field.name for field in teams.fields), MEMBERS)


def own_fields(teams: Teams) -> tuple[ExtraField, ...]:
    """Return the contest's own fields, and that of the language, which may be anywhere in a form,
    or not at all."""
    if any(spelling(field.name) == LANGUAGE_FIELD for field in teams.fields):
        return teams.fields
    language = ExtraField(
        name=LANGUAGE_FIELD,
        description="the language of the mails to your team",
        choices=available(),
        required=False,
    )
    return (*teams.fields, language)


def blank(settings: Settings) -> Form:
    """Return the form with words in angle brackets for what a team has to fill in, in the language
    of this moment."""
    name = noted("<a C identifier>") if is_in_c(settings) else noted("<letters, digits and _>")
    lines_each = settings.teams.member_lines
    return Form(
        address=gettext("<the mail address of your team>"),
        preferences="",
        team_name=gettext(name),
        organization=gettext(_INSTITUTION) if lines_each else "",
        members=_blank_member(_MEMBER_BLANKS[lines_each]),
        fields=tuple((field.name, f"<{field.asks_for}>") for field in settings.teams.fields),
    )


def sample(settings: Settings) -> Form:
    """Return the form with an example of each field, as answers show it."""
    # Not all, so that teams see that they have a choice, but the last, which sums up; and none that
    # is for programs.
    codes = [code for code in settings.reports.offered if code != FOR_PROGRAMS][::-2][::-1]
    return Form(
        address="name@machine.domain",
        preferences=",".join(codes),
        team_name="a_C_identifier" if is_in_c(settings) else "name_of_your_team",
        organization="institution, city, country" if settings.teams.member_lines else "",
        members=MEMBER[settings.teams.member_lines],
        fields=tuple((field.name, sample_value(field)) for field in settings.teams.fields),
    )


def short_preferences(settings: Settings) -> tuple[str, ...]:
    """Return the reports that people read: the summary, the ranking of groups, and own games.

    JSON is for programs, and who wants it knows that.
    """
    offered = settings.reports.offered
    return tuple(code for code in _READ_BY_PEOPLE if code in offered) or offered[:1]


_READ_BY_PEOPLE = ("RSM", "GRR", "DGP", "OWN")


def is_in_c(settings: Settings) -> bool:
    """Return whether a team's name must be a C identifier (K31), because teams write in C."""
    return game_of(settings.game, settings.programs).info.play.is_in_c


def sample_value(field: ExtraField) -> str:
    """Return an example of a value of the contest's own field."""
    return field.choices[0] if field.choices else field.asks_for


MEMBER = {
    0: ("name",),
    1: ("name, affiliation",),
    2: ("name, age in years, occupation,", "computer science and programming background"),
}
NAME, AFFILIATION = noted("<name>"), noted("<affiliation>")
_AGE, _OCCUPATION = noted("<age in years>"), noted("<occupation>")
_BACKGROUND = noted("<computer science and programming background>")
_INSTITUTION = noted("<institution, city, country>")
_MEMBER_BLANKS = {
    0: ((NAME,),),
    1: ((NAME, AFFILIATION),),
    2: ((NAME, _AGE, _OCCUPATION), (_BACKGROUND,)),
}
_EXAMPLES = {
    NAME: "Ada Lovelace",
    AFFILIATION: "University of London",
    _AGE: "20",
    _OCCUPATION: "student",
    _BACKGROUND: "a course",
    _INSTITUTION: "University, London, England",
}


def _blank_member(lines: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return a member's lines with these blanks, in the language of this moment. One that another
    line follows ends with a comma."""
    *others, last = [", ".join(map(gettext, blanks)) for blanks in lines]
    return (*(f"{line}," for line in others), last)


def with_examples(form: Form, settings: Settings) -> Form:
    """Return the form as a team may fill in what is still blank, in the language of this moment."""
    empty, samples = dict(blank(settings).fields), dict(sample(settings).fields)
    return replace(
        form,
        organization=_with_examples(form.organization),
        members=tuple(map(_with_examples, form.members)),
        fields=tuple(
            (name, samples[name] if value == empty[name] else value) for name, value in form.fields
        ),
    )


def _with_examples(line: str) -> str:
    for text, example in _EXAMPLES.items():
        line = line.replace(gettext(text), example)
    return line


def record_text(registration: Registration) -> str:
    """Return the registration in the form, as LAP reports and answers show it (K91). It never holds
    a secret (K42).

    Lines may be long (500 characters of Organization); read again, the text gives the same
    registration.
    """
    return Form(
        address=registration.address,
        preferences=",".join(registration.preferences),
        team_name=registration.team_name,
        organization=registration.organization,
        members=member_lines(registration.members),
        fields=registration.fields,
    ).text


def member_lines(members: Sequence[Member]) -> tuple[str, ...]:
    """Two lines for each member (K35), one where no age was asked for (B21), or the name; not
    indented."""
    return tuple(line for member in members for line in _lines(member))


def _lines(member: Member) -> tuple[str, ...]:
    if member.age is None:
        return (", ".join(filter(None, (member.name, member.occupation))),)
    return (f"{member.name}, {member.age}, {member.occupation},", member.background)
