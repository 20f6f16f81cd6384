import time


def final_strategy(score, opponent_score):
    return time.perf_counter_ns() // 1000 % 11
