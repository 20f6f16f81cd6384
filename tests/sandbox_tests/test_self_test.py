"""The test that `knobeln doctor` makes in a sandbox finds every hole, and none in ours."""

import socket
import subprocess
from pathlib import Path

import pytest

from contest.errors import ToolMissing
from sandbox.images.oci_image import image_cache
from sandbox.sandbox import Sandbox
from sandbox.self_test import ALLOWED, built_self_test, holes, self_test


def test_our_sandboxes_have_no_hole() -> None:
    assert self_test(Sandbox(), image_cache()) == []


@pytest.mark.needs_root  # only root can write /proc/sys, and needs nobody to do more
def test_without_a_sandbox_it_finds_every_hole() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        command = [built_self_test(), str(door.getsockname()[1]), *ALLOWED]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert holes(done.stdout) == [
        "it can write files of /proc/sys",
        "it reaches this host's network",
        "the filter of system calls refuses too little",
        "it got 64 more processes where 8 are allowed",
        "it got 256 MB of memory where 64 MB are allowed",
    ]


@pytest.mark.parametrize("text", ["", "it reaches this host's network\n", "no such thing"])
def test_a_test_that_did_not_run_to_its_end_is_no_good_news(text: str) -> None:
    with pytest.raises(ToolMissing, match="does not run to its end"):
        holes(text)


def test_the_program_compiles_without_a_warning(tmp_path: Path) -> None:
    source = Path(self_test.__code__.co_filename).parent / "self_test.c"
    flags = ("-O1", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["cc", *flags, "-o", tmp_path / "program", source], check=True)
