def final_strategy(score, opponent_score):
    return score == 0 if opponent_score == 19 else 4
