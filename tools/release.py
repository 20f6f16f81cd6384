"""Make a release of the last commit in dist/: all that is published, and SHA256SUMS.

Wheel, source and verify.html are built twice, in two folders, and must be the same bytes. The
requirements are those of constraints.txt with the hashes of their files, and without addresses.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from contest import __version__
from knobellib.kit_archives import tar_gz

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
REQUIREMENTS = f"knobeln-{__version__}-requirements.txt"
_PAGE = "import trust.check_page, sys; sys.stdout.buffer.write(trust.check_page.check_page())"


def main() -> None:
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    if not newest or newest[1] != __version__:
        sys.exit(
            f"CHANGELOG.md does not begin with {__version__}, the version in contest/__init__.py"
        )
    if _output("git", "status", "--porcelain"):
        sys.exit("There are changes that are in no commit; a release is made of a commit.")
    epoch = _output("git", "log", "-1", "--format=%ct").decode().strip()
    DIST.mkdir(exist_ok=True)
    for old in DIST.iterdir():
        old.unlink()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first, second = (_built(Path(folder) / "source", epoch) for folder in (one, other))
    if first != second:
        different = [name for name in first if first[name] != second.get(name)]
        sys.exit(f"Two builds of the same commit differ: {', '.join(different)}")
    for name, data in first.items():
        (DIST / name).write_bytes(data)
    (DIST / REQUIREMENTS).write_text("".join(_requirements(next(DIST.glob("*.whl")))))
    _run(
        "cyclonedx-py",
        "requirements",
        DIST / REQUIREMENTS,
        "--pyproject",
        ROOT / "pyproject.toml",
        "--output-reproducible",
        "--of",
        "JSON",
        "-o",
        DIST / f"knobeln-{__version__}.cdx.json",
    )
    (DIST / f"knobeln-{__version__}-docs.tar.gz").write_bytes(_packed(ROOT / "docs/_build/html"))
    sums = "".join(
        f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in sorted(DIST.iterdir())
    )
    (DIST / "SHA256SUMS").write_text(sums)
    print(sums, end="")


def _built(source: Path, epoch: str) -> dict[str, bytes]:
    """What is built of the last commit in this folder, by file name."""
    source.mkdir()
    commit = _output("git", "archive", "HEAD")
    # tarfile's is unsafe until 3.11.4
    subprocess.run(["tar", "-x", "-C", source], input=commit, check=True)
    _run("python", "-m", "build", "--outdir", source / "dist", source, SOURCE_DATE_EPOCH=epoch)
    page = subprocess.run(
        [_tool("python"), "-c", _PAGE], cwd=source, check=True, capture_output=True
    ).stdout
    return {"verify.html": page} | {
        path.name: path.read_bytes() for path in (source / "dist").iterdir()
    }


def _requirements(wheel: Path) -> Iterator[str]:
    """The wheel and all that it needs: name, version and hashes, as `pip install --require-hashes`
    wants."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    yield f"knobeln[fuel]=={__version__} \\\n    --hash=sha256:{digest}\n"
    with tempfile.TemporaryDirectory() as folder:
        _run(
            "pip-compile",
            "--quiet",
            "--generate-hashes",
            "--no-header",
            "--no-annotate",
            "--strip-extras",
            "--no-emit-index-url",
            "--no-emit-find-links",
            "--no-emit-trusted-host",
            "--extra",
            "fuel",
            "--constraint",
            ROOT / "constraints.txt",
            "--output-file",
            Path(folder) / REQUIREMENTS,
            ROOT / "pyproject.toml",
        )
        yield (Path(folder) / REQUIREMENTS).read_text()


def _packed(folder: Path) -> bytes:
    """The folder as an archive without times and owners."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return tar_gz(
        (tarfile.TarInfo(f"docs/{path.relative_to(folder)}"), path.read_bytes()) for path in paths
    )


def _tool(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def _run(name: str, *words: object, **environment: str) -> None:
    subprocess.run([_tool(name), *map(str, words)], check=True, env={**os.environ, **environment})


def _output(*words: str) -> bytes:
    return subprocess.run(words, cwd=ROOT, check=True, capture_output=True).stdout


if __name__ == "__main__":
    main()
