"""Where a new program stands on the ladder: the ladder's share in the transaction that keeps a
build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contest.config.settings import Settings
from contest.games.hog import WIN_RATE_UNIT
from contest.ladder_ranking import is_exact, is_ladder_told, rank_in
from contest.model import LadderEntry, LadderGame, LadderPlace, LadderRank, Participation, Team
from store import Transaction, ladder, participation, submissions

DigestPair = tuple[str, str]


class RatesMissing(Exception):
    """Rolls the transaction back: these win rates must be computed first."""

    def __init__(self, pairs: Sequence[DigestPair], images: Mapping[str, bytes]) -> None:
        super().__init__(f"{len(pairs)} win rates")
        self.pairs = pairs
        self.images = images


def rank_of(tx: Transaction, settings: Settings, team: Team) -> LadderRank | None:
    """The rank of the team's version that counts; where games are played, in the newest ranking
    that has all games."""
    if not is_ladder_told(settings):
        return None
    if is_exact(settings):
        return rank_in(ladder.now(tx, settings).lines, team.name)
    newest = ladder.rankings(tx, 1)
    return rank_in(newest[0].lines, team.name) if newest else None


def place_of(
    tx: Transaction,
    settings: Settings,
    team: Team,
    rates: Mapping[DigestPair, float],
    before: LadderRank | None,
) -> LadderPlace | None:
    """The place of the team's new version on the ladder; None if there is no ladder, or if the team
    takes no part.

    Raises RatesMissing where games are computed, and `rates` lack one.
    """
    if not is_ladder_told(settings):
        return None
    if is_exact(settings):
        _compute_games(tx, rates)
    if participation.of_team(tx, team.id) is not Participation.ACTIVE:
        return None
    if is_exact(settings):
        return ladder.now(tx, settings).place(team.name, before)
    return LadderPlace(None, before)


def _compute_games(tx: Transaction, rates: Mapping[DigestPair, float]) -> None:
    """Put the missing games of a ladder that is exact into it. Raises RatesMissing."""
    pairs = ladder.missing(tx, all_teams=True)
    unknown = [_digests_of(pair) for pair in pairs if _digests_of(pair) not in rates]
    if unknown:
        digests = [digest for pair in unknown for digest in pair]
        raise RatesMissing(unknown, submissions.load_images(tx, digests))
    ladder.delete_outdated_games(tx)
    ladder.put(tx, [_game(pair, rates[_digests_of(pair)]) for pair in pairs])


def _game(pair: tuple[LadderEntry, LadderEntry], rate: float) -> LadderGame:
    points = round(rate * WIN_RATE_UNIT)
    return LadderGame(pair[0].build_id, pair[1].build_id, (points, WIN_RATE_UNIT - points))


def _digests_of(pair: tuple[LadderEntry, LadderEntry]) -> DigestPair:
    return pair[0].image_digest, pair[1].image_digest
