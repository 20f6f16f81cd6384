import sys

for line in sys.stdin:
    words = line.split()
    if words[0] == "next":
        print(int(words[1]) + 1)
