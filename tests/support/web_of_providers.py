"""The domain name system, the web and an issuer of tokens, for the servers of `providers`.

    python web_of_providers.py FOLDER

`names.json` has the records, by name and kind; `web/HOST/PATH` are the files. The issuer lets the
person enter the code when `entered` is there. It is a program of its own, because it works in a
network of its own.
"""

import json
import os
import socketserver
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

FOLDER = Path(sys.argv[1])


class Names(socketserver.BaseRequestHandler):
    """Every name that has a record of some kind has the address 127.0.0.1, unless it says more."""

    def handle(self) -> None:
        raw, sock = self.request
        query = dns.message.from_wire(raw)
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.AA | dns.flags.RA
        question = query.question[0]
        name = question.name.to_text(omit_final_dot=True).lower()
        kind = dns.rdatatype.to_text(question.rdtype)
        records = json.loads((FOLDER / "names.json").read_text())
        found = records.get(name)
        if found is None:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        elif values := found.get(kind, ["127.0.0.1"] if kind == "A" else []):
            answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *values))
        sock.sendto(answer.to_wire(), self.client_address)


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        host = self.headers["Host"].partition(":")[0]
        scheme = "https" if isinstance(self.connection, ssl.SSLSocket) else "http"
        path = self.path.partition("?")[0].lstrip("/")
        file = FOLDER / "web" / scheme / host / path
        if not file.is_file():
            self.send_error(404)
            return
        self._answer(200, file.read_bytes())

    def do_POST(self) -> None:
        """The issuer: codes and tokens; and what Dovecot asks about a token."""
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        code, answer = 200, {}
        if self.path.endswith("/devicecode"):
            answer = {"device_code": "d1", "user_code": "ABCD-EFGH", "interval": 1}
            answer["verification_uri"] = "https://login.microsoftonline.com/device"
        elif self.path == "/introspect":
            known = form.get("token") == ["access-1"]
            answer = {"active": known, "email": (FOLDER / "entered").read_text()}
        elif form.get("grant_type") == ["refresh_token"]:
            answer = {"access_token": "access-1", "expires_in": 3600}
            answer["refresh_token"] = "refresh-2"
        elif not (FOLDER / "entered").exists():
            code, answer = 400, {"error": "authorization_pending"}
        else:
            answer = {"access_token": "access-0", "refresh_token": "refresh-1"}
        self._answer(code, json.dumps(answer).encode())

    def _answer(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def serve(port: int, *, encrypted: bool) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", port), Pages)
    if encrypted:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(FOLDER / "certificate.pem")
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    threading.Thread(target=server.serve_forever, daemon=True).start()


if __name__ == "__main__":
    serve(80, encrypted=False)
    serve(443, encrypted=True)
    with socketserver.ThreadingUDPServer(("127.0.0.1", 53), Names) as names:
        (FOLDER / "is-up").write_text(str(os.getpid()))
        names.serve_forever()
