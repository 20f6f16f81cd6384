import os
import signal


def get_move(number):
    os.kill(os.getpid(), signal.SIGKILL)
