"""Container images that play text games (M11).

A letter brings the archive of an image, or the name of one that the organizer has pulled. We do not build it,
only unpack and examine it; a mistake in it is a finding like any other.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.uploaded_files import UntriedBuild, UploadedFiles, description_findings, has_errors
from contest.config.sections import Programs
from contest.file_names import IMAGE_NAME, is_archive
from contest.language import gettext
from contest.model import Finding, ImageFacts, Severity, TextBuildReport
from sandbox.executable import usual_engine
from sandbox.oci.engine import find_engine
from sandbox.oci.formats import this_architecture
from sandbox.oci.image import OciImage, check_boxes, image_cache
from sandbox.oci.named import NamedImage, named_image
from sandbox.oci.refusal import ImageProblem
from sandbox.oci.unpack import unpack
from sandbox.sandbox import Sandbox

LANGUAGE = "container image"
IMAGES = "container images"  # as in "programs in container images"
RULE = "image"


def is_image(files: Mapping[str, bytes]) -> bool:
    """Whether one of the files is the archive of an image, or holds the name of one."""
    return any(map(_holds_image, files))


def build_image(uploaded: UploadedFiles, settings: Programs) -> UntriedBuild:
    """Examine the image in these files.

    Raises ToolMissing or TryAgain where our machinery is at fault, never for anything that an image is.
    """
    program = next(filter(_holds_image, sorted(uploaded.files)))
    examined = _image(program, uploaded)
    problems = (
        (Finding(RULE, Severity.ERROR, 0, examined.text),) if isinstance(examined, ImageProblem) else ()
    )
    findings = (*problems, *description_findings(uploaded, settings))
    image = None if isinstance(examined, ImageProblem) or has_errors(findings) else examined
    report = TextBuildReport(
        findings=findings,
        tool=f"run by {image.engine.name}" if isinstance(image, NamedImage) else "",
        messages="",
        description_lines=uploaded.description_lines,
        source_digest=uploaded.digest_of(program),
        image_digest=image.digest if image else None,
        language=LANGUAGE,
        files=uploaded.facts,
        image=_facts(image) if image else None,
    )
    return UntriedBuild(report, image, program)


def try_images(settings: Programs, sandbox: Sandbox) -> None:
    """Try whether this host can start the images that the contest takes. Raises ToolMissing if it cannot."""
    check_boxes(sandbox, image_cache())
    if settings.pulled_images:
        find_engine()


def _holds_image(name: str) -> bool:
    return name == IMAGE_NAME or is_archive(name)


def _image(program: str, uploaded: UploadedFiles) -> OciImage | NamedImage | ImageProblem:
    if len(uploaded.files) > 1:
        names = " and ".join(sorted(uploaded.files))
        return ImageProblem(
            gettext(
                "there are %(files)s files, %(names)s; an image is sent alone, with everything in it that "
                "its program reads",
                files=len(uploaded.files),
                names=names,
            )
        )
    data = uploaded.files[program]
    if is_archive(program):
        return unpack(data, image_cache())
    return named_image(data.decode(errors="replace").strip(), usual_engine())


def _facts(image: OciImage | NamedImage) -> ImageFacts:
    identity = image.identity if isinstance(image, NamedImage) else image.digest
    return ImageFacts(
        digest=identity.removeprefix("sha256:"),
        platform=f"linux/{this_architecture()}",  # images for others are refused
        layers=image.layers,
        unpacked_bytes=image.unpacked_bytes,
        command=tuple(image.run.command_line(("...",))),
        name=image.name if isinstance(image, NamedImage) else "",
    )
