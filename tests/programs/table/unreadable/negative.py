def final_strategy(score, opponent_score):
    return score - opponent_score
