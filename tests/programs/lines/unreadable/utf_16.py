import sys

for line in sys.stdin:
    sys.stdout.buffer.write(f"{int(line.split()[1]) + 1}\n".encode("utf-16"))
    sys.stdout.flush()
