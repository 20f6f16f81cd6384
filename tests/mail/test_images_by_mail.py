"""Container images by mail (M11): from the letter to the report and the contest day, good ones and
bad ones.

Real letters, a real database, the real jail; the images are made here, around one small static
program.
"""

import gzip
import hashlib
import smtplib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import pytest
from pydantic import ValidationError

from compiler.builders import builder_of
from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.model import LetterState
from contest.schema.sections import Programs, RegistryImage
from mailserver.intake.accept import SizeLimits, accept_all, accept_found
from mailserver.intake.smtp import Listener
from reports.contest_reporter import ContestReporter
from reports.render import Templates
from sandbox.executable import player_from_bytes
from sandbox.images.oci_image import OciImage, image_cache
from store import letters, results, submissions
from tests.support.compile_services import compile_service
from tests.support.mail_world import World, make_settings
from tests.support.oci_images import Made, archive, cache_folder, folder, member, static_player, tar
from tests.support.offices import STRING, Office
from tournament.day import ContestDay, Spectator
from tournament.runners import open_runner

TAKES = Programs(description="none", max_image_bytes=4_000_000)
ROUND_ROBIN = {"format": "round-robin", "self_play": False}
SMALL = 20_000  # bytes that an ordinary letter may have here


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return static_player(tmp_path_factory.mktemp("player"))


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Makes a new place for unpacked images, and uses it."""
    with ExitStack() as caches:

        def use() -> None:
            monkeypatch.setenv("XDG_CACHE_HOME", str(caches.enter_context(cache_folder())))

        use()
        yield use


@pytest.fixture
def make_office(
    make_world: Callable[..., World], cache: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Office]:
    monkeypatch.setattr(Settings, "MAX_LETTER_BYTES", SMALL)

    def make(
        game: str = "cooperation-legacy", programs: Programs = TAKES, **sections: Any
    ) -> Office:
        world = make_world(game={"name": game}, programs=programs, **sections)
        common = (world.store, world.settings, world.clock, builder_of(world.settings, open_runner))
        office = Office(world, compile_service(*common, world.renderer))
        office.team("lords")
        return office

    return make


def image_of(program: bytes, *habit: str, **run: Any) -> bytes:
    layers = [tar([member("player", program)]), tar([folder("etc")])]
    return archive(Made(layers, {"Entrypoint": ["/player", *habit], **run}).docker_files())


def words(text: str) -> str:
    return " ".join(text.split())


# --- images that play -----------------------------------------------------------------------------
@pytest.mark.slow
def test_an_archive_is_unpacked_described_and_tried(
    make_office: Callable[..., Office], program: bytes
) -> None:
    office = make_office()
    name, sent = "Player.TAR.GZ", gzip.compress(image_of(program, "always"))
    report = office.report("lords", {name: sent})
    digest = hashlib.sha256(sent).hexdigest()
    assert "Version 1 of lords compiled and is accepted." in report
    assert "language           container image\n" in report
    assert f"of the archive (sha256):\n    {digest}\n" in report
    assert "platform           linux/" in report
    assert "unpacked           " in report
    assert "run as             /player always ...\n" in report
    assert f"    {name}, {len(sent):,}\n      {digest}\n" in report
    assert "A trial game against" in report
    assert "FAILED" not in report
    assert office.newest().files == {name: sent}
    with office.world.store.read() as tx:
        (kept,) = submissions.load_images(tx, [digest]).values()
    player = player_from_bytes(kept)
    assert isinstance(player, OciImage)
    assert player.cache == image_cache()


def test_an_image_that_fails_in_its_trial_is_told_so(
    make_office: Callable[..., Office], program: bytes
) -> None:
    report = words(make_office().report("lords", {"player.tar": image_of(program, "silent")}))
    assert (
        "Your program FAILED in it, in round 1: the program ended without printing anything"
        in report
    )


@pytest.mark.slow
def test_the_image_counts_on_a_contest_day_with_another_cache(
    make_office: Callable[..., Office], program: bytes, cache: Callable[[], None]
) -> None:
    office = make_office(evolution={"enabled": False}, tournament=ROUND_ROBIN)
    office.team("others")
    office.send("lords", {"player.tar": image_of(program, "always")})
    office.send("others", {"p.sh": b"echo C\n"})
    cache()  # as on another computer: only the database is there
    play_day(office)
    (games,) = outcome(office)
    assert {line.entry: line.half_points // 2 for line in games} == {"lords": 30, "others": 0}
    assert [path.name for path in image_cache().iterdir() if len(path.name) == 64]


def play_day(office: Office) -> None:
    world = office.world
    reporter = ContestReporter(world.settings, Templates(world.settings, None))
    ContestDay(world.store, world.settings, world.clock, reporter, Spectator()).run()


def outcome(office: Office) -> list[Any]:
    with office.world.store.read() as tx:
        return [
            group.standings for round_ in results.finished_rounds(tx) for group in round_.groups
        ]


@pytest.mark.slow
def test_an_archive_that_is_lost_ends_the_day_with_a_reason(
    make_office: Callable[..., Office], program: bytes, cache: Callable[[], None]
) -> None:
    office = make_office(evolution={"enabled": False}, tournament=ROUND_ROBIN)
    office.send("lords", {"player.tar": image_of(program, "always")})
    office.team("others")
    office.send("others", {"p.sh": b"echo C\n"})
    cache()
    with office.world.store.write() as tx:
        tx.execute(submissions.sent_files.delete())
    with pytest.raises(GiveUp, match="there is no archive of the image"):
        play_day(office)


# --- images that do not ---------------------------------------------------------------------------
def layers_of(*members: Any) -> Callable[[bytes], bytes]:
    return lambda program: archive(
        Made([tar([member("player", program), *members])], {}).docker_files()
    )


BAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "no command": (layers_of(), "it has neither ENTRYPOINT nor CMD"),
    "no image": (
        lambda _: tar([member("bot.bin", b"1\n")]),
        "no program is among the files (bot.bin)",
    ),
    "no archive": (lambda _: b"print('C')\n" * 100, "does not look like a tar archive"),
    "cut off": (
        lambda program: gzip.compress(image_of(program))[:-2_000],
        "unexpected end of file",
    ),
    "another computer": (
        lambda program: archive(
            Made([tar([member("player", program)])], {}, architecture="s390x").docker_files()
        ),
        'the image is for "linux/s390x"',
    ),
    "a bomb": (lambda _: gzip.compress(bytes(1_000_000)) * 1_100, "more than 1,073,741,824 bytes"),
}


@pytest.mark.parametrize("name", [*list(BAD)[:-1], pytest.param("a bomb", marks=pytest.mark.slow)])
def test_a_bad_archive_is_rejected_in_a_sentence(
    make_office: Callable[..., Office], program: bytes, name: str
) -> None:
    office = make_office()
    make, sentence = BAD[name]
    report = words(office.report("lords", {"player.tar.gz": make(program)}))
    assert "Version 1 of lords is rejected." in report
    assert sentence in report
    assert "trial" not in report
    left = image_cache().iterdir() if image_cache().exists() else ()
    assert {path.name for path in left} <= {".lock"}


def test_an_image_is_sent_alone(make_office: Callable[..., Office], program: bytes) -> None:
    office = make_office()
    report = office.report(
        "lords", {"player.tar": image_of(program, "always"), "p.py": b"print('C')\n"}
    )
    assert "there are 2 files, p.py and player.tar; an image is sent alone" in words(report)


REFUSED = [
    pytest.param(
        TAKES, "cooperation", "player.tar", 4_000_001, "It may have 4,000,000; gzip it", id="large"
    ),
    pytest.param(
        Programs(description="none"),
        "cooperation",
        "player.tar",
        5_000,
        "The file player.tar could not be read: it is damaged",
        id="none taken",
    ),
]


@pytest.mark.parametrize(("programs", "game", "name", "size", "sentence"), REFUSED)
def test_an_archive_that_is_not_taken_is_refused_at_once(
    make_office: Callable[..., Office],
    programs: Programs,
    game: str,
    name: str,
    size: int,
    sentence: str,
) -> None:
    office = make_office(game, programs)
    assert sentence in words(office.report("lords", {name: b"\0" * size}))
    with office.world.store.read() as tx:
        assert list(submissions.newest(tx, 1)) == []


def test_a_game_whose_programs_live_on_takes_no_images() -> None:
    with pytest.raises(ValidationError, match="images are started for each move, but programs of"):
        make_settings(game={"name": "hog"}, programs=TAKES)


# --- images by name -------------------------------------------------------------------------------
LISTED = (
    RegistryImage(team="lords", image="localhost/lords:2"),
    RegistryImage(team="ladies", image="ladies:1"),
)
BY_NAME = Programs(description="none", registry_images=LISTED)
NOT_LISTED = [
    pytest.param(
        BY_NAME, "image: ladies:1", "listed no image `ladies:1` for your team", id="of others"
    ),
    pytest.param(BY_NAME, "image: none:1", "Listed for you: localhost/lords:2.", id="of nobody"),
    pytest.param(TAKES, "image: none:1", "You can also send the archive", id="archives only"),
    pytest.param(BY_NAME, "image: a\nimage: b", "There is more than one program: a, b", id="two"),
]


@pytest.mark.parametrize(("programs", "text", "sentence"), NOT_LISTED)
def test_a_name_that_was_not_listed_for_the_team_is_refused(
    make_office: Callable[..., Office], programs: Programs, text: str, sentence: str
) -> None:
    office = make_office(programs=programs)
    assert sentence in words(office.report("lords", {}, text))
    with office.world.store.read() as tx:
        assert list(submissions.newest(tx, 1)) == []


# --- how large letters may be ---------------------------------------------------------------------
@contextmanager
def door(office: Office) -> Iterator[smtplib.SMTP]:
    world = office.world

    def keep(arrivals: Any) -> None:
        accept_all(world.store, arrivals, "smtp", world.clock.now())

    settings = world.settings.model_copy(
        update={"mail": world.settings.mail.model_copy(update={"listen": "127.0.0.1:0"})}
    )
    listener = Listener(settings, keep, most_bytes=SizeLimits(world.store, settings).of_sender)
    listener.start()
    try:
        with smtplib.SMTP("127.0.0.1", listener.port, timeout=60) as client:
            yield client
    finally:
        listener.stop()


def letter_of(office: Office, sender: str, data: bytes) -> bytes:
    letter = EmailMessage(policy=SMTP)
    letter["From"], letter["To"], letter["Subject"] = (
        sender,
        "knobeln@contest.example",
        "please compile",
    )
    letter.set_content(f"<<FROM>> lords {STRING}-lords\n")
    letter.add_attachment(data, maintype="application", subtype="x-tar", filename="player.tar")
    return letter.as_bytes()


def test_a_large_letter_is_taken_by_smtp_from_a_team_alone(
    make_office: Callable[..., Office], program: bytes
) -> None:
    office = make_office()
    team = office.team("others")
    raw = letter_of(office, team, image_of(program, "always"))
    with door(office) as client:
        for stranger in ("stranger@a.example", "", team.replace("@", "+x@")):
            client.ehlo("a.example")
            with pytest.raises(smtplib.SMTPSenderRefused, match=r"larger than|exceeds"):
                client.sendmail(stranger, ["knobeln@contest.example"], raw)
            client.rset()
            assert client.mail(stranger)[0] == 250  # who does not say how large it is going to be
            client.rcpt("knobeln@contest.example")
            assert client.data(raw)[0] == 552
        client.sendmail(team.upper(), ["knobeln@contest.example"], raw)
        client.sendmail(
            "stranger@a.example", ["knobeln@contest.example"], b"From: a@b.example\r\n\r\nx\r\n"
        )
    with office.world.store.read() as tx:
        assert letters.count_by_state(tx) == {LetterState.NEW: 2}


@pytest.mark.parametrize(
    ("sender", "whole"), [("lords", True), ("stranger", False), ("a@b.example, lords", False)]
)
def test_a_large_letter_from_a_mailbox_is_kept_whole_from_a_team_alone(
    make_office: Callable[..., Office], program: bytes, sender: str, whole: bool
) -> None:
    office = make_office()
    world = office.world
    address = office.team("ladies")
    raw = letter_of(office, address, b"x" * SMALL).replace(
        address.encode(), sender.replace("lords", address).encode(), 1
    )
    bounds = SizeLimits(world.store, world.settings)
    now = world.clock.now()
    accept_found(world.store, raw, now - timedelta(hours=1), now, bounds)
    with world.store.read() as tx:
        (stored,) = letters.get_all(tx, letters.next_to_handle(tx, now, 1))
    assert (stored.raw == raw) is whole
    assert whole or len(stored.raw) < 1_000
