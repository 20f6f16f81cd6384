"""A contest with a real database, our own templates, and a way to send it letters."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme

from reports.render import Templates
from store import Store, contest_state, migrate
from tests.support.clocks import FixedClock
from tests.support.knobeln_server import Server
from tests.support.mail_world import OPENS, World, make_settings
from tests.support.servers import Dovecot, world_readable_folder


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """Who signs the certificates of the tests' servers."""
    return trustme.CA()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("database") / "contest.db"
    store = Store(f"sqlite:///{path}")
    migrate.upgrade(store)
    with store.write() as tx:
        contest_state.create(tx, bytes(32))
    store.close()
    return path


@pytest.fixture
def store(empty_database: Path, tmp_path: Path) -> Iterator[Store]:
    copy = tmp_path / "contest.db"
    copy.write_bytes(empty_database.read_bytes())
    store = Store(f"sqlite:///{copy}")
    yield store
    store.close()


@pytest.fixture
def make_world(store: Store) -> Callable[..., World]:
    def make(**sections: Any) -> World:
        settings = make_settings(**sections)
        clock = FixedClock(OPENS + timedelta(days=5))
        return World(store, settings, Templates(settings, None), clock)

    return make


@pytest.fixture
def world(make_world: Callable[..., World]) -> World:
    return make_world()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """`knobeln serve`, at work for a new contest."""
    server = Server(tmp_path)
    yield server
    server.process.terminate()
    server.folder.store.close()


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    with world_readable_folder() as folder:
        server = Dovecot(folder)
        yield server
        server.stop()
