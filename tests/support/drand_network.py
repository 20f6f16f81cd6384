"""A stand-in for the network drand: one node with its own key, which signs rounds as their times
come."""

import hashlib
import json
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
import trustme
from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from contest.public_number import drand
from contest.public_number.drand import Chain
from tests.support.relays import server_context
from trust.for_teams import receipts

_SECRET_KEY = Scalar(0x1994_0515_1200)
_DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
# A round of the real chain `quicknet`, as one of its servers gave it.
RECORDED = json.dumps(
    {
        "round": 657413,
        "randomness": "fc1873a13f3545aeade8401532ef5519920652eee6b0d2b19ca12643b87b3587",
        "signature": "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be"
        "41076862b98fad56e91a6b85b89cd97b",
    }
)


def stand_in_chain(genesis: int, period: int = 1) -> Chain:
    """The stand-in's chain."""
    key = (G2Point() * _SECRET_KEY).to_compressed_bytes()
    return Chain(hash_of_chain(key, period, genesis, bytes(32), b"stand-in"), key, period, genesis)


def hash_of_chain(key: bytes, period: int, genesis: int, group: bytes, name: bytes = b"") -> str:
    """The name of a chain, as drand makes it."""
    return hashlib.sha256(struct.pack(">Iq", period, genesis) + key + group + name).hexdigest()


@cache
def signed_round(number: int) -> str:
    """The JSON of this round, whether its time has come or not."""
    message = hashlib.sha256(number.to_bytes(8, "big")).digest()
    return _round(
        number, (G1Point.hash_to_curve(message, _DOMAIN) * _SECRET_KEY).to_compressed_bytes()
    )


def forged_round(number: int) -> str:
    """The same with a signature that is not of the chain, and the randomness that follows from
    it."""
    return _round(number, G1Point().to_compressed_bytes())


def _round(number: int, signature: bytes) -> str:
    randomness = hashlib.sha256(signature).hexdigest()
    return json.dumps({"round": number, "randomness": randomness, "signature": signature.hex()})


_authority = cache(trustme.CA)  # who signs the certificates of the stand-in's servers


@contextmanager
def trusted_drand() -> Iterator[None]:
    """Meanwhile this process trusts the certificates of the stand-in's servers."""
    with _authority().cert_pem.tempfile() as authority, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", authority)
        yield


@contextmanager
def stand_in(chain: Chain, *urls: str) -> Iterator[None]:
    """Meanwhile the stand-in is drand: this chain, and servers at these addresses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drand, "QUICKNET", chain)
        patch.setattr(drand, "URLS", urls)
        patch.setattr(receipts, "DRAND", (chain.hash, chain.genesis, chain.period))
        yield


@contextmanager
def drand_server(chain: Chain, round_json: Callable[[int], str] = signed_round) -> Iterator[str]:
    """Serve the rounds whose time has come, by TLS on loopback; yields the server's address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            prefix = f"/{chain.hash}/public/"
            number = int(self.path.removeprefix(prefix)) if self.path.startswith(prefix) else 0
            has_come = number > 0 and chain.time_of(number).timestamp() <= time.time()
            self.send_response(200 if has_come else 404)
            self.end_headers()
            if has_come:
                self.wfile.write(round_json(number).encode())

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = server_context(_authority()).wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
