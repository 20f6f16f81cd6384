"""Letters are read in a process whose time and memory are limited, and which may end at any
letter."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from contest.config.settings import Settings
from contest.errors import StoreBusy
from contest.model import IncomingLetter, LetterState, StoredLetter
from knobeln.context import ContestContext, create_contest
from knobeln.services import Services, this_process
from mailserver import reader, reader_process
from mailserver.intake.accept import accept
from mailserver.reader import Reading
from mailserver.reader_process import ReaderProcess, max_seconds
from store import Store, letters, outbox
from store.letters import LARGE_BYTES
from tests.support.letters import letter
from tests.support.mail_world import OPENS, make_settings

WRITER = "joe@machine.domain.alfdkj"
SETTINGS = make_settings()


def stored(subject: str, body: str = "please") -> StoredLetter:
    raw = letter(WRITER, subject, body)
    return StoredLetter(1, "", OPENS, WRITER, (), "smtp", LetterState.NEW, raw)


@pytest.fixture(scope="module")
def good() -> Iterator[ReaderProcess]:
    process = ReaderProcess()
    yield process
    process.close()


@pytest.fixture(scope="module")
def bad() -> Iterator[ReaderProcess]:
    process = ReaderProcess("tests.support.bad_reader")
    yield process
    process.close()


def test_the_process_reads_as_the_reader_does(good: ReaderProcess) -> None:
    for subject in ("help", "please compile", "registration for KNOBELN", "objection", "what now?"):
        for language in ("en", "de"):
            here = reader.read(stored(subject), SETTINGS, language)
            assert good.read(stored(subject), SETTINGS, language) == here


def children() -> set[str]:
    """The processes that we have started, by number."""
    lists = (task / "children" for task in Path("/proc/self/task").iterdir())
    return {number for each in lists for number in each.read_text().split()}


def test_it_ends_when_no_letter_comes_and_the_next_one_starts_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    others = children()
    process = ReaderProcess()
    process.rest()  # before there is any
    assert process.read(stored("help"), SETTINGS, "en").command == "help"
    process.rest()
    assert len(children() - others) == 1
    monkeypatch.setattr(reader_process, "REST_SECONDS", 0.0)
    process.rest()
    assert not children() - others
    assert process.read(stored("help"), SETTINGS, "en").command == "help"
    process.close()


def test_it_serves_a_process_that_was_forked_from_ours(good: ReaderProcess) -> None:
    good.read(stored("help"), SETTINGS, "en")
    child = os.fork()
    if child == 0:
        is_read = good.read(stored("status"), SETTINGS, "en").command == "status"
        good.close()
        os._exit(0 if is_read else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert good.read(stored("help"), SETTINGS, "en").command == "help"


ENDS = [
    ("pattern", "more than 2 s of processor time"),
    ("loop", "more than 2 s of processor time"),
    ("memory", "MemoryError"),
    ("fault", "the reader is ended by SIGSEGV"),
    ("exception", "ValueError: what nobody thought of"),
    ("exit", "the reader ends or does not answer"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "why"), ENDS, ids=[subject for subject, _ in ENDS])
def test_a_letter_that_is_too_hard_is_told_and_the_next_is_read(
    bad: ReaderProcess, subject: str, why: str
) -> None:
    begin = time.process_time()
    with pytest.raises(reader.TooHardToRead, match=why):
        bad.read(stored(f"bad {subject}"), SETTINGS, "en")
    assert bad.read(stored("help"), SETTINGS, "en").command == "help"
    assert time.process_time() - begin < 1  # whatever the letter costs, it does not cost us


def kill_worker(reader_process: ReaderProcess, number: int) -> None:
    worker = reader_process._worker
    assert worker is not None
    os.kill(worker.pid, number)


@pytest.mark.slow
def test_after_each_end_of_the_worker_a_letter_gets_its_own_answer(good: ReaderProcess) -> None:
    subjects = ("help", "status", "objection", "please compile", "what now?")
    commands = [good.read(stored(subject), SETTINGS, "en").command for subject in subjects]
    for _ in range(3):
        kill_worker(good, signal.SIGKILL)
        time.sleep(0.05)
        assert [
            good.read(stored(subject), SETTINGS, "en").command for subject in subjects
        ] == commands


@pytest.mark.slow
@pytest.mark.parametrize("size", [100, 900_000])
def test_a_worker_that_was_stopped_is_ended_and_the_letter_is_read(
    good: ReaderProcess, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(reader_process, "HANGS_SECONDS", 2.0)
    good.close()
    good.read(stored("help"), SETTINGS, "en")
    kill_worker(good, signal.SIGSTOP)
    assert good.read(stored("status", "x" * size), SETTINGS, "en").command == "status"
    assert good.read(stored("help"), SETTINGS, "en").command == "help"


def test_a_worker_that_is_killed_while_it_reads_costs_no_innocent_letter(
    good: ReaderProcess,
) -> None:
    good.read(stored("help"), SETTINGS, "en")
    killer = Timer(0.005, kill_worker, (good, signal.SIGKILL))
    killer.start()
    assert good.read(stored("status", "int x; " * 120_000), SETTINGS, "en").command == "status"
    killer.join()
    assert good.read(stored("help"), SETTINGS, "en").command == "help"


def test_an_archive_of_an_image_has_more_time() -> None:
    assert max_seconds(1_000_000) == 2
    assert max_seconds(101_000_000) == 22


@pytest.fixture
def contest(tmp_path: Path) -> Iterator[ContestContext]:
    made = create_contest(tmp_path / "contest", SETTINGS)
    yield made
    made.store.close()


def give(contest: ContestContext, subjects: list[str]) -> None:
    for number, subject in enumerate(subjects):
        writer = f"joe{number}@machine.domain.alfdkj"
        accept(
            contest.store,
            letter(writer, subject, f"letter {number}"),
            writer,
            (),
            "smtp",
            contest.clock.now(),
        )


def states(contest: ContestContext) -> dict[str, int]:
    with contest.store.read() as tx:
        return {str(state): count for state, count in letters.count_by_state(tx).items()}


def kinds_of_mails(contest: ContestContext) -> dict[str, int]:
    with contest.store.read() as tx:
        kinds = [mail.kind for mail in outbox.listing(tx, state=None, to=None, count=100)]
    return {kind: kinds.count(kind) for kind in kinds}


@pytest.mark.slow
def test_a_letter_that_cannot_be_read_is_set_aside_and_the_organizer_is_told(
    contest: ContestContext, bad: ReaderProcess
) -> None:
    give(contest, ["help", "bad pattern", "help", "bad exception", "help"])
    Services(contest, bad.read).handle_letters()
    assert states(contest) == {"handled": 3, "failed": 2}
    assert kinds_of_mails(contest) == {"help": 3, "letter_set_aside": 2}


# --- letters that end the server ------------------------------------------------------------------
def deadly(stored: StoredLetter, settings: Settings, language: str) -> Reading:
    """Kills the server's own process, as nothing should: so does an end of memory."""
    if b"Subject: deadly" in stored.raw:
        os.kill(os.getpid(), signal.SIGKILL)
    return reader.read(stored, settings, language)


def serve_once(contest: ContestContext) -> int:
    """Handle all letters in a process; the signal that has ended it, 0 = none."""
    child = os.fork()
    if child == 0:
        this_process.cache_clear()
        opened = ContestContext.open(contest.path)
        Services(opened, deadly).handle_letters()
        os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


def test_a_letter_that_ends_the_server_twice_is_set_aside_and_no_other(
    contest: ContestContext,
) -> None:
    give(contest, ["help", "deadly", "help", "help"])
    contest.store.close()
    assert serve_once(contest) == signal.SIGKILL
    assert serve_once(contest) == signal.SIGKILL
    assert serve_once(contest) == 0
    assert states(contest) == {"handled": 3, "failed": 1}
    assert kinds_of_mails(contest) == {"help": 3, "letter_set_aside": 1}
    with contest.store.read() as tx:
        assert "begun 2 times" in letters.note_of(tx, 2)


def test_a_letter_that_is_tried_again_by_the_organizer_has_two_lives_more(
    contest: ContestContext,
) -> None:
    give(contest, ["deadly"])
    contest.store.close()
    ends = [serve_once(contest) for _ in range(3)]
    with contest.store.write() as tx:
        assert letters.retry(tx, 1) == 1
    contest.store.close()
    ends += [serve_once(contest) for _ in range(3)]
    assert ends == [signal.SIGKILL, signal.SIGKILL, 0] * 2


def test_a_server_that_cannot_write_begins_nothing_again(contest: ContestContext) -> None:
    """Its letters stay in its hands: it reads none twice, and none is set aside for it."""
    give(contest, ["help"] * 3)
    reads: list[int] = []

    def counted(stored: StoredLetter, settings: Settings, language: str) -> Reading:
        reads.append(stored.id)
        return reader.read(stored, settings, language)

    services = Services(contest, counted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letters, "unhandled_among", busy)
        for _ in range(4):
            with pytest.raises(StoreBusy):
                services.handle_some_letters()
    services.handle_letters()
    assert reads == [1, 2, 3]
    assert states(contest) == {"handled": 3}


def busy(*_arguments: object) -> None:
    raise StoreBusy("another process is writing")


# --- large letters --------------------------------------------------------------------------------
def test_usual_letters_do_not_wait_for_large_ones_but_for_those_of_their_sender(
    store: Store,
) -> None:
    large, usual = b"x" * (LARGE_BYTES + 1), b"y"
    arrivals = [
        IncomingLetter(large + b"1", "flood@a.example", ()),
        IncomingLetter(large + b"2", "flood@b.example", ()),
        IncomingLetter(large + b"3", WRITER, ()),
        IncomingLetter(usual + b"4", WRITER, ()),
        IncomingLetter(usual + b"5", "jane@a.example", ()),
    ]
    turns: list[tuple[int, ...]] = []
    with store.write() as tx:
        letters.add_all(tx, arrivals, "smtp", OPENS)
        while turn := letters.next_to_handle(tx, OPENS, 50):
            turns.append(turn)
            for letter_id in turn:
                letters.finish(tx, letter_id, LetterState.HANDLED, "", None)
    assert turns == [(1, 5), (2,), (3,), (4,)]
