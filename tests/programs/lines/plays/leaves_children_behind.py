import os
import sys
import time

for line in sys.stdin:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(86400)
        os._exit(0)
    os.wait()
    words = line.split()
    if words[0] == "next":
        print(int(words[1]) + 1)
