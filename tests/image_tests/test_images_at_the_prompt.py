"""Images on the command line: `knobeln play`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from knobeln.cli import main
from tests.support.oci_images import Made, archive, folder, member, tar


@pytest.fixture
def knobeln(cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))

    def run(*words, code=0):
        result = CliRunner().invoke(main, [str(word) for word in words])
        assert result.exit_code == code, result.output + repr(result.exception)
        return result.output

    return run


@pytest.fixture
def image(tmp_path: Path, program: bytes):
    """Write an archive of this name whose player betrays in every move."""

    def write(name, **run):
        layer = [member("player", program), folder("etc")]
        made = Made([tar(layer)], {"Entrypoint": ["/player", "always"], **run})
        file = tmp_path / name
        file.write_bytes(archive(made.docker_files()))
        return file

    return write


@pytest.mark.slow
def test_an_image_plays_against_a_program(
    knobeln: Callable[..., str], image: Callable[..., Path]
) -> None:
    output = knobeln(
        "play", "--game", "cooperation-legacy", image("bot.tar"), "tit_for_tat", "--seed", "s"
    )
    assert "bot: 12 points" in output
    assert "tit_for_tat: 9 points" in output


@pytest.mark.parametrize(
    ("name", "run", "words"),
    [
        ("bot.tar", {"Entrypoint": ["/bot"]}, 'its command "/bot" is not a program in the image'),
        ("bot.tar.gz", {"Entrypoint": None}, "it has neither ENTRYPOINT nor CMD"),
    ],
)
def test_an_image_that_cannot_play_is_told_why(
    name: str,
    run: dict[str, list[str] | None],
    words: str,
    knobeln: Callable[..., str],
    image: Callable[..., Path],
) -> None:
    assert words in knobeln("play", "--game", "cooperation", image(name, **run), "pavlov", code=1)


def test_what_is_no_image_for_this_game_is_told(
    knobeln: Callable[..., str], image: Callable[..., Path]
) -> None:
    said = knobeln("play", "--game", "bid-tac-toe", image("bot.tar"), "even_hand", code=1)
    assert "no program is among the files (bot.tar); its suffix would tell its language" in said
    assert "no file nothing.tar" in knobeln(
        "play", "--game", "cooperation", "nothing.tar", "copycat", code=1
    )
