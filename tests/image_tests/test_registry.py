"""Images by name: a small registry, asked by the real skopeo."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from contest.errors import ToolMissing
from sandbox.images.oci_image import OciImage, Refused
from sandbox.images.unpacking import _LIMITS, check_registry, fetch
from sandbox.players.arguments import ArgumentsPlayer
from sandbox.sandbox import Sandbox
from tests.support.oci_images import MANIFEST, Made, member, tar


class Registry:
    """Serves manifests and blobs as registries do. `manifests`: by tag or digest; `password`: "" =
    open."""

    def __init__(self, port):
        self.place = f"127.0.0.1:{port}"
        self.manifests, self.blobs, self.password = {}, {}, ""
        self.failure = None  # instead of every manifest: status and body

    def push(self, made, tag="1"):
        """Put the image there; return the digest of its manifest."""
        files = made.oci_files()
        (entry,) = json.loads(files["index.json"])["manifests"]
        self.blobs.update(
            {f"sha256:{name[13:]}": raw for name, raw in files.items() if "blobs" in name}
        )
        self.manifests[tag] = self.manifests[entry["digest"]] = (
            MANIFEST,
            self.blobs[entry["digest"]],
        )
        return entry

    def answer(self, path, authorization):
        """Status, type and body."""
        if self.password and authorization != self.password:
            return 401, "application/json", b"{}"
        *_, kind, name = path.split("/")
        if kind == "manifests" and self.failure:
            status, body = self.failure
            return status, "application/json", body
        if kind == "manifests" and name in self.manifests:
            return 200, *self.manifests[name]
        if kind == "blobs" and name in self.blobs:
            return 200, "application/octet-stream", self.blobs[name]
        code = {"manifests": "MANIFEST_UNKNOWN", "blobs": "BLOB_UNKNOWN"}.get(kind)
        if not code:
            return 200, "application/json", b"{}"
        error = {"errors": [{"code": code, "message": code.lower().replace("_", " ")}]}
        return 404, "application/json", json.dumps(error).encode()


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A registry without TLS, which the settings of this user's containers allow."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, kind, body = served.answer(self.path, self.headers["Authorization"] or "")
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("WWW-Authenticate", 'Basic realm="registry"')
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Registry(server.server_port)
    settings = tmp_path / ".config" / "containers" / "registries.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[[registry]]\nlocation = "{served.place}"\ninsecure = true\n')
    monkeypatch.setenv("HOME", str(tmp_path))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield served
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def made(program: bytes):
    return Made([tar([member("player", program)])], {"Entrypoint": ["/player", "says"]})


def test_an_image_is_fetched_by_its_name_and_plays(
    registry: Registry, made: Made, sandbox: Sandbox, new_cache: Path
) -> None:
    pushed = registry.push(made)
    name = f"{registry.place}/team/player:1"
    image = fetch(name, sandbox, new_cache)
    assert (image.name, f"sha256:{image.digest}") == (name, pushed["digest"])
    assert ArgumentsPlayer(image, sandbox, 30.0).move(("[C]", "[B]")) == "[C]|[B]"
    assert OciImage.from_bytes(image.to_bytes(), new_cache) == image


@pytest.mark.slow
def test_the_image_stays_when_its_name_moves_to_another_one(
    registry: Registry, made: Made, sandbox: Sandbox, new_cache: Path, program: bytes
) -> None:
    registry.push(made)
    name = f"{registry.place}/team/player:1"
    first = fetch(name, sandbox, new_cache)
    registry.push(Made([tar([member("bot", program)])], {"Entrypoint": ["/bot"]}))
    assert fetch(name, sandbox, new_cache / "other", first.digest).digest == first.digest
    assert fetch(name, sandbox, new_cache).digest != first.digest


@pytest.mark.parametrize(
    "name", ["--help", "/etc/passwd", "A", "", "a b", "../x", "$(id)", "x" * 256]
)
def test_what_is_no_name_is_refused_without_asking(
    name: str, sandbox: Sandbox, new_cache: Path
) -> None:
    with pytest.raises(Refused, match="is no name of an image"):
        fetch(name, sandbox, new_cache)


def test_an_image_that_no_registry_has_is_refused(
    registry: Registry, sandbox: Sandbox, new_cache: Path
) -> None:
    with pytest.raises(Refused, match="manifest unknown"):
        fetch(f"{registry.place}/team/player:2", sandbox, new_cache)
    check_registry(f"{registry.place}/team/player:2", sandbox)  # it answers: that is enough


def error(code, message):
    return json.dumps({"errors": [{"code": code, "message": message}]}).encode()


NO_IMAGE_FOR_US = [
    (401, b""),
    (401, b"{}"),
    (401, error("UNAUTHORIZED", "authentication required")),
    (401, error("UNAUTHORIZED", "log in at our desk")),
    (403, error("DENIED", "requested access to the resource is denied")),
    (403, b"<html>"),
    (404, error("NAME_UNKNOWN", "repository name not known to registry")),
    (404, error("MANIFEST_UNKNOWN", "it was never here")),
    (404, b"<html>"),
]
NOT_NOW = [
    pytest.param(
        (429, error("TOOMANYREQUESTS", "you have reached your pull rate limit")),
        marks=pytest.mark.slow,
    ),
    (500, b""),
    (503, error("UNAVAILABLE", "service unavailable")),
]


@pytest.mark.parametrize("failure", NO_IMAGE_FOR_US)
def test_what_a_registry_refuses_the_team_is_told(
    failure: tuple[int, bytes], registry: Registry, sandbox: Sandbox, new_cache: Path
) -> None:
    registry.failure = failure
    with pytest.raises(Refused, match="no registry gives us"):
        fetch(f"{registry.place}/team/player:1", sandbox, new_cache)


@pytest.mark.parametrize("failure", NOT_NOW)
def test_what_a_registry_cannot_do_now_is_nobodys_fault(
    failure: tuple[int, bytes], registry: Registry, sandbox: Sandbox, new_cache: Path
) -> None:
    registry.failure = failure
    with pytest.raises(ToolMissing, match="cannot be fetched now"):
        fetch(f"{registry.place}/team/player:1", sandbox, new_cache)


def test_a_registry_that_does_not_answer_is_nobodys_fault(
    sandbox: Sandbox, new_cache: Path
) -> None:
    for ask in (
        lambda name: fetch(name, sandbox, new_cache),
        lambda name: check_registry(name, sandbox),
    ):
        with pytest.raises(ToolMissing, match="cannot be fetched now"):
            ask("127.0.0.1:1/team/player:1")


def test_a_login_is_the_users_own(
    registry: Registry, made: Made, sandbox: Sandbox, new_cache: Path, tmp_path: Path
) -> None:
    registry.push(made)
    registry.password = "Basic bWU6c2VjcmV0"
    name = f"{registry.place}/team/player:1"
    with pytest.raises(Refused, match="no registry gives us"):
        fetch(name, sandbox, new_cache)
    (tmp_path / ".docker").mkdir()
    logins = {"auths": {registry.place: {"auth": "bWU6c2VjcmV0"}}}
    (tmp_path / ".docker" / "config.json").write_text(json.dumps(logins))
    assert fetch(name, sandbox, new_cache).is_unpacked


def test_an_archive_is_read_without_the_network(sandbox: Sandbox, registry: Registry) -> None:
    """A manifest cannot make skopeo fetch anything: its sandbox has no network."""
    command = [
        "skopeo",
        "--insecure-policy",
        "inspect",
        "--raw",
        f"docker://{registry.place}/player:1",
    ]
    result = sandbox.run(command, limits=_LIMITS)
    assert not result.succeeded
    assert b"address family not supported" in result.stderr
