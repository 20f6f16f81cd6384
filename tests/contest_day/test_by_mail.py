"""The whole product, as `knobeln demo` shows it: 41 teams by SMTP, then the contest day."""

import gzip
import json
from itertools import cycle
from pathlib import Path
from statistics import median

import pytest
from click.testing import CliRunner

from contest.schema.sections import KNOBELN_REPORTS
from knobellib.software import protocolfmt
from knobeln.cli import main
from knobeln.day.demo_teams import PREFERENCES, SPECIAL
from tests.support.mail_world import body_of, demo_mails, too_wide

pytestmark = pytest.mark.slow

EXAMPLE, NOT_COMPILING, FORBIDDEN, BREAKER = (name for name, _ in SPECIAL)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "contest"
    result = CliRunner().invoke(main, ["demo", str(folder), "--seed", "a test"])
    assert result.exit_code == 0, result.output
    assert "Evolution" in result.output
    assert f"more {folder / 'mail'}" in result.output
    return folder


def test_every_team_was_welcomed_got_its_report_and_nobody_anything_twice(demo: Path) -> None:
    boxes = [path.name.partition("@")[0] for path in (demo / "mail").iterdir()]
    assert len(boxes) == 41
    for team in boxes:
        got = demo_mails(demo, team)
        assert "welcome" in str(got[0]["Subject"])
        assert "version 1" in str(got[1]["Subject"])
        assert len({mail["Message-ID"] for mail in got}) == len(got)
        assert all(str(mail["To"]).startswith(team) for mail in got)


def test_every_mail_is_readable_in_seventy_two_columns(demo: Path) -> None:
    for mail in demo_mails(demo, "*"):
        assert too_wide(body_of(mail)) == []


def test_a_team_has_little_to_read(demo: Path) -> None:
    """The numbers may only fall: lines and bytes of text, bytes of text and files; a median of the
    teams."""
    received = [demo_mails(demo, path.name.partition("@")[0]) for path in (demo / "mail").iterdir()]
    texts = ["".join(map(body_of, got)) for got in received]
    files = [
        sum(len(part.get_payload(decode=True)) for mail in got for part in mail.iter_attachments())
        for got in received
    ]
    assert median(len(each.splitlines()) for each in texts) <= 218
    assert median(len(each.encode()) for each in texts) < 9_100
    assert (
        median(len(each.encode()) + size for each, size in zip(texts, files, strict=True)) < 41_000
    )
    welcome, report, _list, final, *_ = (
        len(body_of(mail).splitlines()) for mail in demo_mails(demo, EXAMPLE)
    )
    assert welcome <= 60
    assert report <= 36
    assert final <= 9


def test_who_breaks_the_rules_twice_is_disqualified_and_told_why(demo: Path) -> None:
    standing = standings(demo)[BREAKER]
    assert standing["disqualified"]
    assert standing["failures"] == 2
    assert "disqualified" in body_of(demo_mails(demo, BREAKER)[-1])
    assert "8 are needed" in body_of(demo_mails(demo, BREAKER)[-1])


def test_teams_without_a_program_are_told_that_they_take_no_part(demo: Path) -> None:
    for team in (NOT_COMPILING, FORBIDDEN):
        assert team not in standings(demo)
        assert any(
            "without your program" in str(mail["Subject"]) for mail in demo_mails(demo, team)
        )


def test_the_protocols_of_a_team_hold_every_throw_of_its_games(demo: Path) -> None:
    (mail,) = (m for m in demo_mails(demo, EXAMPLE) if "protocols" in str(m["Subject"]))
    (attachment,) = mail.iter_attachments()
    text = gzip.decompress(attachment.get_content()).decode()
    games = list(protocolfmt.games_of(text))
    complete = [game for game in games if game.counted]
    assert len(complete) >= 37
    assert all(len(game.throws) == 1000 for game in complete)
    assert all(EXAMPLE in game.players for game in games)


def test_the_reports_follow_the_mail_preference(demo: Path) -> None:
    teams = [*(name for name, _ in SPECIAL), *standings(demo)]
    wanted = dict(
        zip(dict.fromkeys(in_order_of_registration(demo)), cycle(PREFERENCES), strict=False)
    )
    for team in set(teams) - {NOT_COMPILING, FORBIDDEN}:
        codes = set(wanted[team].split(",")) & set(KNOBELN_REPORTS)
        codes -= {"GRP"} if "DGP" in codes else set()
        codes -= {"GRR"} if "RSM" in codes else set()
        # The welcome, the compile report, both lists of entries, and the reports.
        assert len(demo_mails(demo, team)) == 4 + len(codes), team


def standings(demo: Path) -> dict[str, dict[str, object]]:
    result = CliRunner().invoke(main, ["results", "--json", "-C", str(demo)])
    (final,) = json.loads(result.stdout)["rounds"]
    return {standing["entry"]: standing for standing in final["groups"][0]["standings"]}


def in_order_of_registration(demo: Path) -> list[str]:
    result = CliRunner().invoke(main, ["teams", "--json", "-C", str(demo)])
    return [team["name"] for team in json.loads(result.stdout)]
