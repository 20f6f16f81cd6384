import sys

while True:
    sys.stdout.write("1" * 65536)
