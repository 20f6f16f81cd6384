"""A season held by a real `knobeln serve`, which is killed again and again; the test sets its
clock."""

import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from contest.model import Phase
from contest.schema.sections import Season
from knobeln import presets
from knobeln.context import ContestContext
from store import contest_state, entry_lists
from tests.support.archives import HOUSE, knobeln
from tests.support.clocked_server import ClockedServer
from tests.support.mail_world import REGISTER, START
from tests.support.mailed_contest import CLOSES, MailedContest, address_of, small_settings
from tests.support.processes import children_of, command_of
from tests.support.servers import wait_for

DAYS = 14
PATIENCE = 900.0


def master(
    place: Path, teams: int, tournaments: int, *, is_class: bool = False, **tournament: object
) -> MailedContest:
    """A season before its first tournament, whose teams have sent the house strategies."""
    chosen = small_settings(beacon="none", **tournament)
    if is_class:
        chosen = presets.for_class(chosen)
    mail = chosen.mail.model_copy(update={"listen": "127.0.0.1:0"})
    season = Season(tournaments=tournaments, days=DAYS, open=True)
    mailed = MailedContest.create(place, chosen.model_copy(update={"season": season, "mail": mail}))
    names = list(HOUSE)
    mailed.take_part({f"team_{number:02}": names[number % len(names)] for number in range(teams)})
    return mailed


class SeasonServer(ClockedServer):
    """The server of a copy of a season's contest. `kills`: how often it has been killed so far."""

    def __init__(self, mailed: MailedContest, place: Path) -> None:
        self.mailed = mailed.copied(place)
        self.kills = self._kills_so_far = 0  # the latter: as many as there may be by now
        self._closing = threading.Event()
        super().__init__(place, ContestContext.open(self.mailed.folder), mailed.clock.at)

    def set_clock(self, at: datetime) -> None:
        super().set_clock(at)
        self.mailed.clock.at = at

    def hold(
        self, letters: Mapping[int, Sequence[tuple[str, str]]], kills: int, random: Random
    ) -> None:
        """Let the whole season happen, by setting the clock and sending letters alone.

        `letters`: the team and the house strategy that it sends before this tournament; a team that
        is new registers before. It is killed so often, spread over the season.
        """
        season = self.folder.settings.season
        killer = threading.Thread(target=self._kill_again_and_again, args=(random,))
        killer.start()
        try:
            for number in range(1, season.tournaments + 1):
                self._kills_so_far = kills * number // season.tournaments
                later = timedelta(days=DAYS) * (number - 1)
                for team, strategy in letters.get(number, ()):
                    self._send_program(team, strategy)
                self.set_clock(CLOSES + later + timedelta(minutes=5))
                self._wait(lambda: self._lists() == 1)
                self.set_clock(START + later)
                self._wait(lambda: self._phase() is Phase.FINISHED)
                self.set_clock(START + timedelta(days=7) + later)
                if number < season.tournaments:
                    self._wait(lambda number=number: self._number() > number)  # type: ignore[misc]
                    self.set_clock(START + timedelta(days=8) + later)
            self._wait(self._is_over)
            self._wait(lambda: self.kills == kills)
        finally:
            self._closing.set()
            killer.join()
            self.kill()

    def publish(self) -> Path:
        """The folder of the season's archive."""
        target = self.path / "archive"
        result = knobeln("publish", "--season", target, "-C", self.folder.path)
        assert result.exit_code == 0, result.output
        return target

    # --- letters ----------------------------------------------------------------------------------
    def _send_program(self, team: str, strategy: str) -> None:
        address = address_of(team)
        if team not in self.mailed.strings:
            self.insist(_letter(address, REGISTER, self.mailed.form_of(team)), address)
            self.mailed.strings[team] = self.auth_line(address).split()[-1]
        head = f"/*\n  <<FROM>> {team} {self.mailed.strings[team]}\n*/\n"
        self.insist(_letter(address, "please compile", head + HOUSE[strategy]), address)
        self._wait(self.is_idle)

    # --- what has happened ------------------------------------------------------------------------
    def _wait(self, is_so: Callable[[], bool]) -> None:
        wait_for(lambda: is_so() and self.is_idle(), "the season", PATIENCE)

    def _lists(self) -> int:
        with self.folder.store.read() as tx:
            return len(entry_lists.all_lists(tx))

    def _phase(self) -> Phase:
        with self.folder.store.read() as tx:
            return contest_state.state(tx).phase

    def _number(self) -> int:
        with self.folder.store.read() as tx:
            return contest_state.state(tx).number

    def _is_over(self) -> bool:
        with self.folder.store.read() as tx:
            return contest_state.get_season(tx) is not None

    # --- kills ------------------------------------------------------------------------------------
    def _kill_again_and_again(self, random: Random) -> None:
        while not self._closing.wait(random.uniform(0.2, 4)):
            if self.kills >= self._kills_so_far:
                continue
            running = [
                pid for pid in children_of(self.process.pid) if b"\0run\0" in command_of(pid)
            ]
            # else it lives on without its server
            for pid in running if random.random() < 0.7 else ():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.kill()
            self.kills += 1
            self.start()


def _letter(sender: str, subject: str, body: str) -> bytes:
    return f"From: {sender}\r\nSubject: {subject}\r\n\r\n{body}".encode()
