"""Letters out of a real Maildir, as mail systems leave them there and as other people spoil it."""

from __future__ import annotations

import mailbox
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from contest.config.sections import Pickup
from contest.errors import ConfigError, StoreBusy
from contest.model import LetterState
from contest.store import Store, letters
from mailserver.intake.accept import accept_found
from mailserver.intake.maildir import Maildir, MaildirUnreachable

LETTER = b"Return-Path: <joe@machine.example>\nDelivered-To: knobeln@contest.example\nSubject: x\n\nx\n"


class Taken:
    def __init__(self) -> None:
        self.raws: list[bytes] = []
        self.before: Callable[[], object] = lambda: None

    def __call__(self, raw: bytes, arrived_at: datetime) -> None:
        self.before()
        self.raws.append(raw)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    mailbox.Maildir(tmp_path / "box").close()
    return tmp_path / "box"


@pytest.fixture
def taken() -> Taken:
    return Taken()


def opened(root: Path, taken: Callable[..., object], **settings: str) -> Maildir:
    return Maildir(Pickup(maildir=root.name, **settings), root.parent, 20_000, taken)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_letters_are_taken_in_order_and_moved_to_cur(root: Path, taken: Taken) -> None:
    for number in (2, 1):
        (root / "new" / f"100{number}.a.host").write_bytes(LETTER + b"%d\n" % number)
    box = opened(root, taken)
    assert box.check() == 2
    assert [box.take_next(), box.take_next(), box.take_next()] == [True, True, False]
    assert [raw[-2:] for raw in taken.raws] == [b"1\n", b"2\n"]
    assert (names(root / "new"), names(root / "cur")) == ([], ["1001.a.host:2,S", "1002.a.host:2,S"])


def test_letters_are_moved_to_a_folder_if_one_is_named(root: Path, taken: Taken) -> None:
    mailbox.Maildir(root).add(LETTER)
    opened(root, taken, processed_folder="Processed").take_next()
    assert len(mailbox.Maildir(root).get_folder("Processed")) == 1
    assert len(mailbox.Maildir(root)) == 0


def test_a_letter_is_kept_by_us_before_it_is_moved(root: Path, taken: Taken) -> None:
    mailbox.Maildir(root).add(LETTER)
    seen: list[int] = []
    taken.before = lambda: seen.append(len(names(root / "new")))
    opened(root, taken).take_next()
    assert seen == [1]


def test_a_letter_that_cannot_be_kept_stays(root: Path) -> None:
    def fail(_raw: bytes, _at: datetime) -> None:
        raise StoreBusy("locked")

    mailbox.Maildir(root).add(LETTER)
    with pytest.raises(StoreBusy):
        opened(root, fail).take_next()
    assert len(names(root / "new")) == 1


def test_the_envelope_is_what_the_mail_system_wrote_and_the_time_that_of_the_file(
    root: Path, store: Store
) -> None:
    mailbox.Maildir(root).add(LETTER)
    (path,) = (root / "new").iterdir()
    os.utime(path, (1_000_000_000, 1_000_000_000))
    box = opened(root, lambda raw, at: accept_found(store, raw, "maildir", at, datetime.now(UTC)))
    box.take_next()
    with store.read() as tx:
        stored = letters.next_to_handle(tx, datetime.now(UTC))
    assert stored is not None
    assert (stored.sender, stored.recipients) == ("joe@machine.example", ("knobeln@contest.example",))
    assert (stored.channel, stored.received_at) == ("maildir", datetime(2001, 9, 9, 1, 46, 40, tzinfo=UTC))


def test_the_same_letter_again_has_no_second_effect(root: Path, store: Store) -> None:
    box = opened(root, lambda raw, at: accept_found(store, raw, "maildir", at, datetime.now(UTC)))
    for _ in range(2):
        mailbox.Maildir(root).add(LETTER)
        box.take_next()
    with store.read() as tx:
        assert letters.count_by_state(tx) == {LetterState.NEW: 1}


def test_of_a_letter_that_is_too_large_the_headers_are_taken(root: Path, taken: Taken) -> None:
    mailbox.Maildir(root).add(LETTER + b"x\n" * 20_000)
    opened(root, taken).take_next()
    assert taken.raws == [b"X-Knobeln-Cut: 40087 of 20000\r\n" + LETTER.partition(b"\n\n")[0] + b"\r\n\r\n"]
    (kept,) = names(root / ".Failed" / "cur")
    assert kept.endswith(":2,FS")


def test_what_is_no_letter_stops_no_letter_and_is_not_followed(
    root: Path, taken: Taken, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("secret")
    (root / "new" / "1000.link.host").symlink_to(tmp_path / "secret")
    (root / "new" / "1000.folder.host").mkdir()
    (root / "new" / ".hidden").write_bytes(LETTER)
    os.mkfifo(root / "new" / "1000.fifo.host")
    (root / "new" / "1001.a.host").write_bytes(LETTER)
    box = opened(root, taken)
    assert [box.take_next(), box.take_next()] == [True, False]
    assert taken.raws == [LETTER]


def test_a_folder_that_is_no_maildir_is_a_fault_of_the_settings(tmp_path: Path, taken: Taken) -> None:
    with pytest.raises(ConfigError, match=r"pickup\.maildir"):
        opened(tmp_path, taken).check()


def test_a_maildir_that_vanishes_may_come_back(root: Path, taken: Taken) -> None:
    box = opened(root, taken)
    root.rename(root.with_name("elsewhere"))
    with pytest.raises(MaildirUnreachable):
        box.take_next()
    root.with_name("elsewhere").rename(root)
    mailbox.Maildir(root).add(LETTER)
    assert box.take_next()
