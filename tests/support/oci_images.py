"""Images made from scratch: a static program, layers and archives that the standard library
writes."""

import gzip
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.images.oci_image import this_architecture
from tests.support.servers import need_image_tools

CONFIGURATION = "application/vnd.oci.image.config.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def member(name: str, data: bytes = b"", **facts: Any) -> tuple[tarfile.TarInfo, bytes]:
    """An entry of a tar archive; `facts` are those of tarfile.TarInfo."""
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for fact, value in {"mode": 0o755, **facts}.items():
        setattr(info, fact, value)
    return info, data


def folder(name: str) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, type=tarfile.DIRTYPE)


def link(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, type=tarfile.SYMTYPE, linkname=target)


def hard_links(count: int) -> bytes:
    """The entries of one empty file with many names, each 50,000 in a folder: Linux takes 65,000
    for a file."""
    entries = []
    for number in range(count):
        place, name = divmod(number, 50_000)
        if name == 0:
            entries += [folder(f"d{place}"), member(f"d{place}/0")]
        else:
            entries.append(member(f"d{place}/{name}", type=b"1", linkname=f"d{place}/0"))
    return b"".join(info.tobuf(tarfile.USTAR_FORMAT) for info, _ in entries)


def tar(members: Iterable[tuple[tarfile.TarInfo, bytes]], form: int = tarfile.PAX_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@dataclass
class Made:
    """An image to be written as an archive; each part may be spoiled before."""

    layers: list[bytes]
    run: Mapping[str, Any]
    architecture: str = field(default_factory=this_architecture)
    os: str = "linux"
    diff_ids: list[str] | None = None

    @property
    def configuration(self) -> bytes:
        ids = self.diff_ids or [digest(layer) for layer in self.layers]
        return json.dumps(
            {
                "architecture": self.architecture,
                "os": self.os,
                "config": self.run,
                "rootfs": {"type": "layers", "diff_ids": ids},
            }
        ).encode()

    def docker_files(self, tag: str = "player:latest") -> dict[str, bytes]:
        """As `docker save` and `podman save` write them, by name."""
        name = f"{digest(self.configuration)[7:]}.json"
        names = [f"{number}/layer.tar" for number in range(len(self.layers))]
        manifest = [{"Config": name, "RepoTags": [tag], "Layers": names}]
        return {
            **dict(zip(names, self.layers, strict=True)),
            name: self.configuration,
            "manifest.json": json.dumps(manifest).encode(),
        }

    def oci_files(self, packed: bool = True, **entry: Any) -> dict[str, bytes]:
        """As `podman save --format oci-archive` writes them, layers gzipped; `entry`: of the
        index."""
        layers = [gzip.compress(layer, mtime=0) if packed else layer for layer in self.layers]
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": described(self.configuration, CONFIGURATION),
            "layers": [described(layer, f"{LAYER}+gzip" if packed else LAYER) for layer in layers],
        }
        raw = json.dumps(manifest).encode()
        index = {"schemaVersion": 2, "manifests": [{**described(raw, MANIFEST), **entry}]}
        blobs = [self.configuration, raw, *layers]
        return {
            "oci-layout": b'{"imageLayoutVersion": "1.0.0"}',
            "index.json": json.dumps(index).encode(),
            **{f"blobs/sha256/{digest(blob)[7:]}": blob for blob in blobs},
        }


def described(blob: bytes, media_type: str) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": digest(blob), "size": len(blob)}


def archive(files: Mapping[str, bytes]) -> bytes:
    return tar(member(name, data) for name, data in files.items())


def static_player(folder: Path) -> bytes:
    """player.c of the tests of images, as a static program that needs no other file; made here."""
    need_image_tools()
    source = Path(__file__).parents[1] / "image_tests" / "player.c"
    subprocess.run(
        ["gcc", "-static", "-O1", "-w", "-s", "-o", folder / "player", source], check=True
    )
    return (folder / "player").read_bytes()


@contextmanager
def cache_folder() -> Iterator[Path]:
    """A folder that the user of the sandboxes can enter; pytest's own folders are closed to it."""
    made = Path(tempfile.mkdtemp(dir="/var/tmp", prefix="knobeln-images-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)
