"""From a mailed container image to a player, and everything that its report says (M11).

A letter brings the archive of an image, or the name of one that the organizer has pulled. It is not built,
only unpacked and looked at; what is wrong with it is a finding like any other.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.build_result import BuildResult
from compiler.uploaded_files import UploadedFiles, description_findings, has_errors, report_on, take_apart
from contest.config.sections import Programs
from contest.file_names import IMAGE_NAME, is_archive
from contest.model import BuildReport, Finding, ImageFacts, Severity
from sandbox.executable import usual_engine
from sandbox.oci.formats import this_architecture
from sandbox.oci.image import OciImage, image_cache
from sandbox.oci.named import NamedImage, named_image
from sandbox.oci.refusal import ImageProblem
from sandbox.oci.unpack import unpack
from sandbox.program_folder import Executable

LANGUAGE = "container image"
RULE = "image"


def is_image(files: Mapping[str, bytes]) -> bool:
    """Whether one of the files is an image's archive, or its name."""
    return any(name == IMAGE_NAME or is_archive(name) for name in files)


def build_image(files: Mapping[str, bytes], words: str, settings: Programs) -> BuildResult[Executable]:
    """The files as they were sent, looked at but not tried.

    Raises ToolMissing or TryAgain where our machinery is at fault, never for anything that an image is.
    """
    sent = take_apart(files, words)
    program = next(name for name in sorted(sent.files) if is_image({name: b""}))
    found = _alone(sent) or _image(program, sent.files[program])
    problems = (Finding(RULE, Severity.ERROR, 0, found.text),) if isinstance(found, ImageProblem) else ()
    findings = (*problems, *description_findings(sent, settings))
    image = None if isinstance(found, ImageProblem) or has_errors(findings) else found
    return BuildResult(_report(sent, program, findings, image), image, program)


def _alone(sent: UploadedFiles) -> ImageProblem | None:
    """An image has all that it needs: what lies beside it would be lost."""
    if len(sent.files) == 1:
        return None
    return ImageProblem(
        f"there are {len(sent.files)} files, {' and '.join(sorted(sent.files))}; an image is sent alone, and "
        "what its program reads is in it"
    )


def _image(name: str, data: bytes) -> OciImage | NamedImage | ImageProblem:
    if is_archive(name):
        return unpack(data, image_cache())
    return named_image(data.decode(errors="replace").strip(), usual_engine())


def _report(
    sent: UploadedFiles, program: str, findings: tuple[Finding, ...], image: OciImage | NamedImage | None
) -> BuildReport:
    return report_on(
        sent,
        findings=findings,
        program=program,
        language=LANGUAGE,
        tool=f"run by {image.engine.name}" if isinstance(image, NamedImage) else "",
        messages="",
        image_digest=image.digest if image else None,
        image=_facts(image) if image else None,
    )


def _facts(image: OciImage | NamedImage) -> ImageFacts:
    identity = image.identity if isinstance(image, NamedImage) else image.digest
    return ImageFacts(
        digest=identity.removeprefix("sha256:"),
        platform=f"linux/{this_architecture()}",  # it would have been refused otherwise
        layers=image.layers,
        unpacked_bytes=image.unpacked_bytes,
        command=tuple(image.run.command_line(("...",))),
        name=image.name if isinstance(image, NamedImage) else "",
    )
