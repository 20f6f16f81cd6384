"""The commands as an organizer types them, on a real contest folder."""

import base64
import hashlib
import hmac
import json
import os
import re
import struct
import subprocess
import sys
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from contest.config.load import load_settings
from contest.config.settings import Settings, without_secrets
from contest.config.template import description_of, settings_template, usual_dates
from contest.errors import ToolMissing
from contest.util.clock import SystemClock
from knobellib.samples import house_strategies
from knobeln.doctor import host_checks
from sandbox import bubblewrap, groups
from sandbox.groups import LimitsOfSandboxes, limits_of_sandboxes
from store import Store, migrate
from tests.support.command_line import knobeln
from tests.support.contest_field import House, make_contest, settings
from tests.support.letters import letter
from tests.support.mail_world import FORM

TEAM = "our_team@machine.domain.alfdkj"


def from_json(*words: object) -> Any:
    return json.loads(knobeln(*words, "--json").stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    knobeln("init", tmp_path / "contest")
    return tmp_path / "contest"


def newest_mail(folder: Path) -> str:
    return knobeln("mail", "show", from_json("mail", "-C", folder)[-1]["id"], "-C", folder).stdout


# --- init -----------------------------------------------------------------------------------------
def test_init_writes_every_setting_with_its_meaning(folder: Path) -> None:
    text = (folder / "contest.toml").read_text()
    for name, section in Settings.model_fields.items():
        assert f"[{name}]" in text
        for key, info in section.annotation.model_fields.items():
            assert f"# {description_of(info)}\n{key} = " in text
    assert settings_template(load_settings(folder)) == text
    for private in ("contest.toml", "contest.db"):
        assert oct((folder / private).stat().st_mode)[-3:] == "600"


def test_init_twice_changes_nothing(folder: Path) -> None:
    before = (folder / "contest.toml").read_text()
    assert "there is a contest" in knobeln("init", folder, code=1).output
    assert (folder / "contest.toml").read_text() == before


def test_an_init_that_was_killed_is_completed_by_the_next(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'contest.db'}")
    migrate.upgrade(store)
    store.close()
    (tmp_path / "contest.toml").write_text(
        settings_template(Settings(dates=usual_dates(SystemClock().now())))
    )
    assert "`knobeln init" in knobeln("status", "-C", tmp_path, code=1).output
    knobeln("init", tmp_path)
    assert from_json("status", "-C", tmp_path)["phase"] == "open"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        pytest.param("[game]\nk = 0\n", "game.k", id="a value out of range"),
        pytest.param(
            "[mail]\nanswer_per_hour = 1\n",
            "mail.answer_per_hour: there is no such setting; did you mean answers_per_hour?\n",
            id="a mistyped setting",
        ),
        pytest.param("[game\n", "contest.toml", id="no TOML"),
        pytest.param(
            "[tournament]\nself_play = false\n", "self-games", id="an evolution without self-games"
        ),
    ],
)
def test_a_wrong_setting_is_named(folder: Path, wrong: str, says: str) -> None:
    text = (folder / "contest.toml").read_text()
    (folder / "contest.toml").write_text(wrong + text[text.index("[dates]") : text.index("[game]")])
    assert says in knobeln("status", "-C", folder, code=1).output


@pytest.mark.parametrize(
    "words", [("backup", "no/where/it.tar.gz"), ("site", "/proc/pages"), ("init", "/proc/it")]
)
def test_a_place_that_cannot_be_written_is_said_in_one_line(
    folder: Path, words: tuple[str, str]
) -> None:
    command = words if words[0] == "init" else (*words, "-C", folder)
    said = knobeln(*command, code=1).output
    assert re.match(
        "knobeln: cannot (read or write|make the folder .*): No such file or directory", said
    )
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("place", ["before", "after", "environment", "here"])
def test_the_folder_is_found_wherever_it_is_named(
    folder: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words: list[object] = ["status"]
    if place == "before":
        words = ["-C", folder, "status"]
    elif place == "after":
        words = ["status", "-C", folder]
    elif place == "environment":
        monkeypatch.setenv("KNOBELN_CONTEST", str(folder))
    else:
        monkeypatch.chdir(folder)
    assert from_json(*words)["phase"] == "open"


# --- letters --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("stdin", "code"),
    [
        pytest.param(b"", 65, id="nothing"),
        pytest.param(b"x" * 1_000_001, 65, id="too large"),
        pytest.param(b"X: y\n" * 1_001 + b"\nx\n", 65, id="too many headers"),
        pytest.param(b"\x00\xff\xfe no letter at all", 0, id="rubbish is kept and ignored"),
        pytest.param(letter(TEAM, "hello", "who are you?"), 0, id="an unknown subject is answered"),
    ],
)
def test_receive_speaks_sysexits(folder: Path, stdin: bytes, code: int) -> None:
    knobeln("receive", "-C", folder, stdin=stdin, code=code)


def test_upgrade_makes_no_database_where_there_is_none(folder: Path, tmp_path: Path) -> None:
    knobeln("upgrade", "-C", folder)
    (folder / "contest.db").unlink()
    assert "put its contest.db back" in knobeln("upgrade", "-C", folder, code=1).output
    knobeln("upgrade", "-C", tmp_path, code=1)
    assert not list(tmp_path.rglob("*.db"))
    assert "or there was (.contest)" in knobeln("init", folder, code=1).output


@pytest.mark.parametrize("sender", ["<>", ""])
def test_the_null_sender_may_have_its_angle_brackets(folder: Path, sender: str) -> None:
    knobeln(
        "receive", "--sender", sender, "-C", folder, stdin=letter(TEAM, "hello", "I am a bounce")
    )
    assert from_json("letters", "-C", folder)[0]["sender"] == ""
    assert from_json("mail", "-C", folder) == []  # it is not answered


def test_an_envelope_that_is_no_text_does_not_cost_the_letter(folder: Path) -> None:
    odd = os.fsdecode(b"\xff@a.example")
    knobeln(
        "receive",
        "--sender",
        odd,
        "--recipient",
        odd,
        "-C",
        folder,
        stdin=letter(TEAM, "hello", "x"),
    )
    assert from_json("letters", "-C", folder)[0]["sender"] == "?@a.example"


def test_to_retry_a_letter_that_was_not_set_aside_is_no_success(folder: Path) -> None:
    assert (
        "letter 7 was not set aside" in knobeln("letters", "retry", 7, "-C", folder, code=1).output
    )


def test_an_ignored_letter_is_counted_listed_and_can_be_let_in(folder: Path) -> None:
    away = letter(TEAM, "help", "I am away", Auto_Submitted="auto-replied")
    knobeln("receive", "-C", folder, stdin=away)
    assert from_json("mail", "-C", folder) == []
    kinds = {"an automatic answer (Auto-Submitted)": 1}
    assert from_json("status", "-C", folder)["ignored"] == kinds
    status = " ".join(knobeln("status", "-C", folder).output.split())
    assert "letters were ignored (1 an automatic answer (Auto-Submitted))" in status
    (listed,) = from_json("letters", "--ignored", "-C", folder)
    knobeln("letters", "let-in", listed["id"], "-C", folder)
    assert len(from_json("mail", "-C", folder)) == 1
    assert from_json("status", "-C", folder)["ignored"] == {}
    again = knobeln("letters", "let-in", listed["id"], "-C", folder, code=1)
    assert f"letter {listed['id']} was not ignored" in again.output


def test_receive_without_a_contest_asks_the_mail_system_to_try_again(tmp_path: Path) -> None:
    knobeln("receive", "-C", tmp_path, stdin=b"Subject: x\n\ny\n", code=75)


# --- teams ----------------------------------------------------------------------------------------
def test_a_registration_that_waits_is_accepted_or_rejected_by_the_organizer(folder: Path) -> None:
    toml = folder / "contest.toml"
    toml.write_text(toml.read_text().replace('approval = "automatic"', 'approval = "organizer"'))
    knobeln("receive", "-C", folder, stdin=letter(TEAM, "registration for KNOBELN", FORM))
    assert from_json("teams", "-C", folder)[0]["state"] == "pending"
    assert "<<FROM>>" not in newest_mail(folder)
    name = "the_heavy_lords_of_knobeln"
    knobeln("teams", "reject", name, "--reason", "Too heavy.", "-C", folder)
    assert "Too heavy." in newest_mail(folder)
    assert from_json("teams", "-C", folder) == []
    knobeln("receive", "-C", folder, stdin=letter(TEAM, "registration for KNOBELN", FORM + "\n"))
    knobeln("teams", "accept", name, "-C", folder)
    assert "<<FROM>>" in newest_mail(folder)
    assert "does not wait" in knobeln("teams", "accept", name, "-C", folder, code=1).output
    assert "no team nobody" in knobeln("teams", "accept", "nobody", "-C", folder, code=1).output


# --- the contest day ------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def five_programs(house: House) -> Mapping[str, Any]:
    return house.first(5)


def test_a_contest_is_run_and_its_results_are_shown(
    tmp_path: Path, five_programs: dict[str, Any]
) -> None:
    make_contest(tmp_path, 7, five_programs, settings())
    assert "nothing has been played" in knobeln("results", "-C", tmp_path, code=1).output
    assert "not finished" in knobeln("announce", "--results", "-C", tmp_path, code=1).output
    output = knobeln("run", "--now", "-C", tmp_path).output
    assert "The final" in output
    assert "Evolution" in output
    found = from_json("results", "-C", tmp_path)
    (final,) = found["rounds"]
    assert final["plan"]["final"]
    assert [s["rank"] for s in final["groups"][0]["standings"]] == sorted(
        s["rank"] for s in final["groups"][0]["standings"]
    )
    assert found["evolution"]["generations"][0] == [5] * 7
    assert found["secret"] == bytes(range(32)).hex()
    seed = hmac.digest(bytes(range(32)), bytes.fromhex(found["seal"]["entries_root"]), "sha256")
    assert found["seal"]["seed"] == seed.hex()
    assert knobeln("announce", "--results", "-C", tmp_path).output.startswith("Subject: ")
    assert list((tmp_path / "mail").iterdir()), "run delivers where no server does"


def test_the_organizers_words_come_first_in_the_summary(
    tmp_path: Path, five_programs: Mapping[str, Any]
) -> None:
    chosen = settings()
    waiting = chosen.model_copy(
        update={"reports": chosen.reports.model_copy(update={"summary": "organizer"})}
    )
    make_contest(tmp_path, 5, five_programs, waiting, ("RSM",))
    knobeln("run", "--now", "-C", tmp_path)
    assert "knobeln run summary 1" in knobeln("status", "-C", tmp_path).output
    assert "empty" in knobeln("run", "summary", 1, "-", "-C", tmp_path, stdin="  \n", code=1).output
    (tmp_path / "latin1").write_bytes(b"Gr\xfc\xdfe\n")
    assert (
        "UTF-8" in knobeln("run", "summary", 1, tmp_path / "latin1", "-C", tmp_path, code=1).output
    )
    knobeln("run", "summary", 1, "-", "-C", tmp_path, stdin="It was close.\n")
    assert "It was close." in newest_mail(tmp_path)
    assert (
        "gone out"
        in knobeln("run", "summary", 1, "-", "-C", tmp_path, stdin="Again.\n", code=1).output
    )


# --- programs -------------------------------------------------------------------------------------
def test_check_gives_the_compile_report(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.c", tmp_path / "bad.c"
    good.write_text(house_strategies()[0].source)
    bad.write_text('#include <stdio.h>\nmain() { printf("hello"); }\n')
    assert "lexical elements" in knobeln("check", good).output
    output = knobeln("check", bad, code=1).output
    assert "#include" in output
    assert "line 1" in output


@pytest.mark.slow
def test_play_writes_the_replay_into_one_file(tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    words = ("play", "dice_cup", "council", "--seed", "s")
    plain, written = knobeln(*words).output, knobeln(*words, "--html", page).output
    assert plain.splitlines()[:2] == written.splitlines()[:2]
    text = page.read_text()
    assert "<title>KNOBELN</title>" in text
    # The policy names the digests of the very style and script inside.
    for element in ("style", "script"):
        inside = text.partition(f"<{element}>")[2].partition(f"</{element}>")[0]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in unescape(text)
    assert "unsafe-inline" not in text
    assert not re.search(r"(src|href)=", text)
    knobeln(*words, "--html", page)
    assert page.read_text() == text


def test_play_names_the_strategy_that_was_meant_or_where_they_are_listed() -> None:
    assert "`knobeln games` lists them" in knobeln("play", "nobody.c", "council", code=1).output
    assert "did you mean council?" in knobeln("play", "counsil", "pavlov", code=1).output
    assert (
        "did you mean cooperation?"
        in knobeln("play", "--game", "coperation", "a", "b", code=1).output
    )


# --- the rest -------------------------------------------------------------------------------------
def test_the_demo_says_at_once_what_is_missing_on_this_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    output = knobeln("demo", tmp_path / "contest", code=1).output
    assert "this host cannot run a contest yet" in output
    assert "\n  the sandbox: " in output
    assert "install gcc" in output
    assert not (tmp_path / "contest").exists()


@pytest.mark.slow
def test_a_terminal_that_lacks_a_character_stops_no_command(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "knobeln", "init", str(tmp_path / "K☃N")]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "K?N" in done.stdout.decode("latin-1")


@pytest.mark.slow
def test_doctor_finds_this_host_fit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOBELN_SET_MAIL__LISTEN", "127.0.0.1:0")
    output = knobeln("doctor", "--letter", "-C", folder, code=1).output
    failed = [line for line in output.splitlines() if line.startswith("FAIL")]
    assert len(failed) == 1
    assert failed[0].startswith("FAIL a letter to itself: no letter leaves this host")
    user = "note the user: root" if os.geteuid() == 0 else "ok   the user: an ordinary user"
    assert user in output
    assert (
        "ok   the sandbox: bubblewrap isolates programs (tried: no network, /proc/sys cannot be"
        in output
    )
    limits = limits_of_sandboxes()
    said = "ok   limits of sandboxes: " if limits.whole else "note limits of sandboxes: weak: "
    assert f"{said}{limits.sentence}" in output
    assert "note mails out: they are only stored in " in output
    assert "note the contest" in output


@pytest.mark.slow
def test_doctor_finds_that_sandboxes_are_not_filtered(monkeypatch: pytest.MonkeyPatch) -> None:
    allows_all = struct.pack("<HBBI", 6, 0, 0, 0x7FFF_0000)  # return ALLOW
    monkeypatch.setattr(bubblewrap, "system_call_filter", lambda: allows_all)
    with pytest.raises(ToolMissing, match="the filter of system calls refuses too little"):
        host_checks._sandbox()


def test_doctor_finds_limits_that_do_not_bite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        host_checks, "limits_of_sandboxes", lambda: LimitsOfSandboxes(True, "they hold")
    )
    monkeypatch.setattr(groups, "_found", lambda: (None, "not here"))
    with pytest.raises(
        ToolMissing, match="they hold, but a sandbox that used more than 65 MB ended with exit"
    ):
        host_checks._limits()


@pytest.mark.parametrize(
    ("command", "is_ours"),
    [
        ('exec "$0"', True),
        ('"$0"; true', False),  # the shell is the first process
    ],
)
def test_doctor_sees_whether_knobeln_is_the_first_process(
    command: str, is_ours: bool, tmp_path: Path
) -> None:
    program = tmp_path / "knobeln"
    check = "from knobeln.doctor.host_checks import is_process_1; print(is_process_1())"
    program.write_text(f"#!{sys.executable}\n{check}\n")
    program.chmod(0o755)
    namespace = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    ended = subprocess.run(
        [*namespace, "/bin/sh", "-c", command, program], capture_output=True, text=True, check=True
    )
    assert ended.stdout == f"{is_ours}\n"


def test_a_password_may_come_from_the_environment_and_is_in_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOBELN_SET_MAIL__PASSWORD", "open sesame")
    knobeln("init", tmp_path)
    assert load_settings(tmp_path).mail.password == "open sesame"
    assert "sesame" not in (tmp_path / "contest.toml").read_text()


def test_nothing_that_is_kept_of_the_settings_is_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MAIL__PASSWORD", "OAUTH__CLIENT_SECRET", "OAUTH__REFRESH_TOKEN"):
        monkeypatch.setenv(f"KNOBELN_SET_{name}", "open sesame")
    knobeln("init", tmp_path)
    kept = without_secrets(load_settings(tmp_path))
    assert "sesame" not in json.dumps(kept)
    assert kept["mail"]["smarthost"] == "localhost"


def test_a_variable_for_a_list_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOBELN_SET_CONTEST__ALIASES", "x@a.example")
    said = knobeln("status", "-C", folder, code=1).output
    assert "contest.aliases: it is not a list (given as KNOBELN_SET_CONTEST__ALIASES)" in said


def test_brackets_in_the_title_are_no_markup(folder: Path) -> None:
    file = folder / "contest.toml"
    file.write_text(file.read_text().replace("International", "[bold] [/x]"))
    assert "[bold] [/x] KNOBELN" in knobeln("status", "-C", folder).output
