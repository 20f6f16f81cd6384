"""Make the two files of the check page that are not written by hand, and note their sha256.

Run `python tools/check_page.py` after a change of the contest machine, of the game in C, or of the
versions below. It needs clang, lld and wasi-libc, as `tools/system-packages --for-fuel` installs
them, and for `noble.js` npm with a network; `--machine` leaves that out. clang 14 makes the bytes
that are noted, in any folder; another clang makes others.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "trust" / "check_page"
ENGINE = ROOT / "sandbox" / "vm" / "engine"
GAME = ROOT / "tournament" / "runners" / "knobeln_engine"
SOURCES = (
    ROOT / "sandbox" / "vm" / "wasm" / "host.c",
    *(ENGINE / name for name in ("decode.c", "faults.c", "interpret.c", "machine.c")),
    *sorted(GAME.glob("*.c")),
)
CLANG = "clang-14"
FLAGS = (
    "--target=wasm32-wasi",
    "-std=gnu11",
    "-O2",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fno-ident",
    "-Wall",
    "-Wextra",
    "-nostartfiles",
    "-Wl,--no-entry",
    "-Wl,--strip-all",
    f"-I{ENGINE}",
    f"-I{GAME}",
)

NOBLE = ("@noble/curves@2.4.0", "@noble/hashes@2.4.0")  # npm never changes a version
BUNDLER = "esbuild@0.28.2"
USED = """\
export { bls12_381 } from "@noble/curves/bls12-381.js";
export { ed25519 } from "@noble/curves/ed25519.js";
export { blake2b } from "@noble/hashes/blake2.js";
export { hmac } from "@noble/hashes/hmac.js";
export { sha256 } from "@noble/hashes/sha2.js";
export { shake256 } from "@noble/hashes/sha3.js";
"""


def build_machine(target: Path, clang: str = CLANG) -> None:
    """Compile the contest machine with the game to WebAssembly."""
    with tempfile.TemporaryDirectory() as scratch:  # clang would need /tmp, which may be closed
        command = [clang, *FLAGS, "-o", target, *SOURCES]
        subprocess.run(command, check=True, env={**os.environ, "TMPDIR": scratch})


def build_noble(target: Path) -> None:
    """Fetch the library, and put what the page uses of it into one script that defines `noble`."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "used.js").write_text(USED)
        (folder / "package.json").write_text("{}")
        install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"]
        subprocess.run([*install, *NOBLE, BUNDLER], cwd=folder, check=True)
        bundles = [
            "--bundle",
            "--minify",
            "--format=iife",
            "--global-name=noble",
            "--legal-comments=inline",
        ]
        bundled = [folder / "node_modules/.bin/esbuild", "used.js", *bundles, "--target=es2022"]
        script = subprocess.run(bundled, cwd=folder, check=True, capture_output=True).stdout
        licence = (folder / "node_modules/@noble/curves/LICENSE").read_text().strip()
    target.write_bytes(f"/* {', '.join(NOBLE)}\n{licence}\n*/\n".encode() + script)


def main() -> None:
    build_machine(PAGE / "knobeln.wasm")
    if "--machine" not in sys.argv:
        build_noble(PAGE / "noble.js")
    notes = PAGE / "__init__.py"
    text = notes.read_text()
    for name in ("knobeln.wasm", "noble.js"):
        digest = hashlib.sha256((PAGE / name).read_bytes()).hexdigest()
        text = re.sub(rf'("{re.escape(name)}": )"\w*"', rf'\1"{digest}"', text)
        print(digest, name)
    notes.write_text(text)


if __name__ == "__main__":
    main()
