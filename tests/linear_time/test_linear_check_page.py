"""The check page reads strangers' archives and mails in twice the time for twice as much."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support import linear_time
from tests.support.linear_time import MAX_GROWTH
from tests.support.servers import program

pytestmark = pytest.mark.slow

RUNNER = Path(linear_time.__file__).with_name("page_readers.mjs")


def test_each_reader_of_the_page_takes_twice_as_long_for_twice_as_much() -> None:
    command = [program("node", "nodejs"), "--expose-gc", "--single-threaded", RUNNER]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    assert {name: growth for name, growth in found.items() if growth >= MAX_GROWTH} == {}
