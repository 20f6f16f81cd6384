"""A program's files in one .zip or .tar.gz, and archives that are meant to harm."""

import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP
from typing import Literal

import pytest

from contest.model import LetterState, StoredLetter
from contest.programs.archive import IsImage, NotUnpacked, unpacked
from mailserver.problem import Problem
from mailserver.reader import read
from mailserver.reading.find_program import MailedProgram, find_files, unpacked_files
from mailserver.reading.letter import parse
from mailserver.reading.part_text import SentFile
from mailserver.team_secret import FromLine
from tests.support.letters import letter
from tests.support.mail_world import OPENS, make_settings

Entries = dict[str, bytes]


def zipped(entries: Entries, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(
    entries: Entries, mode: Literal["w", "w:gz"] = "w:gz", form: int = tarfile.PAX_FORMAT
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=form) as archive:
        for name, data in entries.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def with_link(kind: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        entry = tarfile.TarInfo("a.py")
        entry.type, entry.linkname = kind, "/etc/passwd"
        archive.addfile(entry)
    return out.getvalue()


def zip_with_link() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo("a.py")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return out.getvalue()


def twice(first: str, second: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(first, "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr(second, "2")
    return out.getvalue()


def flagged(data: bytes, flag: int) -> bytes:
    at = data.index(b"PK\x01\x02")
    return data[: at + 8] + bytes([data[at + 8] | flag]) + data[at + 9 :]


MAIN = {"main.py": b"import a\n", "a.py": b"b = 1\n"}
DEEP = "very/long/" + "x" * 60 + "/" + "y" * 60 + "/name.py"


@pytest.mark.parametrize("name", ["bot.zip", "bot.tar.gz", "bot.tgz", "bot.tar", "Bot.ZIP"])
@pytest.mark.parametrize(
    ("sent", "files", "left_out"),
    [
        (MAIN, MAIN, ()),
        ({f"bot/{name}": data for name, data in MAIN.items()}, MAIN, ()),
        ({f"./{name}": data for name, data in MAIN.items()}, MAIN, ()),
        (
            {
                "bot/main.py": b"1",
                "bot/.git/config": b"x",
                "__MACOSX/bot/._main.py": b"\0",
                "bot/__pycache__/a.cpython-311.pyc": b"\0",
                "bot/.DS_Store": b"\0",
            },
            {"main.py": b"1"},
            (
                "bot/.git/config",
                "__MACOSX/bot/._main.py",
                "bot/__pycache__/a.cpython-311.pyc",
                "bot/.DS_Store",
            ),
        ),
        ({"a/b.py": b"1", "c.txt": b"2"}, {"a/b.py": b"1", "c.txt": b"2"}, ()),
        ({DEEP: b"1", "main.py": b"2"}, {DEEP: b"1", "main.py": b"2"}, ()),
    ],
)
def test_files_come_out_as_they_went_in(
    name: str, sent: Entries, files: Entries, left_out: tuple[str, ...]
) -> None:
    is_zip = name.lower().endswith(".zip")
    data = zipped(sent) if is_zip else tarred(sent, "w" if name.endswith(".tar") else "w:gz")
    found = unpacked(name, data)
    assert found.files == files
    assert found.left_out == left_out


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_every_form_of_tar_is_read(form: int) -> None:
    sent = {DEEP: b"1" * 700, "main.py": b""}
    assert unpacked("a.tar.gz", tarred(sent, form=form)).files == sent


def test_names_of_windows_are_paths() -> None:
    raw = zipped({"bot/main.py": b"1", "bot/a/b.py": b"2"}).replace(b"bot/", b"bot\\")
    assert unpacked("a.zip", raw.replace(b"a/b", b"a\\b")).files == {
        "main.py": b"1",
        "a/b.py": b"2",
    }


BOMB = b"\0" * 50_000_000
WRONG: list[tuple[str, Callable[[], bytes], str]] = [
    ("bomb.zip", lambda: zipped({"a.py": BOMB}), "more than 2,000,000 bytes"),
    ("bomb.tar.gz", lambda: tarred({"a.py": BOMB}), "more than 2,000,000 bytes"),
    ("many.zip", lambda: zipped({f"d/{n}": b"" for n in range(2_001)}), "more than 2,000 entries"),
    ("many.tgz", lambda: tarred({f"d/{n}": b"" for n in range(2_001)}), "more than 2,000 entries"),
    ("many.zip", lambda: zipped({f"{n}.py": b"" for n in range(41)}), "41 files; a program has at"),
    ("up.zip", lambda: zipped({"../a.py": b"1"}), "`../a.py`"),
    ("up.tgz", lambda: tarred({"b/../../a.py": b"1"}), "outside of its folder"),
    ("root.zip", lambda: zipped({"/etc/passwd": b"1"}), "outside of its folder"),
    ("root.tgz", lambda: tarred({"/etc/passwd": b"1"}), "outside of its folder"),
    ("drive.zip", lambda: zipped({"C:/a.py": b"1"}), "outside of its folder"),
    ("back.zip", lambda: zipped({"..\\a.py": b"1"}), "outside of its folder"),
    ("link.zip", zip_with_link, "a.py is a link"),
    ("link.tgz", lambda: with_link(tarfile.SYMTYPE), "a.py is a link"),
    ("hard.tgz", lambda: with_link(tarfile.LNKTYPE), "a.py is a link"),
    ("device.tgz", lambda: with_link(tarfile.CHRTYPE), "is no file"),
    ("twice.zip", lambda: twice("a.py", "a.py"), "two files a.py"),
    ("case.zip", lambda: zipped({"A.py": b"1", "a.py": b"2"}), "one file on some systems"),
    ("folder.zip", lambda: zipped({"a": b"1", "a/b.py": b"2"}), "one file on some systems"),
    ("deep.zip", lambda: zipped({"/".join("abcdefghijkl"): b"1", "m.py": b"2"}), "cannot be used"),
    ("umlaut.zip", lambda: zipped({"ü.py": b"1"}), "cannot be used"),
    ("empty.zip", lambda: zipped({}), "no files"),
    ("hidden.zip", lambda: zipped({".git/config": b"1"}), "no files"),
    ("secret.zip", lambda: flagged(zipped(MAIN), 1), "password"),
    ("bz2.zip", lambda: zipped(MAIN, zipfile.ZIP_BZIP2), "unusual way"),
    ("lzma.zip", lambda: zipped(MAIN, zipfile.ZIP_LZMA), "unusual way"),
    ("cut.zip", lambda: zipped(MAIN)[:-30], "damaged"),
    ("cut.tgz", lambda: tarred(MAIN)[:-30], "damaged"),
    ("text.zip", lambda: b"print(1)\n", "damaged"),
    ("text.tar", lambda: b"print(1)\n" * 100, "damaged"),
    ("none.tgz", lambda: b"", "damaged"),
]


@pytest.mark.parametrize(("name", "data", "words"), WRONG)
def test_an_archive_that_could_harm_is_refused_in_words(
    name: str, data: Callable[[], bytes], words: str
) -> None:
    with pytest.raises(NotUnpacked) as found:
        unpacked(name, data())
    assert words.strip("`") in str(found.value)


@pytest.mark.parametrize("name", ["oci-layout", "manifest.json"])
def test_an_image_is_no_program(name: str) -> None:
    data = tarred({name: b"[]", "blobs/sha256/0": b"1"})
    with pytest.raises(IsImage):
        unpacked("player.tar.gz", data)
    sent = (SentFile(data, name="player.tar.gz"),)
    assert unpacked_files(sent, images=True) == sent


def test_a_large_archive_is_left_to_those_who_unpack_images() -> None:
    sent = (SentFile(tarred({"a": BOMB}), name="player.tar.gz"),)
    assert unpacked_files(sent, images=True) == sent
    (refused,) = unpacked_files(sent, images=False)
    assert "more than 2,000,000 bytes" in refused.problem


@pytest.mark.parametrize("name", ["bot.7z", "bot.rar", "bot.tar.xz", "bot.tar.bz2", "bot.jar"])
def test_other_archives_are_refused_with_what_to_send(name: str) -> None:
    (refused,) = unpacked_files((SentFile(b"\0", name=name),), images=False)
    assert refused.problem == "only a .zip or a .tar.gz is unpacked here"


# --- letters --------------------------------------------------------------------------------------
def letter_with(*files: tuple[str, bytes]) -> MailedProgram | Problem:
    letter = EmailMessage(policy=SMTP)
    letter["From"] = "joe@a.example"
    letter["Subject"] = "please compile"
    letter.set_content("It bids what is left.\n")
    for name, data in files:
        letter.add_attachment(data, maintype="application", subtype="zip", filename=name)
    return find_files(parse(letter.as_bytes()))


def test_a_letter_brings_the_files_of_an_archive_with_the_from_line_in_one_of_them() -> None:
    marked = b"# <<FROM>> lords k7qd\nb = 1\n"
    data = zipped({"bot/main.py": b"import lib.a", "bot/lib/a.py": marked, "bot/.idea/x": b"\0"})
    program = letter_with(("bot.zip", data))
    assert isinstance(program, MailedProgram)
    assert program.files == {"main.py": b"import lib.a", "lib/a.py": marked}
    assert program.marked_in == "lib/a.py"
    assert program.repairs == ("main.py: bot.zip: left out was bot/.idea/x",)


def test_files_beside_an_archive_belong_to_the_program() -> None:
    program = letter_with(("bot.tgz", tarred({"bot/main.py": b"1"})), ("description.txt", b"Hm."))
    assert isinstance(program, MailedProgram)
    assert set(program.files) == {"main.py", "description.txt"}


def test_a_file_that_is_there_twice_is_refused() -> None:
    problem = letter_with(("bot.zip", zipped(MAIN)), ("main.py", b"2"))
    assert isinstance(problem, Problem)
    assert "several files named main.py" in problem.text


def test_what_is_no_text_in_an_archive_is_left_out() -> None:
    found = unpacked("bot.zip", zipped({**MAIN, "bot": b"\x7fELF\0", "old.zip": zipped(MAIN)}))
    assert (found.files, set(found.left_out)) == (MAIN, {"bot", "old.zip"})


def test_an_archive_of_an_archive_is_refused_with_the_inner_ones_name() -> None:
    with pytest.raises(NotUnpacked, match=r"another archive bot.zip; please send that one"):
        unpacked("out.zip", zipped({"bot.zip": zipped(MAIN)}))


def test_a_package_of_python_keeps_its_folder() -> None:
    files = {"bot/__init__.py": b"", "bot/main.py": b"import bot\n"}
    assert unpacked("bot.zip", zipped(files)).files == files


def test_a_file_in_utf_16_is_named() -> None:
    problem = letter_with(("bot.py", "print(1)".encode("utf-16")))
    assert isinstance(problem, Problem)
    assert "bot.py is in UTF-16" in problem.text


def test_an_archive_that_is_refused_is_named_with_the_reason_and_the_right_form() -> None:
    problem = letter_with(("bot.zip", zipped({"../a.py": b"1"})))
    assert isinstance(problem, Problem)
    assert "The file bot.zip could not be read: its file ../a.py would be outside" in problem.text
    assert "one .zip or .tar.gz" in problem.expected


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("a (1).py", "a.py"),
        ("a(12).py", "a.py"),
        ("tit-for-tat (1).py", "tit-for-tat.py"),
        ("a - Copy.py", "a.py"),
        ("a - Kopie (2).py", "a.py"),
        ("Copy of a.py", "a.py"),
        ("a copy 2.java", "a.java"),
        ("a b.py", "a_b.py"),
        ("a (x).py", "a_x_.py"),
        ("Mühle (1).py", "Muhle.py"),
        ("bot.py.txt", "bot.py"),
    ],
)
def test_a_copy_has_the_name_of_its_file(name: str, taken: str) -> None:
    program = letter_with((name, b"print(1)"))
    assert isinstance(program, MailedProgram)
    assert set(program.files) == {taken}
    assert program.repairs == (f"{taken}: it was called `{name}`",)


@pytest.mark.parametrize("name", ["(1).py", ".bot.py", "a:b.py", "a;b.py", "骰子.py"])
def test_other_names_are_refused(name: str) -> None:
    assert isinstance(letter_with((name, b"print(1)")), Problem)


def test_the_string_in_an_archive_shows_which_team_has_written() -> None:
    line = "<<FROM>> gauss abcd-efgh-jkmn-pqrs-tuvw"
    attached = {"program.zip": zipped({"main.py": f"# {line}\nprint(1)\n".encode()})}
    raw = letter("joe@a.example", "please compile", "Our program.", attached=attached)
    stored = StoredLetter(1, "", OPENS, "joe@a.example", (), "smtp", LetterState.NEW, raw)
    settings = make_settings(game={"name": "bid-tac-toe"})
    assert read(stored, settings, "en").from_lines == (
        FromLine("gauss", "abcd-efgh-jkmn-pqrs-tuvw", 1),
    )
