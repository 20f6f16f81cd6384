"""Games of readers against programs, as the check page plays them and as the tournament does."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from contest.games.knobeln import Rules
from contest.model import GameJob, GameResult
from sandbox.vm.image import Image
from tests.support.machine_programs import compiled
from tests.support.servers import program
from tournament.runners.machine import MachineRunner
from trust.check_page import constants

RUNNER = Path(__file__).with_name("arena.mjs")
FUEL = 855_000_000


def page_plays(**asked: object) -> dict[str, Any]:
    """What tests/support/arena.mjs says."""
    done = subprocess.run(
        [program("node"), RUNNER],
        input=json.dumps({**asked, "constants": constants()}, default=str),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def by_heart(throws: Sequence[int]) -> Image:
    """A strategy that makes these throws, whatever its opponent does."""
    numbers = ", ".join(map(str, throws))
    return compiled(
        f"static const int throws[] = {{ {numbers} }};"
        f"int main() {{ int i; for (i = 0; i < {len(throws)}; i++) make_throw(throws[i]); }}"
    )


def tournament_plays(
    build: bytes, throws: Sequence[int], random: bytes, rules: Mapping[str, int]
) -> GameResult:
    """The tournament's own game between a strategy that makes these throws, and this build."""
    reader, opponent = by_heart(throws), Image.from_bytes(build)
    images = {image.digest: image for image in (reader, opponent)}
    job = GameJob((reader.digest, opponent.digest), (random, random), protocol=True)
    own = Rules(rules["a"], rules["b"], rules["k"], len(throws))
    (result,) = MachineRunner(images, own, FUEL, translated=False).play([job])
    return result
