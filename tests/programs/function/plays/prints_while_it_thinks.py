import os
import sys

print(17)


def get_move(number):
    print(18)
    sys.__stdout__.write("19\n")
    os.write(1, b"20\n")
    os.system("echo 21")
    return number + 1
