"""All settings of a contest: the sections of contest.toml, and the checks across them.

An environment variable `KNOBELN_SET_<SECTION>__<SETTING>` overrides the file, but no list or table:
it is for passwords.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializeAsAny,
    TypeAdapter,
    model_validator,
)

from contest.errors import NotFound
from contest.games.game import TEXT, TextProtocol
from contest.games.registry import game_of, game_plugin, rules_text
from contest.schema.sections import (
    DEFAULT_GAME,
    Cluster,
    Contest,
    Dates,
    Evolution,
    GameSettings,
    Imap,
    Ladder,
    Mail,
    OAuth,
    Programs,
    Registration,
    Reports,
    Role,
    Season,
    Section,
    Site,
    Teams,
    Tournament,
)

ENVIRONMENT = "KNOBELN_SET_"  # prefix of the variables that override the file
# characters; a bounce address adds to them and has at most 64 before the @ (RFC 5321)
MAX_ROBOT_NAME = 34


def game_settings(value: Any) -> Any:
    """Return the section `[game]`, checked by the game that it names. Raises ValueError for an
    unknown game."""
    if not isinstance(value, Mapping):
        return value
    name = value.get("name", DEFAULT_GAME)
    if not isinstance(name, str):
        raise ValueError("the name of a game is a text in quotation marks")
    try:
        return game_plugin(name).settings.model_validate(value)
    except NotFound as error:
        raise ValueError(str(error)) from None


SettingsValues = dict[str, dict[str, object]]
"""Settings as JSON values, by section and name."""

AnyGame = Annotated[SerializeAsAny[GameSettings], BeforeValidator(game_settings)]


class Settings(BaseModel):
    """All sections of contest.toml."""

    MAX_LETTER_BYTES: ClassVar[int] = 1_000_000  # but for a team's letter with an image

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, defer_build=True)

    contest: Contest = Field(default_factory=Contest)
    dates: Dates
    season: Season = Field(default_factory=Season)
    game: AnyGame = Field(default_factory=lambda: game_settings({}))
    programs: Programs = Field(default_factory=Programs)
    registration: Registration = Field(default_factory=Registration)
    teams: Teams = Field(default_factory=Teams)
    tournament: Tournament = Field(default_factory=Tournament)
    evolution: Evolution = Field(default_factory=Evolution)
    reports: Reports = Field(default_factory=Reports)
    ladder: Ladder = Field(default_factory=Ladder)
    site: Site = Field(default_factory=Site)
    mail: Mail = Field(default_factory=Mail)
    imap: Imap = Field(default_factory=Imap)
    cluster: Cluster = Field(default_factory=Cluster)
    oauth: OAuth = Field(default_factory=OAuth)

    def __init__(self, **sections: Any) -> None:
        super().__init__(**_with_environment(sections))

    def changed(self, **sections: Mapping[str, object]) -> Settings:
        """Return a copy with these values, by section and name, which are not validated."""
        changes = {
            name: getattr(self, name).model_copy(update=values) for name, values in sections.items()
        }
        return self.model_copy(update=changes)

    @property
    def plays_by_date(self) -> bool:
        """Whether `serve` starts the contest, or each tournament, without `knobeln run`."""
        return self.season.is_season or self.tournament.by_date

    @model_validator(mode="after")
    def _evolution_has_its_games(self) -> Settings:
        if self.evolution.enabled and not self.tournament.self_play:
            raise ValueError(
                "the evolution needs self-games: set evolution.enabled = false, or self_play = true"
            )
        return self

    @model_validator(mode="after")
    def _a_tournament_ends_before_the_next(self) -> Settings:
        last = self.dates.results_published - self.dates.compilation_closes
        if self.season.is_season and last >= timedelta(days=self.season.days):
            raise ValueError(
                f"season.days: the results of a tournament are published {last} after its last"
                f" program, and the programs of the next close {self.season.days} days after that"
                " program"
            )
        return self

    @model_validator(mode="after")
    def _images_can_play(self) -> Settings:
        protocols = game_of(self.game, self.programs).info.protocols
        if self.programs.takes_images and TextProtocol.ARGV not in protocols:
            raise ValueError(
                "programs.max_image_bytes, programs.registry_images: images are started for each"
                f" move, but programs of {self.game.name} are not; set them to 0 and []"
            )
        return self

    @model_validator(mode="after")
    def _only_programs_that_talk_are_counted(self) -> Settings:
        if (
            self.programs.counted_languages
            and game_of(self.game, self.programs).info.play is not TEXT
        ):
            raise ValueError(
                f"programs.counted_languages: programs of {self.game.name} have another limit; set"
                " it to []"
            )
        return self

    @property
    def max_team_letter_bytes(self) -> int:
        """The largest letter of a registered team: with the archive of an image, in base64."""
        # Lines of 76 characters, CR and LF hold 57 bytes each.
        return self.MAX_LETTER_BYTES + math.ceil(self.programs.max_image_bytes / 57) * 78

    @model_validator(mode="after")
    def _room_for_bounce_addresses(self) -> Settings:
        name = self.contest.address.rpartition("@")[0]
        if self.mail.verp and len(name) > MAX_ROBOT_NAME:
            raise ValueError(
                f"contest.address has more than {MAX_ROBOT_NAME} characters before the @: shorten"
                " it, or set mail.verp = false"
            )
        return self


def _with_environment(sections: Mapping[str, object]) -> Mapping[str, object]:
    """Return the sections, overridden by the variables of the environment, whose values are
    texts."""
    merged = dict(sections)
    for variable, text in os.environ.items():
        if variable.upper().startswith(ENVIRONMENT):
            section, _, name = variable[len(ENVIRONMENT) :].lower().partition("__")
            written = merged.get(section, {})
            if isinstance(written, (Mapping, BaseModel)):
                merged[section] = {**dict(written), name: text}
    return merged


def section_from(name: str, values: Any) -> Section:
    """Return the section of this name with these values. Raises ValidationError."""
    if name == "game":
        game: GameSettings = TypeAdapter(AnyGame).validate_python(values)
        return game
    return _model(name).model_validate(values)


def of_roles(values: SettingsValues, *roles: Role) -> SettingsValues:
    """Return those of the values, by section and name, that have one of these roles; no section is
    empty."""
    chosen: dict[str, dict[str, object]] = {}
    for name, section in values.items():
        for key, value in section.items():
            if _model(name).role_of(key) in roles:
                chosen.setdefault(name, {})[key] = value
    return chosen


def published_settings(settings: Settings) -> SettingsValues:
    """Return the settings that everybody may know, by section."""
    private = {"tournament": {"witnesses": {"__all__": {"address"}}}}
    values = settings.model_dump(mode="json", exclude=private)
    programs = values["programs"]
    programs["languages"] = [_without_unused(row) for row in programs["languages"]]
    values["programs"] = _without_unused(programs)
    return of_roles(values, Role.TOLD, Role.DECIDES)


_LATER = ("further_languages", "package", "missing_library", "files")
"""Settings of [programs], and of a language there, that archives of before do not have."""


def _without_unused(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values without those that came later, if nothing is in them."""
    return {name: value for name, value in values.items() if value or name not in _LATER}


def settings_digest(published: SettingsValues, rules: str) -> str:
    """Return the sha256, in hex, of what is frozen with a list of entries: settings, title, dates
    and rules.

    `published`: as an archive's `contest.json` has them; `rules`: as its `rules.md` does. Hashed is
    their JSON, sorted and without spaces.
    """
    text = json.dumps(
        {"rules": rules, "settings": published}, sort_keys=True, separators=(",", ":")
    )
    return hashlib.sha256(text.encode()).hexdigest()


def frozen_digest(settings: Settings) -> str:
    """Return the same of these settings, with the rules that we have now."""
    return settings_digest(published_settings(settings), rules_text(settings.game.name))


def public_sections() -> tuple[str, ...]:
    """Return the names of the sections that everybody may know."""
    return tuple(name for name in Settings.model_fields if _model(name).role is not Role.HOST)


def _model(section: str) -> type[Section]:
    model = Settings.model_fields[section].annotation
    if not (isinstance(model, type) and issubclass(model, Section)):
        raise TypeError(section)
    return model


def without_secrets(settings: Settings) -> SettingsValues:
    """Return all settings as JSON values, without passwords and other secrets."""
    secrets = {name: _secrets_of(getattr(settings, name)) for name in Settings.model_fields}
    return settings.model_dump(mode="json", exclude=secrets)


def hide_secrets(settings: Settings) -> Settings:
    """Return the settings, with the defaults in place of passwords and other secrets."""
    defaults = {
        name: _defaults_of_secrets(getattr(settings, name)) for name in Settings.model_fields
    }
    return settings.changed(**defaults)


def _defaults_of_secrets(section: BaseModel) -> dict[str, object]:
    fields = type(section).model_fields
    return {key: fields[key].default for key in _secrets_of(section)}


def _secrets_of(section: BaseModel) -> set[str]:
    """Return the names of the section's settings that are secrets."""
    return {key for key, info in type(section).model_fields.items() if not info.repr}
