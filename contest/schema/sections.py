"""The sections of contest.toml: every setting once, with its default and its meaning."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic.config import JsonDict

from contest import language
from contest.language import noted
from contest.ledger.notes import VerifierKey
from contest.model import Phase
from contest.public_number.beacon import Beacon
from contest.schema.languages import (
    MAX_COUNTED_MEMORY_MB,
    Language,
    further_languages,
    usual_languages,
)
from contest.seeds import MAX_TOURNAMENTS
from contest.util.clock import sleep_seconds


def _utc(moment: datetime) -> datetime:
    """Return a time without a zone is Universal Time, as in the announcement (K100)."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


# Most addresses are so plain that the library, which is slow to import, would change nothing in
# them.
_PLAIN_ADDRESS = re.compile(
    r"[a-z0-9]{1,40}(?:[._+-][a-z0-9]{1,8})?@(?:[a-z0-9]{1,30}(?:-[a-z0-9]{1,30})?\.){1,3}"
    r"(?!arpa|invalid|local|onion|test)[a-z]{2,10}"
)


def _address(text: str) -> str:
    if _PLAIN_ADDRESS.fullmatch(text):
        return text
    from email_validator import EmailNotValidError, validate_email

    try:
        return validate_email(text, check_deliverability=False, test_environment=True).normalized
    except EmailNotValidError as error:
        raise ValueError(f"{text!r} is no mail address: {error}") from None


Moment = Annotated[datetime, AfterValidator(_utc)]
Address = Annotated[str, AfterValidator(_address)]


class Role(StrEnum):
    """Whom a setting concerns."""

    HOST = "of the host"  # nobody else knows it, and it can be changed at any time
    TOLD = "told"  # the archive has it
    # it decides results: as it was at the start; the ledger has a digest of all these
    DECIDES = "decides"


OF_THE_HOST: JsonDict = {"role": Role.HOST}
DECIDES: JsonDict = {"role": Role.DECIDES}


class Section(BaseModel):
    # Validators are built on first validation: code that only receives settings does not pay for
    # them.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    role: ClassVar[Role] = Role.HOST  # of its settings, but for those that say otherwise

    @classmethod
    def role_of(cls, name: str) -> Role:
        """Whom the setting concerns, as it says itself, or else its section."""
        info = cls.model_fields.get(name)
        said = info.json_schema_extra if info else None
        return Role(str(said["role"])) if isinstance(said, dict) else cls.role


class Contest(Section):
    """The name of the contest, its organizer, and its addresses."""

    role = Role.TOLD

    title: str = Field(
        noted("International KNOBELN contest"),
        description="the name of the contest, as all mails say it",
    )
    subject_word: str = Field(
        "KNOBELN",
        pattern=r"^\S+$",
        description="the last word of the registration's subject: `registration for KNOBELN`",
    )
    language: str = Field(
        "en",
        description=(
            "the language of mails and pages: en or de (German). A team chooses its own by a line "
            "`language: de` in the registration form"
        ),
        json_schema_extra=DECIDES,  # it is told in this language why a program failed
    )
    organizer: str = Field(noted("The organizer"), description="who signs the mails")
    organizer_address: Address = Field(
        "organizer@localhost.example",
        description="where people write to a person; not read by the robot",
    )
    address: Address = Field(
        "knobeln@localhost.example",
        description="the robot's address: registrations and programs go here",
    )
    aliases: tuple[Address, ...] = Field((), description="further addresses that reach the robot")
    zone: str = Field(
        "",
        description="the time zone whose local time stands beside Universal Time in mails and on "
        "pages, e.g. Europe/Berlin; empty = Universal Time alone",
        json_schema_extra=OF_THE_HOST,  # which knows the zone; nothing depends on it
    )
    licence: str = Field(
        "",
        max_length=200,
        description=(
            "under which licence you publish the archive with all programs, e.g. CC BY 4.0; rules, "
            "announcements and the archive say it; empty = nothing is said"
        ),
    )

    @property
    def addresses(self) -> tuple[str, ...]:
        """All that reach the robot, the usual one first."""
        return (self.address, *self.aliases)

    @field_validator("zone")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if value:
            try:
                ZoneInfo(value)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                raise ValueError(
                    f"this host knows no time zone {value!r}; write it as Europe/Berlin"
                ) from None
        return value

    @field_validator("language")
    @classmethod
    def _is_available(cls, value: str) -> str:
        if value != language.SOURCE and value not in language.available():
            known = ", ".join(language.available())
            raise ValueError(f"there is no complete catalogue of {value!r}, only of {known}")
        return value


DATE_WORDS = {
    "registration_opens": noted("registration opens"),
    "compilation_opens": noted("the compile service opens"),
    "registration_closes": noted("registration closes"),
    "compilation_closes": noted("the compile service closes"),
    "contest_starts": noted("the contest starts"),
    "results_published": noted("the results are published"),
}
"""The names of the dates in sentences."""


class Window(StrEnum):
    """Whether a service is open; the templates find words for each."""

    OPEN = "open"
    TOO_EARLY = "too early"
    TOO_LATE = "too late"
    RUNNING = "running"  # the organizer has started the contest
    FINISHED = "finished"


class Dates(Section):
    """Universal Time. The robot keeps these dates; `knobeln run` starts the contest, or `serve` if
    it is a season or has `tournament.by_date`."""

    role = Role.TOLD

    registration_opens: Moment = Field(description="from here on registrations are accepted")
    compilation_opens: Moment = Field(description="from here on programs are compiled")
    registration_closes: Moment = Field(
        description="a registration received at this time or later is refused"
    )
    compilation_closes: Moment = Field(
        description=(
            "a program received at this time or later is refused; 1994: two hours before the start"
        )
    )
    contest_starts: Moment = Field(description="before this time `knobeln run` needs --now")
    results_published: Moment = Field(
        description="when the results are to be published; before this time no archive is, and "
        "in a season the next tournament begins then"
    )

    @model_validator(mode="after")
    def _in_order(self) -> Dates:
        order = (
            ("registration_opens", "registration_closes"),
            ("compilation_opens", "compilation_closes"),
            ("registration_closes", "contest_starts"),
            ("compilation_closes", "contest_starts"),
            ("contest_starts", "results_published"),
        )
        for earlier, later in order:
            if getattr(self, earlier) > getattr(self, later):
                raise ValueError(f"{earlier} is after {later}")
        return self

    def registration(self, phase: Phase, received_at: datetime) -> Window:
        """Return whether we take registrations (K37, K41)."""
        return _window(self.registration_opens, self.registration_closes, phase, received_at)

    def compilation(self, phase: Phase, received_at: datetime) -> Window:
        """Return whether we take programs (K48)."""
        return _window(self.compilation_opens, self.compilation_closes, phase, received_at)

    def open_services(self, phase: Phase, now: datetime) -> dict[str, bool]:
        """Return whether each service is open, by name: its dates decide, until the contest
        starts."""
        return {
            "registration": self.registration(phase, now) is Window.OPEN,
            "compilation": self.compilation(phase, now) is Window.OPEN,
        }


def _window(opens: datetime, closes: datetime, phase: Phase, received_at: datetime) -> Window:
    """The time of receipt decides, not when we come to read the letter (R11). `closes`
    itself is too late."""
    if phase is not Phase.OPEN:
        return Window.RUNNING if phase is Phase.RUNNING else Window.FINISHED
    if received_at < opens:
        return Window.TOO_EARLY
    return Window.OPEN if received_at < closes else Window.TOO_LATE


class Season(Section):
    """Several tournaments, one after the other, between which the teams can change their
    programs."""

    role = Role.TOLD

    tournaments: int = Field(1, ge=1, le=MAX_TOURNAMENTS, description="how many; 1993: 2")
    days: int = Field(
        7,
        ge=1,
        le=366,
        description=(
            "from one tournament to the next, whose dates come so many days later; teams can change"
            " their programs as soon as results_published has come"
        ),
    )
    open: bool = Field(
        False,
        description="whether the programs of a tournament are published before the season is over",
    )

    @property
    def is_season(self) -> bool:
        """Whether there is more than one tournament."""
        return self.tournaments > 1

    def dates_of(self, number: int, first: Dates) -> Dates:
        """Return the dates of this tournament; `first`: those of the first one."""
        return first.model_copy(
            update={
                name: getattr(first, name) + self.later(number, name) for name in Dates.model_fields
            }
        )

    def later(self, number: int, date: str) -> timedelta:
        """Return how much later than in the first tournament this date is in this one."""
        stays = date in ("registration_opens", "compilation_opens")
        return timedelta(days=0 if stays else (number - 1) * self.days)


class GameSettings(Section):
    """The game's parameters."""

    role = Role.DECIDES

    # Each game has a subclass in its own file.

    name: str = Field(description="which game is played; `knobeln games` lists them")


DEFAULT_GAME = "knobeln"


class RegistryImage(Section):
    """An image in a registry, which a team may name."""

    team: str = Field(min_length=1, description="the team whose program it is")
    image: str = Field(
        pattern=r"^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$",
        description="the image's name, with its registry",
    )


MAX_MOVE_SECONDS = 3_600
MAX_WITNESSES = 10


UNITS_PER_SECOND = 10_000_000_000
"""Units of fuel that a program sees as a second when it looks at its clock."""


class Programs(Section):
    """Limits for programs."""

    role = Role.DECIDES

    # of those of a team that wait longer only the newest counts
    MAX_COMPILES_PER_HOUR: ClassVar[int] = 20
    MAX_ELEMENTS: ClassVar[int] = 10_000  # lexical elements of a program after preprocessing (K56)
    MAX_SOURCE_BYTES: ClassVar[int] = 256_000
    MAX_RESULT_BYTES: ClassVar[int] = 16 * 1024 * 1024  # that a compiler makes
    MAX_MODULE_BYTES: ClassVar[int] = 2 * 1024 * 1024  # and if the program's time is counted
    # of processor time, for the machine code of a module; usual ones need one or two
    MACHINE_CODE_SECONDS: ClassVar[int] = 20
    # units to look for mistakes in a program that no compiler reads
    CHECK_FUEL: ClassVar[int] = 30_000_000_000
    # then the trial game of a program that is asked for moves ends
    TRIAL_SECONDS: ClassVar[float] = 60.0
    GAME_ANSWERS: ClassVar[int] = 50  # a game may take as much fuel as this many full answers
    MAX_PRACTICES_PER_HOUR: ClassVar[int] = 10  # letters `please test` of a team

    max_instructions: int = Field(
        855_000_000,
        ge=1_000,
        le=100_000_000_000,
        description=(
            "most machine instructions per player and game: 30 s of a SPARCstation 2 at 28.5 MIPS"
        ),
    )
    description: Literal["require", "warn", "none"] = Field(
        "require",
        description=(
            "what happens if a program has no description (KNOBELN: in #if 0). require: it is "
            "rejected; warn: it is accepted with a warning; none: no description is needed"
        ),
    )
    seconds: float = Field(
        5.0,
        gt=0,
        le=MAX_MOVE_SECONDS,
        description=(
            "processor time for each move of a program that does not run on the contest machine;"
            " for a function that is tabulated, for all its values. In a game it may sleep twice"
            " this time and 5 seconds more"
        ),
    )
    counted_languages: tuple[str, ...] = Field(
        (),
        description=(
            "languages whose programs' time is counted in units of fuel, so that no result depends"
            " on the computer (docs/clock.md); `knobeln init` found that this host can. All others"
            " have processor time, `seconds`"
        ),
    )
    fuel: int = Field(
        5 * UNITS_PER_SECOND,
        ge=100_000_000,  # the start of an interpreter takes up to 10,000,000
        le=1_000_000_000_000,
        description=(
            "most units for an answer of a program whose time is counted; 10,000,000,000 are about"
            " a second of Python on a usual computer. All its answers of a game together may take"
            " 50 times this"
        ),
    )
    build_seconds: int = Field(
        60,
        ge=10,
        le=100_000,
        json_schema_extra=OF_THE_HOST,  # that spends it; what is accepted plays everywhere
        description=(
            "processor time, in seconds, for building and trying a program that talks with the"
            " referee: compilers, counter, machine code and trial game together. If `fuel` is above"
            " 50,000,000,000, make it larger, too: 2 s for each 1,000,000,000 units are ample"
        ),
    )
    memory_mb: int = Field(
        0,
        ge=0,
        le=65_536,
        description=(
            "memory of a program that does not run on the contest machine, in MB, not counting what"
            " its language only reserves; 0 = as much as its language usually needs"
        ),
    )
    max_image_bytes: int = Field(
        0,
        ge=0,
        le=512 * 1024 * 1024,
        description=(
            "largest archive of a container image that a team may send instead of a program, if "
            "programs are started for each move; 0 = no images are accepted"
        ),
    )
    registry_images: tuple[RegistryImage, ...] = Field(
        (),
        description=(
            "container images in registries, fetched when their team names them in a letter, each "
            '{ team = "lords", image = "registry.example/lords/player:2" }'
        ),
    )
    python_packages: tuple[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], ...] = Field(
        (),
        description=(
            "packages that programs in Python may import besides the standard library, by the names"
            ' that they are imported with, e.g. ["numpy"]; install them for the system\'s Python'
        ),
    )
    further_languages: tuple[str, ...] = Field(
        (),
        description=(
            "languages that the contest takes besides C, C++, Rust, Python, JavaScript, Java, Perl"
            " and shell: C#, Common Lisp, Fortran, Go, Haskell, Lua, OCaml, Pascal, PHP, Ruby;"
            " `knobeln init` found that this host has them, `knobeln doctor` says what to install"
        ),
    )
    languages: tuple[Language, ...] = Field(
        (), description="languages besides the usual ones, each in a table [[programs.languages]]"
    )

    @property
    def told_seconds(self) -> float:
        """How long programs are told that they may think: if some are counted, as their clocks show
        it."""
        return (
            min(self.seconds, self.fuel / UNITS_PER_SECOND)
            if self.counted_languages
            else self.seconds
        )

    @property
    def game_fuel(self) -> int:
        """Most units of fuel for all answers of a game together."""
        return self.GAME_ANSWERS * self.fuel

    @property
    def counted_memory(self) -> list[str]:
        """The memory of programs whose time is counted, by language, as in "C 16 MB"."""
        return [
            f"{row.name} {self.memory_mb or row.as_counted().memory_mb} MB"
            for row in self.all_languages
            if row.name in self.counted_languages
        ]

    @property
    def sleep_seconds(self) -> float:
        """How long a program may sleep in a game; `seconds` is processor time."""
        return sleep_seconds(self.seconds)

    @property
    def all_languages(self) -> tuple[Language, ...]:
        """The contest's own languages, the usual ones, then the further ones; the first that has a
        suffix gets it.

        An own language replaces the one of the same name.
        """
        names = {row.name for row in self.languages}
        taken = {suffix for row in self.languages for suffix in row.suffixes}
        further = (row for row in further_languages() if row.name in self.further_languages)
        ours = (*usual_languages(), *further)
        others = (row.without(taken) for row in ours if row.name not in names)
        return (*self.languages, *(row for row in others if row.suffixes))

    @property
    def told_languages(self) -> list[str]:
        """All languages with their tools, and standards where compilers are told one, by name."""
        return [
            (row.as_counted() if row.name in self.counted_languages else row).told
            for row in self.all_languages
        ]

    @property
    def takes_images(self) -> bool:
        """Whether a container image may play in place of a program."""
        return bool(self.max_image_bytes or self.registry_images)

    @model_validator(mode="after")
    def _languages_differ(self) -> Programs:
        for what, words in (
            ("are called", [row.name for row in self.languages]),
            ("have the suffix", [suffix for row in self.languages for suffix in row.suffixes]),
        ):
            twice = sorted({word for word in words if words.count(word) > 1})
            if twice:
                raise ValueError(f"two languages {what} {twice[0]!r}")
        return self

    @model_validator(mode="after")
    def _further_languages_are_known(self) -> Programs:
        if not self.further_languages:
            return self  # the table takes time to read
        known = sorted(row.name for row in further_languages())
        for name in self.further_languages:
            if name not in known:
                raise ValueError(
                    f"further_languages: {name!r} is none of {', '.join(known)}; another language"
                    " is a table [[programs.languages]]"
                )
        return self

    @model_validator(mode="after")
    def _can_be_counted(self) -> Programs:
        can = (
            {row.name for row in self.all_languages if row.counted}
            if self.counted_languages
            else set()
        )
        if self.counted_languages and self.memory_mb > MAX_COUNTED_MEMORY_MB:
            raise ValueError(
                f"memory_mb: a program whose time is counted has at most {MAX_COUNTED_MEMORY_MB:,}"
                f" MB, and this is {self.memory_mb:,}"
            )
        for name in self.counted_languages:
            if name not in can:
                raise ValueError(
                    f"counted_languages: the time of programs in {name!r} cannot be counted"
                )
            if name == "Python" and self.python_packages:
                raise ValueError(
                    "counted_languages: Python that has python_packages cannot be counted"
                )
        return self


FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*")
FORM_FIELDS = ("mail-address", "mail-preference", "team-name", "Organization", "team-members")
"""The fields of every registration form (K25). A contest's own fields come before the last."""
_MAIL_HEADERS = ("to", "from", "subject", "date", "cc")
MAX_FIELD_VALUE = 500  # characters


def spelling(name: str) -> str:
    """One form for all ways to write a field's name: Team_Name, teamname, team-name."""
    return re.sub(r"[-_ ]", "", name).casefold()


def _field_name(name: str) -> str:
    if len(name) > 30 or not FIELD_NAME.fullmatch(name):
        raise ValueError(
            "the name of a field has at most 30 letters and digits, and hyphens between them"
        )
    if spelling(name) in map(spelling, (*FORM_FIELDS, *_MAIL_HEADERS)):
        raise ValueError(f"{name!r} is a field already, of every form or of every letter")
    return name


def _one_line(text: str) -> str:
    if text != " ".join(text.split()) or not text.isprintable() or len(text) > MAX_FIELD_VALUE:
        raise ValueError(
            f"{text!r} is not one line of at most {MAX_FIELD_VALUE} characters with single blanks"
        )
    return text


OneLine = Annotated[str, AfterValidator(_one_line)]


class ExtraField(Section):
    """A field of the registration form that only this contest has."""

    name: Annotated[str, AfterValidator(_field_name)] = Field(
        description="the field's name, before the colon"
    )
    description: OneLine = Field("", description="what to fill in, in the words of the form")
    choices: tuple[Annotated[str, Field(min_length=1), AfterValidator(_one_line)], ...] = Field(
        (), description="the possible values; empty = any text"
    )
    required: bool = Field(True, description="whether a team must fill it in")

    @model_validator(mode="after")
    def _choices_differ(self) -> ExtraField:
        if len({choice.casefold() for choice in self.choices}) != len(self.choices):
            raise ValueError("two choices are the same, but for capitals")
        return self

    @property
    def asks_for(self) -> str:
        """What to fill in, in a few words."""
        return self.description or " or ".join(self.choices) or self.name


class Registration(Section):
    """How a team's mail-address is checked."""

    confirm: Literal["never", "when-doubtful", "always"] = Field(
        "when-doubtful",
        description=(
            "whether the mail-address in a form has to answer a question before it gets anything"
            " else. when-doubtful: if another address sent the form, if your mail server does not"
            " say that the sender is genuine (mail.authserv_id), if a team that has withdrawn would"
            " come back, or after three forms for one mailbox, domain or network in an hour; a form"
            " that replies to a mail of ours to this address is believed. never: for closed"
            " networks only, since it also takes off the limits for letters that may be forged"
        ),
    )


class Teams(Section):
    """Limits for registrations, and the fields of the registration form."""

    role = Role.TOLD

    approval: Literal["automatic", "organizer"] = Field(
        "automatic",
        description="organizer: each registration waits for `knobeln teams accept NAME`",
    )
    max_teams: int = Field(
        2_000, ge=1, le=100_000, description="most teams; further registrations are not accepted"
    )
    max_per_organization: int = Field(
        0, ge=0, le=100_000, description="most teams from one organization; 0 = no limit"
    )
    word: str = Field(
        "",
        max_length=100,
        description=(
            "a word that is told in the lesson, which a letter `join NAME` must have in its text; "
            "`knobeln class open` tells how; empty = none"
        ),
        json_schema_extra=OF_THE_HOST,  # nobody else is told
    )
    max_members: int = Field(10, ge=1, le=1_000, description="most people in a team")
    member_lines: Literal[2, 1, 0] = Field(
        2,
        description=(
            "what the form asks of each member. 2: two lines, with name, age and occupation, then"
            " the background; 1: one line, with name and affiliation; 0: the name alone, and there"
            " is no Organization"
        ),
    )
    shared_people: Literal["flag", "refuse"] = Field(
        "flag",
        description=(
            "what happens if a registration names a member of another team. flag: it is accepted, "
            "and `knobeln teams` says so; refuse: it is not accepted"
        ),
    )
    fields: tuple[ExtraField, ...] = Field(
        (),
        description=(
            'further fields of the form, each { name = "school", description = "your school", '
            'choices = ["Caltech", "MIT"], required = true }; without choices any text'
        ),
    )
    prizes_by: str = Field(
        "",
        description="a field of the form: there are also prizes for the best of each of its values",
    )
    prizes: int = Field(
        3, ge=1, le=1_000, description="places with a prize, for each value of prizes_by"
    )

    @model_validator(mode="after")
    def _fields_are_known(self) -> Teams:
        names = [field.name for field in self.fields]
        if len(set(map(spelling, names))) != len(names):
            raise ValueError("two of the fields have names that a form does not tell apart")
        if self.prizes_by and self.prizes_by not in names:
            raise ValueError(
                f"prizes_by = {self.prizes_by!r} is not one of the contest's own fields"
                + (f", which are {', '.join(names)}" if names else "; it has no own fields")
            )
        return self


def _odd(games: int) -> int:
    return games if games % 2 else games - 1


class Witness(Section):
    """Somebody who signs the ledger, too: at the deadline, with the final list of entries, and at
    the end."""

    key: str = Field(description="what `python3 witness.py new NAME` has printed")
    address: Address = Field(
        "", description="where the ledger is sent to be signed; no archive has it"
    )

    @field_validator("key")
    @classmethod
    def _key(cls, text: str) -> str:
        return str(VerifierKey.of_witness(text))

    @property
    def name(self) -> str:
        return VerifierKey.of_witness(self.key).name


class Tournament(Section):
    """Which programs meet. The sizes of groups and of the final matter in group elimination
    only."""

    role = Role.DECIDES

    format: str = Field(
        "group-elimination",
        description="{formats}",  # what `formats_described` says
    )
    games: int = Field(
        1,
        ge=1,
        le=10_000,
        description=(
            "games of each pairing. double-elimination: a match with equal points goes on up to"
            " three times as many; the final has 7/3 and the match for third place 5/3 of them,"
            " rounded down to an odd number"
        ),
    )
    group_min: int = Field(
        20, ge=2, le=10_000, description="smallest group, if there are enough participants"
    )
    group_max: int = Field(41, ge=2, le=10_000, description="largest group")
    final_size: int = Field(
        41, ge=2, le=10_000, description="the round of this many participants or fewer is the final"
    )
    self_play: bool = Field(
        True, description="each strategy also plays one game against itself (1993: false)"
    )
    workers: int = Field(
        0,
        ge=0,
        le=1_024,
        description="games or engines at once; 0 = one per core. Never changes a result",
        json_schema_extra=OF_THE_HOST,
    )
    by_date: bool = Field(
        False,
        description=(
            "whether `serve` plays the contest when its date has come, as it plays a season,"
            " without `knobeln run`"
        ),
        json_schema_extra=OF_THE_HOST,
    )
    beacon: str = Field(
        "none",
        description=(
            "where the public number of the draw comes from: `drand`, a network that publishes"
            " random values; `lottery: 6 numbers of ` and which public draw; `file`, any text, for"
            " rehearsals; or `none`. Teams are told in their welcome, so choose before the first"
            " registration"
        ),
    )

    witnesses: tuple[Witness, ...] = Field(
        (),
        max_length=MAX_WITNESSES,
        description=(
            'who signs the ledger, too, so that you alone cannot change it: each { key = "what'
            ' their witness.py has printed", address = "witness@other.example" }. Choose people'
            " whom teams trust, before the first list of entries"
        ),
    )

    @property
    def third_place_games(self) -> int:
        """Games of the match that decides third place of a double elimination."""
        return _odd(5 * self.games // 3)

    @property
    def final_games(self) -> int:
        """Games of the final of a double elimination."""
        return _odd(7 * self.games // 3)

    @property
    def max_games(self) -> int:
        """A match of a double elimination with equal points goes on up to this many games."""
        return 3 * self.games

    @field_validator("beacon")
    @classmethod
    def _beacon(cls, text: str) -> str:
        Beacon.of(text)
        return text

    @model_validator(mode="after")
    def _sizes(self) -> Tournament:
        if self.group_max < 2 * self.group_min - 1:
            raise ValueError(
                f"group_max must be at least 2 * group_min - 1 = {2 * self.group_min - 1}, "
                "or some numbers of participants cannot be divided into groups"
            )
        if self.final_size > self.group_max:
            raise ValueError("final_size is larger than group_max, but the final is a single group")
        return self


class Evolution(Section):
    """Discipline 2, computed from the final."""

    role = Role.DECIDES

    enabled: bool = Field(True, description="whether it is played (1993: false)")
    exemplars: int = Field(
        5, ge=1, le=100_000, description="exemplars of each strategy at the start"
    )
    rounding: Literal["literal", "constant-total"] = Field(
        "literal",
        description=(
            "literal: N*F(p) rounded half up, the sum may drift; constant-total: largest remainder"
        ),
    )


KNOBELN_REPORTS = ("LAP", "LGP", "DGP", "GRP", "GRG", "GRR", "RSM")
"""The codes of KNOBELN's announcement, in its order (K30)."""


class Reports(Section):
    """What goes out by itself."""

    role = Role.TOLD

    summary: Literal["automatic", "organizer"] = Field(
        "automatic",
        description=(
            "organizer: the summary of a round (RSM) waits for your words, `knobeln run summary`"
        ),
    )
    offered: tuple[str, ...] = Field(
        (*KNOBELN_REPORTS, "JSON"),
        description="the codes of the reports that a team can ask for by mail-preference; "
        "`make docs` lists them all",
    )
    places: int = Field(
        0,
        ge=0,
        le=10_000,
        description=(
            "how many of the first places mails show in rankings; each team reads its own place "
            "besides. 0 = all"
        ),
    )


class Ladder(Section):
    """The ladder, a ranking outside the contest: before and after it accepted programs play each
    other."""

    enabled: bool = Field(
        False,
        description="whether `knobeln serve` plays it; games of two players only. "
        "Games that are computed always have a ladder",
    )


class Site(Section):
    """The pages about the contest: a folder of files that any web server can serve."""

    folder: str = Field(
        "",
        description=(
            "`knobeln serve` keeps the pages in this folder, below the contest's if relative; "
            "empty = none; `knobeln site DIR` writes them once"
        ),
    )
    url: str = Field(
        "",
        pattern=r"^(https?://\S+)?$",
        description=(
            "where the folder is on the web: links to it then tell in messengers what is behind, "
            "and the feed leads back to it"
        ),
    )
    programs: bool = Field(
        True,
        description=(
            "after the contest the pages show the teams' programs and descriptions, as the teams of"
            " KNOBELN agree to by their registration"
        ),
    )


def _host_and_port(text: str) -> str:
    if text and not re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^\s:\[\]]+)(:\d{1,5})?", text):
        raise ValueError(
            f"{text!r} is no host, such as mail.example, mail.example:587 or [::1]:587"
        )
    if _port_of(text, 0) > 65_535:
        raise ValueError("the largest port is 65535")
    return text


def _port_or_path(text: str) -> str:
    return text if "/" in text else _host_and_port(text)


def _host_of(text: str) -> str:
    return re.sub(r":\d+$", "", text).strip("[]")


def _port_of(text: str, usual: int) -> int:
    port = re.search(r"(?:\]|^[^:]*):(\d+)$", text)
    return int(port[1]) if port else usual


HostAndPort = Annotated[str, AfterValidator(_host_and_port)]

_SPANS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
}
_SENDING_LIMIT = re.compile(r"([1-9][0-9]{0,6}) per (minute|hour|day)")


def _sending_limit(text: str) -> str:
    if not _SENDING_LIMIT.fullmatch(text):
        raise ValueError(f"{text!r} is no limit, such as 50 per hour or 500 per day")
    return text


SendingLimit = Annotated[str, AfterValidator(_sending_limit)]


class DeliveryKind(StrEnum):
    MAILDIR = "maildir"
    SMTP = "smtp"


class Mail(Section):
    """Receiving letters and sending mails."""

    listen: Annotated[str, AfterValidator(_port_or_path)] = Field(
        "localhost:8025",
        description=(
            "where `knobeln serve` accepts letters: an address and its port (0 = any free port);"
            " localhost = this host alone, [::] = all of its addresses, both with IPv4 and IPv6"
            " where the host has both; or the path of a Unix socket, with a /, below the contest's"
            " folder if relative; empty = no listener"
        ),
    )
    listen_protocol: Literal["smtp", "lmtp"] = Field(
        "smtp", description="the protocol there; mail systems use lmtp to deliver to a mailbox"
    )
    tls_certificate: str = Field(
        "", description="certificate and chain (PEM); with it the listener offers STARTTLS"
    )
    tls_key: str = Field("", description="its key (PEM), if it is in a file of its own")
    delivery: DeliveryKind = Field(
        DeliveryKind.MAILDIR,
        description=(
            "maildir: a Maildir per recipient below the contest's folder `mail`; smtp: the"
            " smarthost"
        ),
    )
    smarthost: HostAndPort = Field(
        "localhost",
        description=(
            "the relay that takes our mails, with its port if that is not the usual one: 25, with "
            "starttls 587, with tls 465"
        ),
    )
    security: Literal["none", "starttls", "tls"] = Field(
        "none", description="encryption of the connection to the smarthost"
    )
    username: str = Field("", description="login at the smarthost; empty = none")
    password: str = Field(
        "",
        repr=False,
        description=(
            "better set in KNOBELN_SET_MAIL__PASSWORD than written here; empty = an access token, "
            "see the section oauth"
        ),
    )
    verp: bool = Field(
        True,
        description=(
            "true: each mail has its own bounce address robot+b-...@; false: bounces come to the "
            "robot's "
            "own address, for relays that allow no other sender"
        ),
    )
    limits: tuple[SendingLimit, ...] = Field(
        (),
        max_length=3,
        description=(
            "how many mails the smarthost takes from us at most, e.g."
            ' ["30 per minute", "500 per day"]; those above it wait, reports behind answers'
        ),
    )
    authserv_id: str = Field(
        "",
        description=(
            "the name under which your own mail server writes Authentication-Results into letters"
            " (its authserv-id, RFC 8601); empty = it writes none. It must remove fields that"
            " strangers wrote"
        ),
    )
    answers_per_hour: int = Field(
        10,
        ge=1,
        le=100_000,
        description="most automatic answers to one address in an hour; prevents mail loops",
    )

    @property
    def listen_host(self) -> str:
        """The address of the listener; "" if it has none."""
        return "" if self.listen_socket else _host_of(self.listen)

    @property
    def listen_port(self) -> int:
        """The listener's port; 0 = any free port."""
        return 0 if self.listen_socket else _port_of(self.listen, 0)

    @property
    def listen_socket(self) -> str:
        """The path of the listener's Unix socket; "" if it has none."""
        return self.listen if "/" in self.listen else ""

    @property
    def sending_limits(self) -> tuple[tuple[int, timedelta], ...]:
        """How many mails may go out within which span, for each limit."""
        matches = (_SENDING_LIMIT.fullmatch(limit) for limit in self.limits)
        return tuple((int(match[1]), _SPANS[match[2]]) for match in matches if match)

    @property
    def relay_host(self) -> str:
        """The name of the relay."""
        return _host_of(self.smarthost)

    @property
    def relay_port(self) -> int:
        """The relay's port."""
        return _port_of(self.smarthost, {"none": 25, "starttls": 587, "tls": 465}[self.security])


class Imap(Section):
    """Letters from a mailbox at another mail server, which `knobeln serve` fetches by IMAP."""

    server: HostAndPort = Field(
        "",
        description=(
            "the mail server that has the robot's mailbox, with its port if that is not the usual "
            "one: 993, with starttls 143; empty = none"
        ),
    )
    security: Literal["tls", "starttls", "none"] = Field(
        "tls", description="encryption; none is for a server on this host only"
    )
    username: str = Field("", description="the mailbox's name at the server, often its address")
    password: str = Field(
        "",
        repr=False,
        description=(
            "better set in KNOBELN_SET_IMAP__PASSWORD than written here; empty = an access token, "
            "see the section oauth"
        ),
    )
    folder: str = Field("INBOX", description="where the letters are")

    @property
    def host(self) -> str:
        """The name of the mail server; "" if there is none."""
        return _host_of(self.server)

    @property
    def port(self) -> int:
        """The mail server's port."""
        return _port_of(self.server, 993 if self.security == "tls" else 143)

    @model_validator(mode="after")
    def _passwords_stay_here(self) -> Imap:
        if self.security == "none" and self.host not in ("", "localhost", "127.0.0.1", "::1"):
            raise ValueError("security = none would send the password openly through the network")
        if self.host and not self.username:
            raise ValueError("a server needs a username")
        return self


class Cluster(Section):
    """Other hosts that play on the contest day; see docs/scaling.md. They never change a result."""

    scheduler: str = Field(
        "",
        pattern=r"^(tls://.+)?$",
        description=(
            "address of dask's scheduler, such as `tls://host:8786`; empty = this host alone"
        ),
    )


class OAuth(Section):
    """Access tokens, if the provider wants them instead of a password: from a command or a refresh
    token."""

    token_command: str = Field(
        "",
        description=(
            "a command that prints an access token, started without a shell; empty = use the "
            "refresh token"
        ),
    )
    token_url: str = Field(
        "",
        pattern=r"^(https://.+|http://(127\.0\.0\.1|localhost)[:/].*)?$",
        description="the provider's address that exchanges the refresh token for an access token",
    )
    client_id: str = Field("", description="the name under which you have registered knobeln there")
    client_secret: str = Field(
        "", repr=False, description="better set in KNOBELN_SET_OAUTH__CLIENT_SECRET; empty = none"
    )
    refresh_token: str = Field(
        "",
        repr=False,
        description="better set in KNOBELN_SET_OAUTH__REFRESH_TOKEN than written here",
    )

    @property
    def is_set(self) -> bool:
        """Whether the settings say how to get a token."""
        return bool(
            self.token_command or (self.token_url and self.client_id and self.refresh_token)
        )
