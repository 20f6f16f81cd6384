"""Contests as pages, without a folder of their own: what the tests share."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.language import speaking
from contest.mail.form import sample
from contest.model import EvolutionOutcome, Phase, RoundOutcome, Standing, Team
from contest.schema.sections import Reports
from knobeln.server.site_facts import site_texts
from mailserver.attachments import AnnouncementTexts
from reports.render import Templates
from reports.replay.turns import Replay
from reports.site import game_text
from reports.site.facts import ReleasedRound, SiteFacts, SiteTexts
from reports.site.front import preview
from reports.site.games import GameKey
from reports.site.pages import headings, navigation, pages, plan, replay_of_game
from reports.site.templates import SiteTemplates
from tests.support import other_contests
from trust.replay import course_of

START = datetime(1994, 5, 14, 12, tzinfo=UTC)


def facts_of(
    settings: Settings,
    teams: Mapping[str, Team],
    history: Sequence[RoundOutcome],
    ranking: Sequence[Standing] = (),
    evolution: EvolutionOutcome | None = None,
    **changes: Any,
) -> SiteFacts:
    """A contest whose rounds took an hour each and went out at once; over, where there is a
    ranking."""
    rounds = tuple(
        ReleasedRound(outcome, at, at + timedelta(minutes=50), at + timedelta(hours=1), words="")
        for number, outcome in enumerate(history)
        for at in (START + timedelta(hours=number),)
    )
    facts = SiteFacts(
        settings=settings,
        game=game_of(settings.game, settings.programs).info,
        phase=Phase.FINISHED if ranking else Phase.RUNNING,
        registered=len(teams),
        commitment="c0ffee",
        started_at=START,
        finished_at=START + timedelta(hours=len(rounds)) if ranking else None,
        playing=teams,
        rounds=rounds,
        ranking=tuple(ranking),
        evolution=evolution,
        seed="5eed" if ranking else None,
        programs={},
        noted=(),
        texts=texts_of(settings),
    )
    return replace(facts, **changes)


def of_knobeln(settings: Settings, contest: Any) -> SiteFacts:
    """The contest of the reports' tests, over, with these settings."""
    rounds = (contest.first, contest.final)
    return facts_of(settings, contest.teams, rounds, contest.ranking, contest.evolution)


_NOTHING: Mapping[str, Any] = {"ranking": (), "evolution": None, "seed": None, "finished_at": None}


def before(facts: SiteFacts) -> SiteFacts:
    """The contest before its start."""
    return replace(facts, phase=Phase.OPEN, playing={}, rounds=(), started_at=None, **_NOTHING)


def during(facts: SiteFacts, rounds: int) -> SiteFacts:
    """The contest while it runs, with so many rounds released."""
    return replace(facts, phase=Phase.RUNNING, rounds=facts.rounds[:rounds], **_NOTHING)


def offering(facts: SiteFacts, *offered: str) -> SiteFacts:
    """The contest with these reports."""
    changes = {"reports": Reports(offered=offered)}
    return replace(facts, settings=facts.settings.model_copy(update=changes))


def texts_of(settings: Settings) -> SiteTexts:
    """The texts of mails of a contest that has a ledger."""
    announced = AnnouncementTexts(
        form=sample(settings).text, rules="The rules.", ledger_key="a+public/key="
    )
    with speaking(settings.contest.language):
        return site_texts(settings, Templates(settings, None), announced)


def files_of(facts: SiteFacts) -> dict[str, str]:
    """All files of the site but style and script, in the contest's language."""
    with speaking(facts.settings.contest.language):
        return _files_of(facts)


def _files_of(facts: SiteFacts) -> dict[str, str]:
    words, planned = (
        SiteTemplates(facts.settings, facts.game, navigation(facts), None, preview(facts)),
        plan(facts),
    )
    found: dict[str, bytes] = {}
    legend, lines = game_text.legend(facts.game), headings(facts, planned)

    def text(key: GameKey) -> str:
        return game_text.game_lines(lines[key.key], replay_in(facts, key))

    for page in pages(facts, planned):
        found |= words.files(page)
    for file in planned.files:
        found[file.path] = game_text.script(legend, map(text, file.games))
    return {path: data.decode() for path, data in found.items()}


def replay_in(facts: SiteFacts, key: GameKey) -> Replay:
    return replay_of_game(facts, key, key.match.result.moves, course_of_game(facts, key))


def course_of_game(facts: SiteFacts, key: GameKey) -> Any:
    """The course of a game; None where the page computes it from the moves."""
    rules = game_of(facts.settings.game, facts.settings.programs)
    return None if facts.can_replay else course_in(rules, key)


def write_site(folder: Path, facts: SiteFacts) -> Mapping[str, str]:
    """Write all files of the site into this folder. Returns those that are text."""
    files = files_of(facts)
    static = SiteTemplates(facts.settings, facts.game, ()).static()
    for path, data in ({path: text.encode() for path, text in files.items()} | static).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return files


def course_in(rules: Any, key: GameKey) -> Any:
    return course_of(rules, key.plan.round, key.match, other_contests.SEEDS)


def games_in(files: Mapping[str, str]) -> dict[str, list[list[str]]]:
    """The lines of each game of the files of games, by its key: fields, as the page of replays
    reads them."""
    found = {}
    for path, text in files.items():
        if re.fullmatch(r"games/[\d.]+js", path):
            inside = text.removeprefix("knobelnGames(`").removesuffix("`);\n")
            for game in re.sub(r"\\(.)", r"\1", inside).split("\nend\n"):
                lines = [
                    line.split("\t")
                    for line in game.split("\n")
                    if line and not line.startswith("#")
                ]
                if lines:
                    found[lines[0][1]] = lines
    return found


def field(game: list[list[str]], word: str) -> list[str]:
    """The fields of the game's line that begins with this word."""
    return next(fields for first, *fields in game if first == word)


def rows_of(text: str) -> list[dict[str, Any]]:
    """The lines of a table's file, with numbers as numbers, and nothing as ""."""

    def value(word: str) -> object:
        if not re.fullmatch(r"-?\d+(\.\d+)?", word):
            return word
        return float(word) if "." in word else int(word)

    return [
        {key: value(word) for key, word in row.items()} for row in csv.DictReader(io.StringIO(text))
    ]


def turns_in(game: list[list[str]]) -> list[list[str]]:
    return [fields for first, *fields in game if not first]
