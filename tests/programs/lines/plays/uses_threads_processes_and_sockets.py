"""Plays only if what programs may use works: threads, children, pipes, event loops, sockets of its own."""

import asyncio
import concurrent.futures
import os
import resource
import select
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading

with concurrent.futures.ThreadPoolExecutor(3) as threads:
    assert sum(threads.map(lambda n: n, range(10))) == 45
child = os.fork()
if child == 0:
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert subprocess.run(["sh", "-c", "echo $((6 * 7)) | cat"], capture_output=True, text=True).stdout == "42\n"
one, other = socket.socketpair()
one.send(b"x")
assert select.select([other], [], [], 5)[0] == [other]


async def talk():
    async def answer(reader, writer):
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()

    await asyncio.start_unix_server(answer, "door")
    reader, writer = await asyncio.open_unix_connection("door")
    writer.write(b"hello\n")
    assert await reader.readline() == b"hello\n"


asyncio.run(talk())
resource.setrlimit(resource.RLIMIT_STACK, resource.getrlimit(resource.RLIMIT_STACK))
with tempfile.TemporaryDirectory() as folder:
    open(folder + "/x", "w").close()
assert sqlite3.connect(":memory:").execute("select 6 * 7").fetchone() == (42,)
assert threading.active_count() == 1
for line in sys.stdin:
    words = line.split()
    if words[0] == "next":
        print(int(words[1]) + 1, flush=True)
