"""Takes a sure digit of 1/7 where it is high, and rolls five dice where it is low."""

PLAYER_NAME = "Pig Fancier"


def final_strategy(score, opponent_score):
    digit = int("142857"[(opponent_score - 1) % 6]) if opponent_score else 7
    return 0 if digit >= 7 else 5
