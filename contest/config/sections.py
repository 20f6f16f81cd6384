"""The sections of contest.toml: every setting once, with its default and its meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from contest import drand, language
from contest.beacon import Beacon
from contest.clock import wall_seconds
from contest.language import noted


def _utc(moment: datetime) -> datetime:
    """A time without a zone is Universal Time, as in the announcement (K100)."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _address(text: str) -> str:
    # Slow to import, and only needed to validate.
    from email_validator import EmailNotValidError, validate_email

    try:
        return validate_email(text, check_deliverability=False, test_environment=True).normalized
    except EmailNotValidError as error:
        raise ValueError(f"{text!r} is no mail address: {error}") from None


Moment = Annotated[datetime, AfterValidator(_utc)]
Address = Annotated[str, AfterValidator(_address)]


class Section(BaseModel):
    # Validators are built on first validation: code that only receives settings does not pay for them.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Contest(Section):
    """The name of the contest, its organizer, and its addresses."""

    title: str = Field(
        "International KNOBELN contest", description="the name of the contest, as all mails say it"
    )
    subject_word: str = Field(
        "KNOBELN",
        pattern=r"^\S+$",
        description="the last word of the registration's subject: `registration for KNOBELN`",
    )
    language: str = Field(
        "en",
        description="the language of mails and pages: en or de (German). A team chooses its own by a line "
        "`language: de` in the registration form",
    )
    organizer: str = Field("The organizer", description="who signs the mails")
    organizer_address: Address = Field(
        "organizer@localhost.example", description="where people write to a person; not read by the robot"
    )
    address: Address = Field(
        "knobeln@localhost.example", description="the robot's address: registrations and programs go here"
    )
    aliases: tuple[Address, ...] = Field((), description="further addresses that reach the robot")

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


class Dates(Section):
    """Universal Time. The robot keeps these dates; the organizer starts the contest with `knobeln run`."""

    registration_opens: Moment = Field(description="from here on registrations are accepted")
    compilation_opens: Moment = Field(description="from here on programs are compiled")
    registration_closes: Moment = Field(
        description="a registration received at this time or later is refused"
    )
    compilation_closes: Moment = Field(
        description="a program received at this time or later is refused; 1994: two hours before the start"
    )
    contest_starts: Moment = Field(description="before this time `knobeln run` needs --now")
    results_published: Moment = Field(
        description="when the results are to be published; the teams are told, nothing else happens"
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


class GameSettings(Section):
    """The game's parameters."""

    # Each game has a subclass in its own file.

    name: str = Field(description="which game is played; `knobeln games` lists them")


DEFAULT_GAME = "knobeln"
WORDS = ("tool", "home", "program", "stem", "result", "memory")
"""The names in braces that the words of a language's commands may contain."""


def _word(word: str) -> str:
    try:
        word.format(**dict.fromkeys(WORDS, ""))
    except (KeyError, IndexError, ValueError, AttributeError):
        raise ValueError(
            f"{word!r}: in braces there can be {', '.join(f'{{{name}}}' for name in WORDS)}; a brace itself "
            "is written twice"
        ) from None
    return word


Word = Annotated[str, AfterValidator(_word)]


class LanguageRow(Section):
    """A language that this contest accepts besides the usual ones, or instead of one of them."""

    name: str = Field(
        min_length=1, max_length=30, description="the language's name; replaces a usual one of the same name"
    )
    suffixes: tuple[Annotated[str, Field(pattern=r"^[a-z0-9]{1,16}$")], ...] = Field(
        min_length=1, description="suffixes of its files' names, in small letters and without a dot"
    )
    tool: str = Field(min_length=1, description="the compiler or interpreter, below /usr")
    run: tuple[Word, ...] = Field(min_length=1, description="the command that runs a program")
    build: tuple[Word, ...] = Field((), description="the command that compiles or checks; empty = not needed")
    result: str = Field(
        "",
        pattern=r"^(\.[A-Za-z0-9_.-]{1,60})?$",
        description="the file that the build makes, beginning with a dot",
    )
    version: tuple[Word, ...] = Field(
        ("{tool}", "--version"), description="the command that prints the tool's version"
    )
    memory_mb: int = Field(256, ge=1, le=65_536, description="memory of a running program")
    reserved_mb: int = Field(
        64, ge=0, le=65_536, description="address space that the tool also reserves, without using it"
    )
    build_memory_mb: int = Field(512, ge=1, le=65_536, description="memory of the build")
    processes: int = Field(16, ge=1, le=256, description="processes and threads of a running program")
    environment: dict[str, Word] = Field(
        default_factory=dict, description="environment variables for the build and the program"
    )
    folders: tuple[str, ...] = Field(
        (), description="folders outside /usr with settings of the tool; patterns"
    )
    sample: str = Field(
        "",
        description="a program that prints its first argument; `knobeln doctor` tries the language with it",
    )

    @model_validator(mode="after")
    def _result_is_made(self) -> LanguageRow:
        used = any("{result}" in word for word in (*self.run, *self.build))
        if used and not self.result:
            raise ValueError("a command contains {result}, but `result` does not name the file")
        if self.result and not self.build:
            raise ValueError("`result` names the file that the build makes, but there is no `build`")
        return self


class PulledImage(Section):
    """An image that the organizer has pulled for a team."""

    team: str = Field(min_length=1, description="the team whose program it is")
    image: str = Field(
        pattern=r"^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$", description="the image's name in podman or docker"
    )


MAX_MOVE_SECONDS = 3_600


UNITS_PER_SECOND = 10_000_000_000
"""Units of fuel that a program sees as a second when it looks at its clock."""


class Programs(Section):
    """Limits for programs."""

    max_elements: int = Field(
        10_000, ge=1, le=1_000_000, description="most lexical elements of a program after preprocessing"
    )
    max_instructions: int = Field(
        855_000_000,
        ge=1_000,
        le=100_000_000_000,
        description="most machine instructions per player and game: 30 s of a SPARCstation 2 at 28.5 MIPS",
    )
    description: Literal["require", "warn", "none"] = Field(
        "require",
        description="what happens if a program has no description (KNOBELN: in #if 0). require: it is "
        "rejected; warn: it is accepted with a warning; none: no description is needed",
    )
    min_description_lines: int = Field(
        15, ge=0, le=1_000, description="a description with fewer non-blank lines is accepted with a warning"
    )
    max_compiles_per_hour: int = Field(
        20,
        ge=1,
        le=100_000,
        description="most compilations for one team; of the programs that wait longer only the newest is "
        "compiled",
    )
    max_source_bytes: int = Field(
        256_000, ge=1_000, le=16_000_000, description="a longer program is refused unread"
    )
    seconds: float = Field(
        5.0,
        gt=0,
        le=MAX_MOVE_SECONDS,
        description="processor time for each move of a program that does not run on the contest machine; "
        "for a function that is tabulated, for all its values. By the clock it has twice this time and 5 "
        "seconds more",
    )
    clock: Literal["cpu", "fuel"] = Field(
        "cpu",
        description="what limits a program that does not run on the contest machine. cpu: processor time, "
        "`seconds`; fuel: the steps of its program, counted in units of fuel, so that nothing depends on the "
        "computer (docs/clock.md). Languages that cannot be counted keep processor time",
    )
    fuel_languages: tuple[Literal["C", "C++", "Rust", "Python", "JavaScript"], ...] = Field(
        ("C", "C++", "Rust", "Python", "JavaScript"),
        description="with clock = fuel, the languages whose programs are counted; the others have processor "
        "time. So do languages of [[programs.languages]], and Python if it has python_packages",
    )
    fuel: int = Field(
        5 * UNITS_PER_SECOND,
        ge=100_000_000,  # the start of an interpreter takes up to 10,000,000
        le=1_000_000_000_000,
        description="with clock = fuel, most units for an answer; 10,000,000,000 are about a second of "
        "Python on a usual computer",
    )
    game_fuel: int = Field(
        250 * UNITS_PER_SECOND,
        ge=100_000_000,
        le=4_000_000_000_000,
        description="with clock = fuel, most units for all answers of a game together",
    )
    trial_seconds: float = Field(
        60.0,
        gt=0,
        le=3_600,
        description="time for the trial game of a program that is asked for moves; then the game is broken "
        "off",
    )
    memory_mb: int = Field(
        0,
        ge=0,
        le=65_536,
        description="memory of a program that does not run on the contest machine, in MB, not counting what "
        "its language only reserves; 0 = as much as its language usually needs",
    )
    max_comparisons_per_hour: int = Field(
        20,
        ge=1,
        le=100_000,
        description="most `please compare` letters of one team, if the contest's game is computed exactly",
    )
    max_image_bytes: int = Field(
        0,
        ge=0,
        le=512 * 1024 * 1024,
        description="largest archive of a container image that a team may send instead of a program, if "
        "programs are started for each move; 0 = no images are accepted",
    )
    pulled_images: tuple[PulledImage, ...] = Field(
        (),
        description="container images that play when their team names them in a letter, each "
        '{ team = "lords", image = "registry.example/lords/player:2" }; pull them first',
    )
    max_practices_per_hour: int = Field(
        10,
        ge=0,
        le=100_000,
        description="most `please test` and `please play` letters of one team, together; 0 = there is no "
        "practice",
    )
    python_packages: tuple[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], ...] = Field(
        (),
        description="packages that programs in Python may import besides the standard library, by the names "
        'that they are imported with, e.g. ["numpy"]; install them for the system\'s Python',
    )
    languages: tuple[LanguageRow, ...] = Field(
        (), description="languages besides the usual ones, each in a table [[programs.languages]]"
    )

    @property
    def told_seconds(self) -> float:
        """How long programs are told that they may think: with clock = fuel, as their clocks show it."""
        return self.seconds if self.clock == "cpu" else min(self.seconds, self.fuel / UNITS_PER_SECOND)

    @property
    def wall_seconds(self) -> float:
        """How long a program has for an answer by the clock; `seconds` is processor time."""
        return wall_seconds(self.seconds)

    @property
    def counted_languages(self) -> tuple[str, ...]:
        """The languages whose programs are counted if the host can do it; () = only processor time limits."""
        own = {row.name for row in self.languages} | ({"Python"} if self.python_packages else set())
        return tuple(name for name in self.fuel_languages if name not in own) if self.clock == "fuel" else ()

    @property
    def takes_images(self) -> bool:
        """Whether a container image may play in place of a program."""
        return bool(self.max_image_bytes or self.pulled_images)

    @model_validator(mode="after")
    def _languages_differ(self) -> Programs:
        for what, found in (
            ("are called", [row.name for row in self.languages]),
            ("have the suffix", [suffix for row in self.languages for suffix in row.suffixes]),
        ):
            twice = sorted({word for word in found if found.count(word) > 1})
            if twice:
                raise ValueError(f"two languages {what} {twice[0]!r}")
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
        raise ValueError("the name of a field has at most 30 letters and digits, and hyphens between them")
    if spelling(name) in map(spelling, (*FORM_FIELDS, *_MAIL_HEADERS)):
        raise ValueError(f"{name!r} is a field already, of every form or of every letter")
    return name


def _one_line(text: str) -> str:
    if text != " ".join(text.split()) or not text.isprintable() or len(text) > MAX_FIELD_VALUE:
        raise ValueError(
            f"{text!r} is not one line of at most {MAX_FIELD_VALUE} characters with single blanks"
        )
    return text


def _choice(text: str) -> str:
    if not text:
        raise ValueError("a choice is not empty; `required = false` lets a team leave the field empty")
    return text


OneLine = Annotated[str, AfterValidator(_one_line)]


class ExtraField(Section):
    """A field of the registration form that only this contest has."""

    name: Annotated[str, AfterValidator(_field_name)] = Field(
        description="the field's name, before the colon"
    )
    description: OneLine = Field("", description="what to fill in, in the words of the form")
    choices: tuple[Annotated[OneLine, AfterValidator(_choice)], ...] = Field(
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
        description="whether the mail-address in a form has to answer a question before it gets anything "
        "else. when-doubtful: if another address sent the form, if your mail server does not say that the "
        "sender is genuine (mail.authserv_id), or after three forms for one mailbox, domain or network in an "
        "hour; never: for closed networks only, since it also takes off the limits for letters that may be "
        "forged",
    )


class Teams(Section):
    """Limits for registrations, and the fields of the registration form."""

    approval: Literal["automatic", "organizer"] = Field(
        "automatic", description="organizer: each registration waits for `knobeln teams accept NAME`"
    )
    max_teams: int = Field(
        2_000, ge=1, le=100_000, description="most teams; further registrations are not accepted"
    )
    max_per_organization: int = Field(
        0, ge=0, le=100_000, description="most teams from one organization; 0 = no limit"
    )
    max_members: int = Field(10, ge=1, le=1_000, description="most people in a team")
    member_lines: Literal[2, 1] = Field(
        2,
        description="lines for each member in the form. 2: name, age and occupation, then the background; "
        "1: name and affiliation",
    )
    shared_people: Literal["flag", "refuse"] = Field(
        "flag",
        description="what happens if a registration names a member of another team. flag: it is accepted, "
        "and `knobeln teams` says so; refuse: it is not accepted",
    )
    fields: tuple[ExtraField, ...] = Field(
        (),
        description='further fields of the form, each { name = "school", description = "your school", '
        'choices = ["Caltech", "MIT"], required = true }; without choices any text',
    )
    prizes_by: str = Field(
        "", description="a field of the form: there are also prizes for the best of each of its values"
    )
    prizes: int = Field(3, ge=1, le=1_000, description="places with a prize, for each value of prizes_by")

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


class Tournament(Section):
    """Which programs meet. The sizes of groups and of the final matter in group elimination only."""

    retired: ClassVar[frozenset[str]] = frozenset({"final_replays"})
    """Settings of earlier versions. They are accepted and do nothing, so that old contests can be opened."""

    format: str = Field(
        "group-elimination",
        description="{formats}",  # what `formats_described` says
    )
    games: int = Field(1, ge=1, le=10_000, description="games of each pairing")
    third_place_games: int = Field(
        5, ge=1, le=1_000, description="double-elimination: games of the match that decides third place"
    )
    final_games: int = Field(7, ge=1, le=1_000, description="double-elimination: games of the final")
    max_games: int = Field(
        9,
        ge=0,
        le=1_000,
        description="double-elimination: a match with equal points goes on up to this many games",
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
        0, ge=0, le=1_024, description="worker processes at once; 0 = one per core. Never changes a result"
    )

    beacon: str = Field(
        "none",
        description="where the public number of the draw comes from: `drand`, a network that publishes "
        "random values; `lottery: ` and which public draw counts; `file`, any text, for rehearsals; or "
        "`none`. Teams are told in their welcome, so choose before the first registration",
    )
    beacon_minutes: int = Field(
        10,
        ge=0,
        le=1_440,
        description="from the contest's start, when the list of entries is final, to the public number; "
        "mails with the list must arrive in between",
    )
    drand_urls: tuple[str, ...] = Field(
        ("https://api.drand.sh", "https://drand.cloudflare.com"),
        min_length=1,
        description="servers of drand, asked in turn; `https://` only",
    )
    drand_chain: str = Field(
        drand.QUICKNET, description="the chain of drand, as `/info` of its servers describes it"
    )

    @field_validator("beacon")
    @classmethod
    def _beacon(cls, text: str) -> str:
        Beacon.of(text)
        return text

    @field_validator("drand_urls")
    @classmethod
    def _urls(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for url in urls:
            if not re.fullmatch(r"https://[!-~]+", url):
                raise ValueError(f"{url!r} is no address of a server: write it like https://api.drand.sh")
        return urls

    @field_validator("drand_chain")
    @classmethod
    def _chain(cls, text: str) -> str:
        drand.Chain.from_json(text)
        return text

    @model_validator(mode="before")
    @classmethod
    def _without_retired(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if name not in cls.retired}

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

    enabled: bool = Field(True, description="whether it is played (1993: false)")
    exemplars: int = Field(5, ge=1, le=100_000, description="exemplars of each strategy at the start")
    rounding: Literal["literal", "constant-total"] = Field(
        "literal",
        description="literal: N*F(p) rounded half up, the sum may drift; constant-total: largest remainder",
    )
    max_generations: int = Field(
        10_000, ge=1, le=1_000_000, description="a safety limit that no known final comes near"
    )


KNOBELN_REPORTS = ("LAP", "LGP", "DGP", "GRP", "GRG", "GRR", "RSM")
"""The codes of KNOBELN's announcement, in its order (K30)."""


class Reports(Section):
    """What goes out by itself."""

    summary: Literal["automatic", "organizer"] = Field(
        "automatic",
        description="organizer: the summary of a round (RSM) waits for your words, `knobeln summary ROUND`",
    )
    offered: tuple[str, ...] = Field(
        KNOBELN_REPORTS,
        description="the codes of the reports that a team can ask for by mail-preference; "
        "docs/reference/reports.md has them all",
    )

    @field_validator("offered")
    @classmethod
    def _each_once(cls, codes: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(codes)) != len(codes):
            raise ValueError("a report is offered twice")
        return codes


class Hill(Section):
    """The hill, a ranking outside the contest: before and after it all accepted programs play each other."""

    enabled: bool = Field(False, description="whether `knobeln serve` plays it; games of two players only")
    mail_hours: int = Field(
        24,
        ge=0,
        le=8_760,
        description="a ranking that has changed is mailed to teams with GRR or RSM, at most once in this "
        "many "
        "hours; 0 = no mails",
    )


class Site(Section):
    """The pages about the contest: a folder of files that any web server can serve."""

    folder: str = Field(
        "",
        description="`knobeln serve` keeps the pages in this folder, below the contest's if relative; "
        "empty = none; `knobeln site DIR` writes them once",
    )
    url: str = Field(
        "",
        pattern=r"^(https?://\S+)?$",
        description="where the folder is on the web: links to it then show a picture in messengers, and feed "
        "and calendar lead back to it",
    )
    results: Literal["rounds", "date"] = Field(
        "rounds",
        description="when the pages show results. rounds: after each round's summary has gone out; date: "
        "not before "
        "dates.results_published",
    )
    max_games: int = Field(
        3_000,
        ge=0,
        le=100_000,
        description="most games that can be replayed throw by throw or move by move; games of the last round "
        "and games between the best come first",
    )
    programs: bool = Field(
        True,
        description="after the contest the pages show the teams' programs and descriptions, as the teams of "
        "KNOBELN agree to by their registration",
    )


class DeliveryKind(StrEnum):
    MAILDIR = "maildir"
    SMTP = "smtp"
    SENDMAIL = "sendmail"
    STDOUT = "stdout"


class Mail(Section):
    """Receiving letters and sending mails."""

    listen_host: str = Field(
        "127.0.0.1",
        description="the address where `knobeln serve` accepts letters by SMTP; empty = no listener",
    )
    listen_port: int = Field(8025, ge=0, le=65535, description="its port; 0 = any free port")
    listen_socket: str = Field(
        "", description="a Unix socket that also accepts letters, below the contest's folder if relative"
    )
    listen_protocol: Literal["smtp", "lmtp"] = Field(
        "smtp", description="the protocol there; mail systems use lmtp to deliver to a mailbox"
    )
    tls_certificate: str = Field(
        "",
        description="certificate and chain (PEM); with it the listener offers STARTTLS",
    )
    tls_key: str = Field("", description="its key (PEM), if it is in a file of its own")
    max_letter_bytes: int = Field(
        1_000_000,
        ge=10_000,
        le=100_000_000,
        description="a larger letter is refused with 552; one from a team's own address may be larger by "
        "an image, see programs.max_image_bytes",
    )
    max_connections: int = Field(100, ge=1, le=10_000, description="SMTP connections at once")
    delivery: DeliveryKind = Field(
        DeliveryKind.MAILDIR,
        description="maildir: a Maildir per recipient below maildir_root; smtp: the smarthost; "
        "sendmail: the command; stdout: printed, for dry runs",
    )
    maildir_root: str = Field(
        "mail", description="folder of the Maildirs, below the contest's folder if relative"
    )
    smarthost: str = Field("localhost", description="the relay that takes our mails")
    smarthost_port: int = Field(25, ge=1, le=65535, description="its port")
    security: Literal["none", "starttls", "tls"] = Field(
        "none", description="encryption of the connection to the smarthost"
    )
    login: Literal["password", "xoauth2"] = Field(
        "password",
        description="password: PLAIN or LOGIN, as the smarthost offers; xoauth2: a token, see oauth",
    )
    username: str = Field("", description="login at the smarthost; empty = none")
    password: str = Field(
        "", repr=False, description="better set in KNOBELN_SET_MAIL__PASSWORD than written here"
    )
    sendmail: str = Field(
        "/usr/sbin/sendmail", description="the command that sends our mails; started without a shell"
    )
    verp: bool = Field(
        True,
        description="true: each mail has its own bounce address robot+b-...@; false: bounces come to the "
        "robot's "
        "own address, for relays that allow no other sender",
    )
    authserv_id: str = Field(
        "",
        description="the name under which your own mail server writes Authentication-Results into letters "
        "(its authserv-id, RFC 8601); empty = it writes none. It must remove fields that strangers wrote",
    )
    answers_per_hour: int = Field(
        10,
        ge=1,
        le=100_000,
        description="most automatic answers to one address in an hour; prevents mail loops",
    )
    give_up_after_hours: int = Field(
        72, ge=1, le=8_760, description="hours after which a mail fails that the relay keeps deferring"
    )


class Imap(Section):
    """Letters from a mailbox at another mail server, which `knobeln serve` fetches by IMAP."""

    host: str = Field("", description="the mail server that has the robot's mailbox; empty = none")
    port: int = Field(993, ge=1, le=65535, description="its port; with starttls usually 143")
    security: Literal["tls", "starttls", "none"] = Field(
        "tls", description="encryption; none is for a server on this host only"
    )
    ca_file: str = Field(
        "",
        description="certificates (PEM) of the authority that signed the server's; empty = those this host "
        "trusts",
    )
    login: Literal["password", "xoauth2", "oauthbearer"] = Field(
        "password", description="how we log in; the other two need an access token, see the section oauth"
    )
    username: str = Field("", description="the mailbox's name at the server, often its address")
    password: str = Field(
        "", repr=False, description="better set in KNOBELN_SET_IMAP__PASSWORD than written here"
    )
    folder: str = Field("INBOX", description="where the letters are")
    shared: bool = Field(
        False,
        description="whether several contests read this mailbox: only letters to contest.address and "
        "contest.aliases are taken",
    )
    processed_folder: str = Field(
        "Processed", description="folder for letters that were taken; empty = they stay, with a flag"
    )
    failed_folder: str = Field(
        "Failed", description="folder for letters that are too large or cannot be fetched; empty = they stay"
    )
    idle: bool = Field(True, description="hear of new letters at once, if the server supports it (IDLE)")
    poll_seconds: int = Field(60, ge=1, le=86_400, description="how often to look for new letters otherwise")

    @model_validator(mode="after")
    def _passwords_stay_here(self) -> Imap:
        if self.security == "none" and self.host not in ("", "localhost", "127.0.0.1", "::1"):
            raise ValueError("security = none would send the password openly through the network")
        if self.host and not self.username:
            raise ValueError("a host needs a username")
        return self


class Pickup(Section):
    """Letters from a Maildir on this host, into which its mail system delivers."""

    maildir: str = Field("", description="the Maildir, below the contest's folder if relative; empty = none")
    processed_folder: str = Field("", description="folder for letters that were taken; empty = its cur/")
    failed_folder: str = Field("Failed", description="folder for letters that are too large")


SCHEDULER_PORT = 8786
KEYS_FOLDER = "cluster"


class Cluster(Section):
    """Other computers that play on the contest day; see docs/scaling.md. They never change a result."""

    scheduler: str = Field(
        "",
        pattern=r"^(tls://.+)?$",
        description="address of the scheduler, such as `tls://computer:8786`; empty = this computer alone",
    )
    keys: str = Field(
        KEYS_FOLDER,
        description="folder of the cluster's keys, below the contest's folder if relative",
    )


class OAuth(Section):
    """Access tokens, if the provider wants them instead of a password: from a command or a refresh token."""

    token_command: str = Field(
        "",
        description="a command that prints an access token, started without a shell; empty = use the "
        "refresh token",
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
        "", repr=False, description="better set in KNOBELN_SET_OAUTH__REFRESH_TOKEN than written here"
    )
    scope: str = Field("", description="what the token should allow; empty = what the refresh token allows")

    @property
    def is_set(self) -> bool:
        """Whether the settings say how to get a token."""
        return bool(self.token_command or (self.token_url and self.client_id and self.refresh_token))


class SandboxSettings(Section):
    """The sandbox in which compilers and programs run."""

    user_id: int = Field(
        61_994,
        ge=1,
        le=2**31 - 1,
        description="when knobeln is started as root, compilers run under this unprivileged user and group "
        "id",
    )


class Log(Section):
    """The program's log on standard error."""

    format: Literal["console", "json"] = Field(
        "console", description="console: for people; json: a line of JSON for each event, for other programs"
    )
