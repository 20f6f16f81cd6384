import os
import time

for _ in range(8):
    if os.fork() == 0:
        hog = bytearray(400_000_000)
        time.sleep(1000)
print(1 / 0 if any(os.wait()[1] for _ in range(8)) else 1)
