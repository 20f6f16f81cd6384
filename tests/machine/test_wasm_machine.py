"""The contest machine as WebAssembly plays as the native one does, also programs that nobody would
write."""

import json
import subprocess
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

from contest.games.knobeln import Rules
from contest.model import GameJob, GameResult
from contest.model.as_json import plain
from knobellib.samples import house_strategies
from sandbox.vm.image import Image
from tests.support.machine_programs import compiled
from tests.support.servers import program
from tournament.runners.machine import MachineRunner

RUNNER = Path(__file__).parents[1] / "support" / "wasm_machine.mjs"
RULES, FUEL = Rules(k=4, L=60), 20_000
IMAGES, GAMES = 60, 600


def damaged(image: Image, random: Random) -> Image:
    """The image with some bits of its code flipped."""
    code = bytearray(image.code)
    for _ in range(random.randint(1, 8)):
        code[random.randrange(len(code))] ^= 1 << random.randrange(8)
    return replace(image, code=bytes(code))


def facts(result: GameResult) -> dict[str, Any]:
    """As archives have them, without the sentences about faults."""
    found: dict[str, Any] = plain(result, GameResult)
    for seat in found["seats"]:
        if seat["fault"]:
            seat["fault"]["reason"] = ""
    return found


def test_600_games_of_damaged_programs_are_the_same_on_both_machines() -> None:
    random = Random(1994)  # noqa: S311
    sound = [compiled(strategy.source) for strategy in house_strategies()[:10]]
    broken = [damaged(random.choice(sound), random) for _ in range(IMAGES)]
    images = {image.digest: image for image in (*sound, *broken)}
    names = sorted(images)
    jobs = [
        GameJob(
            images=(random.choice(names), random.choice(names)),
            streams=(random.randbytes(16), random.randbytes(16)),
            protocol=False,
            names=("first", "second"),
        )
        for _ in range(GAMES)
    ]
    native = list(map(facts, MachineRunner(images, RULES, FUEL, translated=False).play(jobs)))
    asked = {
        "rules": asdict(RULES),
        "fuel": FUEL,
        "builds": {digest: image.to_bytes().hex() for digest, image in images.items()},
        "games": [(job.images, [stream.hex() for stream in job.streams]) for job in jobs],
    }
    done = subprocess.run(
        [program("node"), RUNNER],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == native
    verdicts = Counter(seat["verdict"] for result in native for seat in result["seats"])
    assert {"OK", "CRASH", "ILLEGAL_MOVE", "TIME"} <= verdicts.keys()
