"""A stand-in for the network drand: one node with its own key, which signs rounds as their times come."""

from __future__ import annotations

import hashlib
import json
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from contest.drand import Chain

_recursion_limit = sys.getrecursionlimit()  # the import of py_ecc changes it
from py_ecc.bls.hash_to_curve import hash_to_G1  # noqa: E402
from py_ecc.bls.point_compression import compress_G1, compress_G2  # noqa: E402
from py_ecc.optimized_bls12_381 import G2, multiply  # noqa: E402

sys.setrecursionlimit(_recursion_limit)

_SECRET_KEY = 0x1994_0515_1200
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


@cache
def chain_json(genesis: int, period: int = 1) -> str:
    """The stand-in's chain, as `/info` would give it."""
    key = b"".join(half.to_bytes(48, "big") for half in compress_G2(multiply(G2, _SECRET_KEY)))
    group = bytes(32)
    hashed = hashlib.sha256(struct.pack(">Iq", period, genesis) + key + group + b"stand-in")
    return json.dumps(
        {
            "public_key": key.hex(),
            "period": period,
            "genesis_time": genesis,
            "hash": hashed.hexdigest(),
            "groupHash": group.hex(),
            "schemeID": "bls-unchained-g1-rfc9380",
            "metadata": {"beaconID": "stand-in"},
        }
    )


@cache
def signed_round(number: int) -> str:
    """The JSON of this round, whether its time has come or not."""
    message = hashlib.sha256(number.to_bytes(8, "big")).digest()
    point = multiply(hash_to_G1(message, _DOMAIN, hashlib.sha256), _SECRET_KEY)
    signature = compress_G1(point).to_bytes(48, "big")
    randomness = hashlib.sha256(signature).hexdigest()
    return json.dumps({"round": number, "randomness": randomness, "signature": signature.hex()})


@contextmanager
def drand_server(chain_text: str) -> Iterator[str]:
    """Serve the rounds whose time has come, on loopback; yields the server's address."""
    chain = Chain.from_json(chain_text)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            prefix = f"/{chain.hash}/public/"
            number = int(self.path.removeprefix(prefix)) if self.path.startswith(prefix) else 0
            has_come = number > 0 and chain.time_of(number).timestamp() <= time.time()
            self.send_response(200 if has_come else 404)
            self.end_headers()
            if has_come:
                self.wfile.write(signed_round(number).encode())

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
