"""Read the two formats of an image archive, `docker-archive` and `oci-archive`, down to their layers.

In an oci-archive we check every blob against its digest and size. In both formats, unpack.py checks each
unpacked layer against the digest in the image's configuration. An archive in both formats at once, as newer
docker writes it, is read as an oci-archive.
"""

from __future__ import annotations

import platform
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError

from sandbox.oci.limits import OciLimits
from sandbox.oci.refusal import HOW_TO_SEND, Refused, quoted
from sandbox.oci.spool import Part
from sandbox.oci.tar import MemberKind, members

_MAX_JSON_BYTES = 4 * 1024 * 1024
_MAX_MEMBERS = 10_000
_MAX_INDEX_DEPTH = 4  # an index can contain an index
_ARCHITECTURES = {  # by Python's names: the names in images
    "x86_64": "amd64",
    "aarch64": "arm64",
    "armv7l": "arm",
    "i686": "386",
}

Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Found = TypeVar("Found")


class _Json(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class Platform(_Json):
    architecture: str
    os: str


class Descriptor(_Json):
    digest: Digest
    size: int
    mediaType: str = ""  # noqa: N815 - the format's name
    platform: Platform | None = None


class Index(_Json):
    manifests: list[Descriptor]


class Manifest(_Json):
    config: Descriptor
    layers: list[Descriptor]


class DockerImage(_Json):
    Config: str
    Layers: list[str] | None = None


class RunSettings(_Json):
    Entrypoint: list[str] | None = None
    Cmd: list[str] | None = None
    Env: list[str] | None = None
    WorkingDir: str | None = None


class RootFiles(_Json):
    diff_ids: list[Digest]


class Configuration(_Json):
    architecture: str
    os: str
    rootfs: RootFiles
    config: RunSettings | None = None


@dataclass(frozen=True)
class Archive:
    """The outer archive: its files and links by name. Older docker stores equal layers once, with links."""

    files: Mapping[str, Part]
    links: Mapping[str, str]

    def __contains__(self, name: str) -> bool:
        return name in self.files

    def part(self, name: str) -> Part:
        """Return the file of this name, or the file to which the link of this name leads."""
        target = self.links.get(name)
        place = name if target is None else posixpath.normpath(f"{posixpath.dirname(name)}/{target}")
        if place not in self.files:
            raise Refused(f"the archive is not complete: {quoted(name)} is missing")
        return self.files[place]


@dataclass(frozen=True)
class FoundImage:
    """An image in its archive. `layers`: lowest first, still packed."""

    configuration: Configuration
    layers: tuple[Part, ...]


def this_architecture() -> str:
    """Return this host's architecture, by the name that images use."""
    return _ARCHITECTURES.get(platform.machine(), platform.machine())


def read_archive(part: Part, limits: OciLimits) -> FoundImage:
    """Return the one image for this host in this tar archive. Raises Refused."""
    archive = _listed(part)
    if "oci-layout" in archive:
        found = _read_oci(archive)
    elif "manifest.json" in archive:
        found = _read_docker(archive)
    else:
        raise Refused(
            f"it is a tar archive, but not of an image: there is neither manifest.json nor oci-layout in it; "
            f"{HOW_TO_SEND}"
        )
    _check(found, limits)
    return found


def check_architecture(architecture: str, system: str) -> None:
    """Check that the image is for Linux and this host's architecture. Raises Refused otherwise."""
    here = this_architecture()
    if (architecture, system) != (here, "linux"):
        raise Refused(
            f"the image is for {quoted(f'{system}/{architecture}')}, the contest host is linux/{here}; "
            f"build it with `docker build --platform linux/{here}`"
        )


def _listed(part: Part) -> Archive:
    """Return the files of the outer archive. Raises Refused for a name that occurs twice: it is ambiguous."""
    files: dict[str, Part] = {}
    links: dict[str, str] = {}
    for count, member in enumerate(members(part.file, part.offset, part.size)):
        if count >= _MAX_MEMBERS:
            raise Refused(f"the archive has more than {_MAX_MEMBERS:,} files; an image has layers")
        name = member.name.decode(errors="replace").removeprefix("./")
        if member.kind is not MemberKind.FOLDER and (name in files or name in links):
            raise Refused(f"{quoted(name)} is in the archive twice")
        if member.kind is MemberKind.FILE:
            files[name] = Part(part.file, member.offset, member.size)
        elif member.kind is MemberKind.LINK:
            links[name] = member.target.decode(errors="replace")
    return Archive(files, links)


def _read_oci(archive: Archive) -> FoundImage:
    fitting = [blob for blob in _manifests(archive, archive.part("index.json"), 0) if _may_fit(blob)]
    if len(fitting) != 1:
        raise Refused(_wrong_number(len(fitting)))
    manifest = _read(Manifest, _blob(archive, fitting[0]), "the manifest")
    configuration = _read(Configuration, _blob(archive, manifest.config), "the configuration")
    return FoundImage(configuration, tuple(_blob(archive, layer) for layer in manifest.layers))


def _manifests(archive: Archive, index: Part, depth: int) -> Iterator[Descriptor]:
    if depth > _MAX_INDEX_DEPTH:
        raise Refused("its indexes point to indexes without end")
    for entry in _read(Index, index, "an index").manifests:
        if entry.mediaType.endswith((".index.v1+json", ".manifest.list.v2+json")):
            yield from _manifests(archive, _blob(archive, entry), depth + 1)
        else:
            yield entry


def _may_fit(entry: Descriptor) -> bool:
    """Whether it may be for this platform. If it names none, the image's configuration decides."""
    here = Platform(os="linux", architecture=this_architecture())
    return entry.platform in (None, here)


def _wrong_number(count: int) -> str:
    if count:
        return f"there are {count} images in the archive; send one"
    here = this_architecture()
    return (
        f"the archive has no image for the contest host, which is linux/{here}; build one with "
        f"`docker build --platform linux/{here}`"
    )


def _read_docker(archive: Archive) -> FoundImage:
    images = _read(list[DockerImage], archive.part("manifest.json"), "manifest.json")
    if len(images) != 1:
        raise Refused(f"there are {len(images)} images in the archive; send one")
    image = images[0]
    packed = archive.part(image.Config)
    _check_name(image.Config, packed)
    layers = tuple(archive.part(name) for name in image.Layers or ())
    return FoundImage(_read(Configuration, packed, "the configuration"), layers)


def _check_name(name: str, part: Part) -> None:
    """Most tools name a configuration after its digest: abc...json, blobs/sha256/abc..., sha256:abc..."""
    digest = re.search(r"(?:^|[/:])([0-9a-f]{64})(?:\.json)?$", name)
    if digest and part.digest() != digest[1]:
        raise Refused(f"the configuration {quoted(name)} does not have the digest in its name")


def _blob(archive: Archive, entry: Descriptor) -> Part:
    part = archive.part(f"blobs/{entry.digest.replace(':', '/')}")
    if part.size != entry.size or part.digest() != entry.digest.removeprefix("sha256:"):
        raise Refused(f"a blob is not what its digest {entry.digest[:19]}... says: the archive is damaged")
    return part


def _read(form: type[Found], part: Part, what: str) -> Found:
    if part.size > _MAX_JSON_BYTES:
        raise Refused(f"{what} has {part.size:,} bytes; at most {_MAX_JSON_BYTES:,} are read")
    try:
        return TypeAdapter(form).validate_json(b"".join(part.chunks()))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Refused(f"{what} cannot be read: {where + ': ' if where else ''}{first['msg']}") from None


def _check(found: FoundImage, limits: OciLimits) -> None:
    check_architecture(found.configuration.architecture, found.configuration.os)
    if len(found.layers) > limits.layers:
        raise Refused(f"it has {len(found.layers)} layers; at most {limits.layers} are taken")
    if len(found.layers) != len(found.configuration.rootfs.diff_ids):
        raise Refused("its configuration speaks of another number of layers than there are")
