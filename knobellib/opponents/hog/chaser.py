"""The further behind, the more dice; and no more than it needs."""

PLAYER_NAME = "Chaser"
GOAL = 50


def final_strategy(score, opponent_score):
    behind = opponent_score - score
    wanted = min(6, max(3, 4 + behind // 10))
    needed = -(-(GOAL - score) // 4)  # four points to a die that shows no 1
    return max(1, min(wanted, needed))
