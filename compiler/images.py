"""Container images that play text games (M11).

A letter brings the archive of an image, or the name of one in a registry. We do not build it, only unpack and
examine it; a mistake in it is a finding like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from compiler.uploaded_files import UploadedFiles, description_findings, has_errors
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.interfaces.protocols import BuildResult
from contest.language import gettext
from contest.model import Finding, ImageFacts, Severity, TextBuildReport
from contest.schema.sections import Programs
from contest.util.program_files import IMAGE_NAME, is_archive
from sandbox.images.oci_image import OciImage, Refused, image_cache, this_architecture
from sandbox.images.unpacking import check_registry, fetch, require_tools, unpack
from sandbox.sandbox import Sandbox
from sandbox.self_test import require_tight

LANGUAGE = "container image"
IMAGES = "container images"  # as in "programs in container images"


def is_image(files: Mapping[str, bytes]) -> bool:
    """Whether one of the files is the archive of an image, or holds the name of one."""
    return any(map(_holds_image, files))


def build_image(uploaded: UploadedFiles, settings: Programs, sandbox: Sandbox) -> BuildResult[OciImage]:
    """Examine the image in these files.

    Raises ToolMissing or TryAgain where our machinery is at fault, never for anything that an image is.
    """
    program = next(filter(_holds_image, sorted(uploaded.files)))
    findings, image = list(description_findings(uploaded, settings)), None
    try:
        image = _image(program, uploaded, sandbox)
    except Refused as refused:
        findings.insert(0, Finding("image", Severity.ERROR, 0, str(refused)))
    if has_errors(findings):
        image = None
    report = TextBuildReport(
        findings=tuple(findings),
        tool="",
        messages="",
        description_lines=uploaded.description_lines,
        source_digest=uploaded.digest_of(program),
        image_digest=image.digest if image else None,
        language=LANGUAGE,
        files=uploaded.facts,
        image=ImageFacts(
            digest=image.digest,
            platform=f"linux/{this_architecture()}",  # images for others are refused
            unpacked_bytes=image.unpacked_bytes,
            command=tuple(image.run.command_line(("...",))),
            name=image.name,
        )
        if image
        else None,
    )
    return BuildResult(report, image, program)


def try_images(settings: Programs, sandbox: Sandbox) -> None:
    """Try whether this host can get and start the images that the contest takes. Raises ToolMissing."""
    require_tools()
    require_tight(sandbox, image_cache())
    for row in settings.registry_images:
        check_registry(row.image, sandbox)


def without_images_unless_possible(settings: Settings) -> Settings:
    """The settings, without archives of images if this host cannot unpack them."""
    with suppress(ToolMissing):
        require_tools()
        return settings
    return settings.changed(programs={"max_image_bytes": 0})


def _holds_image(name: str) -> bool:
    return name == IMAGE_NAME or is_archive(name)


def _image(program: str, uploaded: UploadedFiles, sandbox: Sandbox) -> OciImage:
    if len(uploaded.files) > 1:
        text = gettext(
            "there are %(files)s files, %(names)s; an image is sent alone, with everything in it that its "
            "program reads",
            files=len(uploaded.files),
            names=" and ".join(sorted(uploaded.files)),
        )
        raise Refused(text)
    data = uploaded.files[program]
    if is_archive(program):
        return unpack(data, sandbox, image_cache())
    return fetch(data.decode(errors="replace").strip(), sandbox, image_cache())
