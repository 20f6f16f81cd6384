"""The two forms of an image archive, `docker-archive` and `oci-archive`, read down to their layers.

What an archive says of itself is held against what it is: in an oci-archive every blob against its digest and
size, in both forms each unpacked layer against the digest in the image's configuration (that is done where
they are unpacked). An archive in both forms at once, as newer docker writes it, is read as an oci-archive.
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
from sandbox.oci.refusal import HOW_TO_SEND, Refused, shown
from sandbox.oci.spool import Part
from sandbox.oci.tar import Kind, members

_MOST_JSON = 4 * 1024 * 1024  # bytes
_MOST_MEMBERS = 10_000
_MOST_NESTED = 4  # an index in an index ...
_ARCHITECTURES = {  # of Python, and of images
    "x86_64": "amd64",
    "aarch64": "arm64",
    "armv7l": "arm",
    "i686": "386",
}

Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Found = TypeVar("Found")


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class Platform(_Form):
    architecture: str
    os: str


class Descriptor(_Form):
    digest: Digest
    size: int
    mediaType: str = ""  # noqa: N815 - the format's word, here and below
    platform: Platform | None = None


class Index(_Form):
    manifests: list[Descriptor]


class Manifest(_Form):
    config: Descriptor
    layers: list[Descriptor]


class DockerImage(_Form):
    Config: str
    Layers: list[str] | None = None


class RunSettings(_Form):
    Entrypoint: list[str] | None = None
    Cmd: list[str] | None = None
    Env: list[str] | None = None
    WorkingDir: str | None = None


class RootFiles(_Form):
    diff_ids: list[Digest]


class Configuration(_Form):
    architecture: str
    os: str
    rootfs: RootFiles
    config: RunSettings | None = None


@dataclass(frozen=True)
class Archive:
    """The outer archive: its files, and its links by their targets (older docker keeps equal layers once)."""

    files: Mapping[str, Part]
    links: Mapping[str, str]

    def __contains__(self, name: str) -> bool:
        return name in self.files

    def part(self, name: str) -> Part:
        """The file of this name, or that the link of this name leads to."""
        target = self.links.get(name)
        place = name if target is None else posixpath.normpath(f"{posixpath.dirname(name)}/{target}")
        if place not in self.files:
            raise Refused(f"the archive is not complete: {shown(name)} is missing")
        return self.files[place]


@dataclass(frozen=True)
class FoundImage:
    """An image in its archive. `layers`: from the lowest up, still packed."""

    configuration: Configuration
    layers: tuple[Part, ...]


def this_architecture() -> str:
    """This computer's, in the words of images."""
    return _ARCHITECTURES.get(platform.machine(), platform.machine())


def read_archive(part: Part, limits: OciLimits) -> FoundImage:
    """The one image in this tar archive that is for this computer. Raises Refused."""
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
    """M11: an image is for one kind of computer."""
    here = this_architecture()
    if (architecture, system) != (here, "linux"):
        raise Refused(
            f"the image is for {shown(f'{system}/{architecture}')}, the contest computer is linux/{here}; "
            f"build it with `docker build --platform linux/{here}`"
        )


def _listed(part: Part) -> Archive:
    """The files of the outer archive by name. A name that comes twice means two things: refused."""
    files: dict[str, Part] = {}
    links: dict[str, str] = {}
    for count, member in enumerate(members(part.file, part.offset, part.size)):
        if count >= _MOST_MEMBERS:
            raise Refused(f"the archive has more than {_MOST_MEMBERS:,} files; an image has layers")
        name = member.name.decode(errors="replace").removeprefix("./")
        if member.kind is not Kind.FOLDER and (name in files or name in links):
            raise Refused(f"{shown(name)} is in the archive twice")
        if member.kind is Kind.FILE:
            files[name] = Part(part.file, member.offset, member.size)
        elif member.kind is Kind.LINK:
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
    if depth > _MOST_NESTED:
        raise Refused("its indexes point to indexes without end")
    for entry in _read(Index, index, "an index").manifests:
        if entry.mediaType.endswith((".index.v1+json", ".manifest.list.v2+json")):
            yield from _manifests(archive, _blob(archive, entry), depth + 1)
        else:
            yield entry


def _may_fit(entry: Descriptor) -> bool:
    """Whether it does not name another platform; one that names none has it in its configuration."""
    here = Platform(os="linux", architecture=this_architecture())
    return entry.platform in (None, here)


def _wrong_number(count: int) -> str:
    if count:
        return f"there are {count} images in the archive; send one"
    here = this_architecture()
    return (
        f"there is no image for this computer in the archive: it is linux/{here}; build one with "
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
    """Most tools call a configuration by its digest: abc...json, blobs/sha256/abc..., sha256:abc..."""
    digest = re.search(r"(?:^|[/:])([0-9a-f]{64})(?:\.json)?$", name)
    if digest and part.digest() != digest[1]:
        raise Refused(f"the configuration {shown(name)} does not have the digest that its name says")


def _blob(archive: Archive, entry: Descriptor) -> Part:
    part = archive.part(f"blobs/{entry.digest.replace(':', '/')}")
    if part.size != entry.size or part.digest() != entry.digest.removeprefix("sha256:"):
        raise Refused(f"a blob is not what its digest {entry.digest[:19]}... says: the archive is damaged")
    return part


def _read(form: type[Found], part: Part, what: str) -> Found:
    if part.size > _MOST_JSON:
        raise Refused(f"{what} has {part.size:,} bytes; at most {_MOST_JSON:,} are read")
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
