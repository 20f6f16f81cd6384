"""What docs/first-season.md tells, with an installed wheel, a real Postfix and Dovecot, in two
languages.

Twelve teams write by swaks, mutt and Python, one of them in HTML alone. `serve` is killed in the
middle of the day; there are an objection, a disqualification, and a round that is played again. The
archive is then in build/first-season, to be kept in docs/archive-example when the format changes.
"""

import email
import email.policy
import imaplib
import json
import os
import re
import shutil
import signal
import smtplib
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from functools import partial
from html import escape
from itertools import takewhile
from pathlib import Path

import pytest

from contest import __version__
from tests.support.archives import HOUSE
from tests.support.contest_runs import finish
from tests.support.installed_wheel import ROOT, Pipx, build_wheel, installed, with_version
from tests.support.processes import UNTIL_WE_END, start
from tests.support.servers import (
    Dovecot,
    Postfix,
    free_port,
    program,
    wait_for,
    world_readable_folder,
)

pytestmark = [pytest.mark.slow, pytest.mark.night, pytest.mark.needs_root]
KEPT = ROOT / "build" / "first-season"
ROBOT, ORGANIZER = "knobeln@example.org", "organizer@example.org"
NOBODY = ("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups")
CLIENTS = {
    "swaks": "amber_anchor black_bicycle blue_bottle",
    "mutt": "copper_kettle crimson_kite green_lantern grey_gate",
    "python": "indigo_island orange_oar silver_spoon violet_violin",
    "python, HTML alone": "white_window",
}
CLIENT_OF = {team: client for client, teams in CLIENTS.items() for team in teams.split()}
TEAMS = dict(zip(CLIENT_OF, HOUSE.values(), strict=False))  # what each plays
LATE, AWAY = "green_lantern", "silver_spoon"
WHY = ("--reason", "An example shows what can happen.")
FORM = """mail-address: {team}@example.org
mail-preference: LAP,DGP,RSM
team-name: {team}
Organization: The drawer of colours, Eggland
team-members:
  First member, 20, thing of one colour,
  has been programmed before
"""
MAIN = """
transport_maps = inline:{{
  {{ {robot} = smtp:[127.0.0.1]:{port} }}, {{ example.org = lmtp:[127.0.0.1]:{lmtp} }} }}
relay_domains = example.org
"""


class Season:
    """A contest folder of an ordinary user, and mailboxes of the teams behind a Postfix."""

    def __init__(self, place: Path, pipx: Pipx, servers: ExitStack) -> None:
        self.place, self.pipx, self.servers = place, pipx, servers
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(place / "home"),
            "COLUMNS": "120",
        }
        self.given: set[str] = set()
        for name in ("home", "dovecot", "postfix"):
            (place / name).mkdir()
        shutil.chown(place / "home", "nobody", "nogroup")
        self.port = free_port()
        self.dovecot = Dovecot(place / "dovecot")
        servers.callback(self.dovecot.stop)
        main = MAIN.format(robot=ROBOT, port=self.port, lmtp=self.dovecot.lmtp)
        self.postfix = Postfix(place / "postfix", main)
        servers.callback(self.postfix.stop)

    def command(self, *words: object, at: str = "spring") -> list[str]:
        self.given.add(" ".join(map(str, words)))
        return [*NOBODY, *UNTIL_WE_END, *self.pipx.command(*words, "-C", self.place / "home" / at)]

    def knobeln(self, *words: object, code: int = 0, at: str = "spring") -> str:
        done = subprocess.run(
            self.command(*words, at=at),
            cwd=self.place / "home",
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def serve(self) -> None:
        (log := self.place / "serve.log").touch()
        said = log.read_text().count("listening")
        self.server = start(self.command("serve"), log, self.environment)
        self.servers.callback(self.server.terminate)
        wait_for(
            lambda: log.read_text().count("listening") > said or self.server.poll() is not None,
            "serve",
        )
        assert self.server.poll() is None, log.read_text()

    def set(self, **values: str) -> None:
        text = (file := self.place / "home/spring/contest.toml").read_text()
        for name, value in values.items():
            text = re.sub(rf"^{name} = .*$", f"{name} = {value}", text, count=1, flags=re.MULTILINE)
        file.write_text(text)

    def mails(self, name: str) -> list[EmailMessage]:
        """The mailbox of this team, read by IMAP."""
        with imaplib.IMAP4("127.0.0.1", self.dovecot.imap, timeout=20) as client:
            client.login(name, "secret")
            client.select(readonly=True)
            numbers = client.search(None, "ALL")[1][0].split()
            raw = [client.fetch(number, "(BODY.PEEK[])")[1][0][1] for number in numbers]  # type: ignore[index]
        return [email.message_from_bytes(each, policy=email.policy.default) for each in raw]  # type: ignore[misc]

    def next_mail(self, name: str, act: Callable[[], object], count: int = 1) -> EmailMessage:
        """Do something, wait for so many mails that come of it, and return the first."""
        before = len(self.mails(name))
        act()
        wait_for(lambda: len(self.mails(name)) >= before + count, f"a mail to {name}")
        return self.mails(name)[before]

    def send(self, team: str, subject: str, body: str, file: str = "") -> None:
        """Send a letter by the team's client; `file`: a program to attach, or instead of the
        body."""
        client, sender = CLIENT_OF[team], f"{team}@example.org"
        server = f"127.0.0.1:{self.postfix.smtp}"
        if client == "swaks":
            words = ["swaks", "--silent", "--server", server, "--from", sender, "--to", ROBOT]
            self._run([*words, "--header", f"Subject: {subject}", "--body", file or body])
        elif client == "mutt":
            url = f"set smtp_url=smtp://{server}/ ssl_force_tls=no from={sender} copy=no"
            (self.place / "strategy.c").write_text(file)
            attached = ["-a", str(self.place / "strategy.c"), "--"] if file else []
            self._run(
                ["mutt", "-n", "-F", "/dev/null", "-e", url, "-s", subject, *attached, ROBOT], body
            )
        else:
            mail = EmailMessage()
            mail["From"], mail["To"], mail["Subject"] = sender, ROBOT, subject
            if client == "python":
                mail.set_content(body)
                if file:
                    mail.add_attachment(file.encode(), "text", "x-csrc", filename="strategy.c")
            else:
                spaced = (
                    escape(file or body, quote=False)
                    .replace("  ", "&nbsp; ")
                    .replace("\n", "<br>\n")
                )
                mail.set_content(f"<html><body><div>{spaced}</div></body></html>", subtype="html")
            with smtplib.SMTP("127.0.0.1", self.postfix.smtp, timeout=20) as connection:
                connection.send_message(mail)

    def _run(self, words: list[str], stdin: str = "") -> None:
        environment = self.environment | {"HOME": str(self.place)}
        subprocess.run(
            [program(words[0]), *words[1:]], input=stdin, text=True, env=environment, check=True
        )

    def register(self, team: str) -> str:
        """Register, answer the mail that comes, and return the line with the string of the team."""
        send = partial(partial, self.send, team)
        mail = self.next_mail(team, send("registration for KNOBELN", FORM.format(team=team)))
        answer = self.next_mail(team, send(f"Re: {mail['Subject']}", "Yes, that was us.\n"))
        return re.findall(rf"<<FROM>> {team} \S+", plain(mail) + plain(answer))[0]


def plain(mail: EmailMessage) -> str:
    return mail.get_body(("plain",)).get_content()


def hold(season: Season, language: str) -> None:
    knobeln, send, port = season.knobeln, season.send, season.port
    # --- the week before
    knobeln("init", "--language", language, "--beacon", "file")
    season.set(
        title='"The drawer of colours"',
        organizer_address=f'"{ORGANIZER}"',
        address=f'"{ROBOT}"',
        listen=f'"127.0.0.1:{port}"',
        delivery='"smtp"',
        smarthost=f'"127.0.0.1:{season.postfix.smtp}"',
        group_min="4",
        group_max="7",
        final_size="6",
        L="200",
        licence='"CC0-1.0"',
    )
    assert "FAIL" not in knobeln("doctor")
    season.serve()
    assert "ok   a letter to itself" in knobeln("doctor", "--letter")
    assert ROBOT in knobeln("announce")
    lines = {team: season.register(team) for team in TEAMS}
    assert ("Willkommen" if language == "de" else "Welcome") in plain(season.mails(AWAY)[1])
    programs = {team: f"/*\n  {line}\n*/\n{TEAMS[team]}" for team, line in lines.items()}
    for team in TEAMS.keys() - {LATE}:
        season.next_mail(team, partial(send, team, "please compile", lines[team], programs[team]))
    (words := season.place / "words.txt").write_text("We have no program of yours.\n")
    told = partial(
        knobeln, "teams", "tell", "--without-program", "--subject", "Programs wanted", words
    )
    assert "We have no program of yours." in plain(season.next_mail(LATE, told))
    assert LATE in knobeln("run", "rehearse")
    knobeln("backup", "before.tar.gz")
    knobeln("restore", "before.tar.gz", "--trust", at="copy")
    assert LATE in knobeln("teams", at="copy")

    # --- the day
    now = datetime.now(UTC).replace(microsecond=0)
    closes, starts = now + timedelta(seconds=2), now + timedelta(seconds=60)
    moved = (
        ("registration_closes", closes),
        ("compilation_closes", closes),
        ("contest_starts", starts),
    )
    dates = [f"{name}={moment:%Y-%m-%dT%H:%M:%S}" for name, moment in moved]
    # with the list
    season.next_mail(LATE, partial(knobeln, "dates", "move", *dates, *WHY), count=2)
    late = partial(send, LATE, "please compile", lines[LATE], programs[LATE])
    assert season.next_mail(LATE, late)["X-Knobeln-Report"] == "compile-refused"
    season.next_mail(
        "organizer", partial(send, LATE, "objection", f"{lines[LATE]}\nOur network was down.\n")
    )
    (source := season.place / "late.c").write_text(programs[LATE])
    season.next_mail(LATE, partial(knobeln, "programs", "submit", LATE, source, *WHY))
    wait_for(lambda: datetime.now(UTC) > starts, "the start")
    knobeln("mail", "hold", *WHY)
    run = start(season.command("run"), season.place / "run.log", season.environment)
    wait_for(lambda: "run number" in knobeln("status"), "the final list")
    os.kill(season.server.pid, signal.SIGKILL)
    send(AWAY, "status", lines[AWAY])  # Postfix keeps it
    knobeln("run", "number", "the colour of the first drawer")
    assert finish(run) == 0, (season.place / "run.log").read_text()
    assert season.next_mail(AWAY, season.serve)["X-Knobeln-Report"] == "status"
    winner = re.findall(r"^ *1\s+(\w+)", knobeln("results"), re.MULTILINE)[0]
    knobeln("teams", "disqualify", winner, *WHY)
    knobeln("run", "rerun", "1", "--yes", *WHY)
    knobeln("run")
    assert winner not in knobeln("results")
    knobeln("mail", "release")
    wait_for(lambda: json.loads(knobeln("mail", "--state", "ready", "--json")) == [], "the mails")

    # --- after it
    assert winner not in knobeln("announce", "--results").partition("hex")[0]
    knobeln("publish", "archive", "--early")
    said = knobeln("verify", "archive", code=3)
    for words in (f"{LATE} objected", f"{winner} was taken out", "to be played again"):
        assert words in said
    knobeln("site", "pages")
    for team in TEAMS:
        kinds = [str(mail["X-Knobeln-Report"]) for mail in season.mails(team)]
        assert kinds.count("RSM") == 2, kinds  # of each round once, although it was played twice
        assert kinds.count("status") == (team == AWAY), kinds
    knobeln("teams", "forget", AWAY, *WHY)


@pytest.fixture(scope="module")
def pipx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipx]:
    """It calls itself another version, so that later words of ours are not compared with the
    archive's."""
    place = tmp_path_factory.mktemp("wheel")
    with installed(
        build_wheel(with_version(f"{__version__}+example", place / "source"), place)
    ) as made:
        yield made


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_first_season(pipx: Pipx, language: str) -> None:
    with world_readable_folder() as place, ExitStack() as servers:
        season = Season(place, pipx, servers)
        hold(season, language)
        KEPT.mkdir(parents=True, exist_ok=True)
        shutil.make_archive(str(KEPT / language), "gztar", place / "home", "archive")
    page = re.findall(
        r"^ +\$ knobeln (.*)", (ROOT / "docs/first-season.md").read_text(), re.MULTILINE
    )
    told = {" ".join(takewhile(re.compile("[a-z]+").fullmatch, line.split())) for line in page}
    assert [line for line in told if not any(each.startswith(line) for each in season.given)] == []
