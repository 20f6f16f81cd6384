"""contest.toml: every setting once, with its default and its meaning.

The file is written by `template` from the models below and read by `load`. An environment variable
`KNOBELN_SET_<SECTION>__<SETTING>` wins over the file (for passwords).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from email_validator import EmailNotValidError, validate_email
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializeAsAny,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from knobeln.errors import ConfigError, NotFound

FILE_NAME = "contest.toml"


def _utc(moment: datetime) -> datetime:
    """A time without a zone is Universal Time, as in the announcement (K100)."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _address(text: str) -> str:
    try:
        return validate_email(text, check_deliverability=False, test_environment=True).normalized
    except EmailNotValidError as error:
        raise ValueError(f"{text!r} is no mail address: {error}") from None


Moment = Annotated[datetime, AfterValidator(_utc)]
Address = Annotated[str, AfterValidator(_address)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Contest(Section):
    """What the contest is called, and who runs it."""

    title: str = Field(
        "International KNOBELN contest", description="the name of the contest, as it stands in all mails"
    )
    subject_word: str = Field(
        "KNOBELN",
        pattern=r"^\S+$",
        description="the last word of the registration's subject: `registration for KNOBELN`",
    )
    organizer: str = Field("The organizer", description="who signs the mails")
    organizer_address: Address = Field(
        "organizer@localhost.example", description="where people write to a person; not read by the robot"
    )
    address: Address = Field(
        "knobeln@localhost.example", description="the robot's address: registrations and programs go here"
    )
    aliases: tuple[Address, ...] = Field((), description="further addresses that reach the robot")


class Dates(Section):
    """Universal Time. The robot obeys these; the organizer starts the contest by `knobeln run`."""

    registration_opens: Moment = Field(description="from here on registrations are accepted")
    compilation_opens: Moment = Field(description="from here on programs are compiled")
    registration_closes: Moment = Field(
        description="a registration received at this time or later is refused"
    )
    compilation_closes: Moment = Field(
        description="a program received at this time or later is refused; 1994: two hours before the start"
    )
    contest_starts: Moment = Field(description="`knobeln run` before this time asks for --now")
    results_published: Moment = Field(description="when the results are to be out; only told to the teams")

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
    """Which game is played, and its parameters: each game's own file has its subclass."""

    name: str = Field(description="which game is played; `knobeln games` lists them")


def game_settings(value: Any) -> Any:
    """The section of the game that it names. Raises ValueError for a game that is not there."""
    if not isinstance(value, Mapping):
        return value
    from knobeln.games import kind_of  # a game's file needs this module

    try:
        return kind_of(str(value.get("name", DEFAULT_GAME))).settings.model_validate(value)
    except NotFound as error:
        raise ValueError(str(error)) from None


DEFAULT_GAME = "knobeln"
AnyGame = Annotated[SerializeAsAny[GameSettings], BeforeValidator(game_settings)]


class Programs(Section):
    """What a program may be and use."""

    max_elements: int = Field(10_000, ge=1, description="lexical elements after preprocessing")
    max_instructions: int = Field(
        855_000_000,
        ge=1_000,
        description="machine instructions per player and game: 30 s of a SPARCstation 2 at 28.5 MIPS",
    )
    description: Literal["require", "warn"] = Field(
        "require", description="a program without a description in #if 0: rejected (require) or warned (warn)"
    )
    min_description_lines: int = Field(
        15, ge=0, description="a description with fewer non-blank lines is accepted with a warning"
    )
    max_compiles_per_hour: int = Field(
        20, ge=1, description="of one team's programs; of those that wait longer only the newest is compiled"
    )
    max_source_bytes: int = Field(256_000, ge=1_000, description="a longer program is refused unread")
    seconds: float = Field(
        5.0, gt=0, le=3_600, description="for each move of a program that does not run on the contest machine"
    )


class Teams(Section):
    """Who may take part."""

    approval: Literal["automatic", "organizer"] = Field(
        "automatic", description="organizer: each registration waits for `knobeln teams accept NAME`"
    )
    max_teams: int = Field(2_000, ge=1, description="further registrations are not accepted")
    max_per_organization: int = Field(0, ge=0, description="teams from one organization; 0 = no limit")
    max_members: int = Field(10, ge=1, description="people in a team")


class Tournament(Section):
    """Which programs meet. The sizes of groups and of the final are for group elimination alone."""

    format: str = Field(
        "group-elimination",
        description="group-elimination: rounds of mixed groups, about half of each group proceeds; "
        "round-robin: one group of all, everyone meets everyone; exact: the same, but a pairing won is a "
        "match point; double-elimination: out after two lost matches; melee: one game of all",
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
        description="double-elimination: a match whose points are equal goes on up to so many games",
    )
    group_min: int = Field(20, ge=2, description="smallest group, where there are enough participants")
    group_max: int = Field(41, ge=2, description="largest group")
    final_size: int = Field(41, ge=2, description="the round of this many participants or fewer is the final")
    self_play: bool = Field(
        True, description="each strategy also plays one game against itself (1993: false)"
    )
    workers: int = Field(0, ge=0, description="engine processes; 0 = one per core. Never changes a result")

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
    exemplars: int = Field(5, ge=1, description="exemplars of each strategy at the start")
    rounding: Literal["literal", "constant-total"] = Field(
        "literal",
        description="literal: N*F(p) rounded half up, the sum may drift; constant-total: largest remainder",
    )
    max_generations: int = Field(10_000, ge=1, description="a safety limit that no known final comes near")


class Reports(Section):
    """What goes out by itself."""

    summary: Literal["automatic", "organizer"] = Field(
        "automatic",
        description="organizer: the summary of a round (RSM) waits for your words, `knobeln summary ROUND`",
    )


class DeliveryKind(StrEnum):
    MAILDIR = "maildir"
    SMTP = "smtp"


class Mail(Section):
    """How letters come in and mails go out."""

    listen_host: str = Field(
        "127.0.0.1", description="`knobeln serve` takes letters by SMTP here; empty = no listener"
    )
    listen_port: int = Field(8025, ge=0, le=65535, description="0 = any free port")
    listen_socket: str = Field(
        "", description="it takes letters at this Unix socket too, below the contest's folder if relative"
    )
    listen_protocol: Literal["smtp", "lmtp"] = Field(
        "smtp", description="what is spoken there; lmtp is what mail systems speak with a mailbox"
    )
    tls_certificate: str = Field(
        "",
        description="certificate and chain (PEM); with it STARTTLS is offered to those who bring letters",
    )
    tls_key: str = Field("", description="its key (PEM), if it is in a file of its own")
    max_letter_bytes: int = Field(1_000_000, ge=10_000, description="a larger letter is refused with 552")
    max_connections: int = Field(100, ge=1, description="SMTP connections at once")
    delivery: DeliveryKind = Field(
        DeliveryKind.MAILDIR,
        description="maildir: a Maildir per recipient below maildir_root; smtp: the smarthost",
    )
    maildir_root: str = Field(
        "mail", description="folder of the Maildirs, below the contest's folder if relative"
    )
    smarthost: str = Field("localhost", description="the relay that takes our mails")
    smarthost_port: int = Field(25, ge=1, le=65535, description="its port")
    security: Literal["none", "starttls", "tls"] = Field(
        "none", description="encryption towards the smarthost"
    )
    username: str = Field("", description="login at the smarthost; empty = none")
    password: str = Field(
        "", repr=False, description="better given as KNOBELN_SET_MAIL__PASSWORD than written here"
    )
    answers_per_hour: int = Field(
        30, ge=1, description="automatic answers to one address in an hour; against mail loops"
    )
    give_up_after_hours: int = Field(
        72, ge=1, description="a mail that the relay keeps deferring fails after this"
    )


class Imap(Section):
    """Letters from a mailbox at another mail server: `knobeln serve` fetches them by IMAP."""

    host: str = Field("", description="the mail server that has the robot's mailbox; empty = none")
    port: int = Field(993, ge=1, le=65535, description="its port; with starttls usually 143")
    security: Literal["tls", "starttls", "none"] = Field(
        "tls", description="encryption; none is for a server on this computer only"
    )
    ca_file: str = Field(
        "", description="who vouches for the server's certificate (PEM); empty = whom this computer trusts"
    )
    login: Literal["password", "xoauth2", "oauthbearer"] = Field(
        "password", description="how we log in; the other two need an access token, see the section oauth"
    )
    username: str = Field("", description="the mailbox's name at the server, often its address")
    password: str = Field(
        "", repr=False, description="better given as KNOBELN_SET_IMAP__PASSWORD than written here"
    )
    folder: str = Field("INBOX", description="where the letters are")
    processed_folder: str = Field(
        "Processed", description="where they go when they are taken; empty = they stay, with a flag"
    )
    failed_folder: str = Field(
        "Failed", description="where those go that are too large or cannot be fetched; empty = they stay"
    )
    idle: bool = Field(True, description="hear of new letters at once, where the server can tell (IDLE)")
    poll_seconds: int = Field(60, ge=1, description="how often to look for new letters otherwise")

    @model_validator(mode="after")
    def _passwords_stay_here(self) -> Imap:
        if self.security == "none" and self.host not in ("", "localhost", "127.0.0.1", "::1"):
            raise ValueError("security = none would send the password openly through the network")
        if self.host and not self.username:
            raise ValueError("a host needs a username")
        return self


class Pickup(Section):
    """Letters from a Maildir on this computer, where the mail system puts them."""

    maildir: str = Field("", description="that Maildir, below the contest's folder if relative; empty = none")
    processed_folder: str = Field("", description="where letters go when they are taken; empty = its cur/")
    failed_folder: str = Field("Failed", description="where those go that are too large")


class OAuth(Section):
    """Access tokens, where the provider wants them in place of a password: a command, or a refresh token."""

    token_command: str = Field(
        "", description="prints an access token; started without a shell; empty = by refresh token"
    )
    token_url: str = Field(
        "",
        pattern=r"^(https://.+|http://(127\.0\.0\.1|localhost)[:/].*)?$",
        description="where the provider gives an access token for the refresh token",
    )
    client_id: str = Field("", description="the name under which you have registered knobeln there")
    client_secret: str = Field(
        "", repr=False, description="better given as KNOBELN_SET_OAUTH__CLIENT_SECRET; empty = none"
    )
    refresh_token: str = Field(
        "", repr=False, description="better given as KNOBELN_SET_OAUTH__REFRESH_TOKEN than written here"
    )
    scope: str = Field("", description="what the token is to allow; empty = what the refresh token allows")

    @property
    def is_set(self) -> bool:
        """Whether it says how to get a token."""
        return bool(self.token_command or (self.token_url and self.client_id and self.refresh_token))


class Jail(Section):
    """Where compilers run."""

    user_id: int = Field(
        61_994, ge=1, description="started as root, compilers run under this unprivileged user and group id"
    )


class Settings(BaseSettings):
    """All sections of contest.toml."""

    model_config = SettingsConfigDict(
        extra="forbid", frozen=True, env_prefix="KNOBELN_SET_", env_nested_delimiter="__"
    )

    contest: Contest = Field(default_factory=Contest)
    dates: Dates
    game: AnyGame = Field(default_factory=lambda: game_settings({}))
    programs: Programs = Field(default_factory=Programs)
    teams: Teams = Field(default_factory=Teams)
    tournament: Tournament = Field(default_factory=Tournament)
    evolution: Evolution = Field(default_factory=Evolution)
    reports: Reports = Field(default_factory=Reports)
    mail: Mail = Field(default_factory=Mail)
    imap: Imap = Field(default_factory=Imap)
    pickup: Pickup = Field(default_factory=Pickup)
    oauth: OAuth = Field(default_factory=OAuth)
    jail: Jail = Field(default_factory=Jail)

    @model_validator(mode="after")
    def _evolution_has_its_games(self) -> Settings:
        if self.evolution.enabled and not self.tournament.self_play:
            raise ValueError(
                "the evolution needs self-games: set evolution.enabled = false, or self_play = true"
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return env_settings, init_settings


def load(folder: Path) -> Settings:
    """The settings of the contest in this folder.

    Raises ConfigError, naming every wrong setting, its value's fault and the file.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        raise ConfigError(
            f"there is no {FILE_NAME} in {folder.resolve()}; `knobeln init DIR` makes one, -C DIR finds it"
        )

    try:
        return Settings(**tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        lines = (f"  {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise ConfigError(f"{path}:\n" + "\n".join(lines)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    except SettingsError as error:
        raise ConfigError(f"a variable KNOBELN_SET_... is no JSON: {error}") from None


def usual_dates(today: datetime) -> Dates:
    """The calendar of 1994 from today: the doors open now, the deadlines at noon Universal Time."""
    noon = datetime.combine(today.date(), time(12), UTC)
    start = noon + timedelta(days=53)
    return Dates(
        registration_opens=today.replace(microsecond=0),
        compilation_opens=today.replace(microsecond=0),
        registration_closes=start - timedelta(days=2),
        compilation_closes=start - timedelta(hours=2),
        contest_starts=start,
        results_published=start + timedelta(days=7),
    )


def template(settings: Settings) -> str:
    """The text of a contest.toml with these settings, each under a comment that says what it means.

    But for the password: it may come from the environment just to be in no file.
    """
    parts = [
        "# The settings of this contest. Each stands here with what it means; times are Universal Time.\n"
    ]
    for name in Settings.model_fields:
        section = getattr(settings, name)
        parts.append(f"\n# {(section.__doc__ or '').strip()}\n[{name}]\n")
        for key, info in type(section).model_fields.items():
            value = getattr(section, key) if info.repr else info.default
            parts.append(f"# {info.description}\n{key} = {_toml(value)}\n")
    return "".join(parts)


def _toml(value: Any) -> str:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)
