"""Container images that play text games (M11).

A letter brings the archive of an image, or the name of one in a registry. We do not build it, only
unpack and examine it; a mistake in it is a finding like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from compiler.languages import Outcome, Problem
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.language import gettext
from contest.model import ImageFacts
from contest.schema.sections import Programs
from contest.util.program_files import IMAGE_NAME, is_archive
from sandbox.budget import UsedUp
from sandbox.images.oci_image import OciImage, Refused, image_cache, this_architecture
from sandbox.images.unpacking import check_registry, fetch, require_tools, unpack
from sandbox.sandbox import Sandbox
from sandbox.self_test import require_tight

LANGUAGE = "container image"
IMAGES = "container images"  # as in "programs in container images"


def is_image(files: Mapping[str, bytes]) -> bool:
    """Return whether one of the files is the archive of an image, or holds the name of one."""
    return any(map(_holds_image, files))


def examine(files: Mapping[str, bytes], sandbox: Sandbox) -> Outcome[OciImage]:
    """Examine the image in these files.

    Raises ToolMissing or TryAgain where our machinery is at fault, never for anything that an image
    is.
    """
    program = next(filter(_holds_image, sorted(files)))
    try:
        return Outcome(_image(program, files, sandbox), program)
    except UsedUp:
        why = gettext("to unpack it takes more processor time than a program may take to be built")
        return Outcome(Problem(why), program, rule="image")
    except Refused as refused:
        return Outcome(Problem(str(refused)), program, rule="image")


def facts_of(image: OciImage) -> ImageFacts:
    return ImageFacts(
        digest=image.digest,
        platform=f"linux/{this_architecture()}",  # images for others are refused
        unpacked_bytes=image.unpacked_bytes,
        command=tuple(image.run.command_line(("...",))),
        name=image.name,
    )


def try_images(settings: Programs, sandbox: Sandbox) -> None:
    """Try whether this host can get and start the images that the contest takes. Raises
    ToolMissing."""
    require_tools()
    require_tight(sandbox, image_cache())
    for row in settings.registry_images:
        check_registry(row.image, sandbox)


def without_images_unless_possible(settings: Settings) -> Settings:
    """Return the settings, without archives of images if this host cannot unpack them."""
    with suppress(ToolMissing):
        require_tools()
        return settings
    return settings.changed(programs={"max_image_bytes": 0})


def _holds_image(name: str) -> bool:
    return name == IMAGE_NAME or is_archive(name)


def _image(program: str, files: Mapping[str, bytes], sandbox: Sandbox) -> OciImage:
    if len(files) > 1:
        text = gettext(
            "there are %(files)s files, %(names)s; an image is sent alone, with everything in it"
            " that its program reads",
            files=len(files),
            names=" and ".join(sorted(files)),
        )
        raise Refused(text)
    data = files[program]
    if is_archive(program):
        return unpack(data, sandbox, image_cache())
    return fetch(data.decode(errors="replace").strip(), sandbox, image_cache())
