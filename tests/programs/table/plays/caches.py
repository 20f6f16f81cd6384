from functools import lru_cache


@lru_cache(maxsize=None)
def final_strategy(score, opponent_score):
    return 0 if opponent_score else max(score, 3) % 11
