import mmap
import os
import time

for number in range(14):
    with open(f"/work/{number}", "wb") as file:
        file.write(b"x" * 1_000_000)
for _ in range(8):
    if os.fork() == 0:
        shared = mmap.mmap(-1, 200_000_000)
        shared.write(bytes(200_000_000))
        time.sleep(1000)
print(1 / 0 if any(os.wait()[1] for _ in range(8)) else 1)
