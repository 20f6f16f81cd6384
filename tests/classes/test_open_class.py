"""`class open`: thirty names on a sheet, and the letters that a lesson sends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mailserver.reading import class_names
from tests.support.command_line import knobeln, knobeln_in
from tests.support.letters import letter

FIRST = ("Ada", "Emmy", "Carl Friedrich", "Grace", "Jürgen", "Zoë", "Łukasz", "Anna-Lena", "Björn")
LAST = ("Lovelace", "Nöther", "Gauß", "Hopper", "Müller", "O'Neill", "Wiśniewski", "Schmidt")
NAMES = [f"{FIRST[n % 9]} {LAST[(n * 5 + n // 8) % 8]}" for n in range(30)]
WORD = "Zuse"


def test_the_thirty_names_are_thirty() -> None:
    assert len({name.casefold() for name in NAMES}) == 30


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("ada lovelace", "Ada Lovelace"),
        ("Lovelace, Ada", "Ada Lovelace"),
        ("LOVELACE Ada", "Ada Lovelace"),
        ("Emmy Noether", "Emmy Nöther"),
        ("Carl Friedrich Gauss", "Carl Friedrich Gauß"),
        ("Juergen Mueller", "Jürgen Müller"),
        ("Anna Lena Schmidt", "Anna-Lena Schmidt"),
        ("Lukasz Wisniewski", "Łukasz Wiśniewski"),
    ],
)
def test_a_name_is_the_same_in_other_signs(written: str, same: str) -> None:
    listed = ["Ada Lovelace", "Emmy Nöther", "Carl Friedrich Gauß", "Jürgen Müller"]
    listed += ["Anna-Lena Schmidt", "Łukasz Wiśniewski"]
    assert class_names.find(written, listed).same == (same,)


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("Ada Lovlace", "Ada Lovelace"),
        ("Adda Lovelace", "Ada Lovelace"),
        ("Ada Lovelcae", "Ada Lovelace"),
        ("Ada", "Ada Lovelace"),
        ("Lovelace", "Ada Lovelace"),
        ("Ada King Lovelace", "Ada Lovelace"),
        ("Jürgen Muler", "Jürgen Müller"),
        ("Jurgen Muller", "Jürgen Müller"),
    ],
)
def test_a_name_with_a_spelling_error_is_near(written: str, near: str) -> None:
    found = class_names.find(written, ["Ada Lovelace", "Emmy Nöther", "Jürgen Müller"])
    assert found == class_names.FoundName((), (near,))


@pytest.mark.parametrize("stranger", ["Alan Turing", "Marie Curie", "王小明", "", "!!"])
def test_a_stranger_is_near_nobody(stranger: str) -> None:
    assert class_names.find(stranger, NAMES) == class_names.FoundName(())


# --- a lesson -------------------------------------------------------------------------------------
def write(contest: Path, number: int, subject: str, text: str) -> None:
    address = f"s{number}@uni.example"
    knobeln("receive", "-C", contest, stdin=letter(address, subject, text))


def members(contest: Path) -> dict[str, tuple[str, str]]:
    """Address -> name and state of each team."""
    found = json.loads(knobeln_in(contest, "teams", "--json").stdout)
    return {
        line["team"]["registration"]["address"]: (
            line["team"]["registration"]["members"][0]["name"],
            line["state"],
        )
        for line in found
    }


@pytest.fixture
def contest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KNOBELN_SET_TEAMS__WORD", WORD)
    folder = tmp_path / "course"
    knobeln("init", folder, "--class", "--beacon", "none")
    sheet = tmp_path / "names.csv"
    sheet.write_text("Name\n" + "".join(f"{name}\n" for name in NAMES), encoding="utf-8")
    said = knobeln_in(folder, "class", "open", sheet).output
    assert "30 people, 30 without address" in said
    assert "Subject: join First-Name Last-Name" in said
    return folder


@pytest.mark.slow
def test_a_lesson_of_thirty_with_forty_letters(contest: Path) -> None:
    for number, name in enumerate(NAMES[:22]):  # as they are
        write(contest, number, f"join {name}", f"{WORD}\n")
    for number, name in enumerate(NAMES[22:26], 22):  # the last name first; the name in the text
        first, _, last = name.rpartition(" ")
        write(contest, number, f"Join: {last}, {first}", WORD.upper())
    for number, name in enumerate(NAMES[26:30], 26):  # a letter is missing, and they are asked back
        write(contest, number, f"mitmachen {name[:-1]}", WORD)
        write(contest, number, f"Re: join {name}", f"{WORD}\n\n> Do you mean one of these?\n")
    write(contest, 30, "join Alan Turing", WORD)  # strangers
    write(contest, 31, "join Marie Curie", WORD)
    write(contest, 32, "join Max Planck", WORD)
    write(contest, 33, f"join {NAMES[0]}", WORD)  # another one's name
    write(contest, 34, f"join {NAMES[1]}", "please")  # without the word
    write(contest, 35, "join", WORD)
    found = members(contest)
    for number, name in enumerate(NAMES):
        assert found[f"s{number}@uni.example"] == (name, "unheard"), name
    for number in range(30, 34):
        assert found[f"s{number}@uni.example"][1] == "pending"
    assert "s34@uni.example" not in found
    shown = knobeln_in(contest, "class").output
    assert f"{NAMES[0]}\tregistered\tteam_1\ts0@uni.example" in shown
    assert "Alan Turing\twaits for you\tteam_31" in shown
    taken = next(
        line["name"]
        for line in json.loads(knobeln_in(contest, "teams", "--json").stdout)
        if line["team"]["registration"]["address"] == "s33@uni.example"
    )
    assert (
        "has a name that another address has taken"
        in knobeln_in(contest, "teams", "show", taken).output
    )
    knobeln_in(contest, "teams", "accept", taken)
    assert members(contest)["s33@uni.example"][1] == "active"


def test_a_near_name_is_asked_back_and_a_reply_registers(contest: Path) -> None:
    near = NAMES[3][:-2]
    write(contest, 1, f"join {near}", WORD)
    assert members(contest) == {}
    mail = json.loads(knobeln_in(contest, "mail", "--json").stdout)[-1]
    assert mail["subject"] == f"join {NAMES[3]}"
    write(contest, 1, f"Re: {mail['subject']}", f"{WORD}\n> Do you mean\n")
    assert members(contest) == {"s1@uni.example": (NAMES[3], "unheard")}
