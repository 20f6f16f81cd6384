"""Rolls no dice where that makes the scores equal, so that its own doubles; otherwise as a timid
player."""

PLAYER_NAME = "Piler"


def final_strategy(score, opponent_score):
    digit = int("142857"[(opponent_score - 1) % 6]) if opponent_score else 7
    if score + digit == opponent_score or score + digit >= 50:
        return 0
    return 1 if opponent_score == score + 1 else 4
