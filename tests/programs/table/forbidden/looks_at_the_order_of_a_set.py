WORDS = ("roll", "hold", "piggy", "pile", "trot", "goal", "score")
ORDER = list(set(WORDS))
OTHERS = list({word.upper() for word in WORDS})


def final_strategy(score, opponent_score):
    # Each word has another place in the order of one of the two runs, but for one chance in millions.
    word = WORDS[opponent_score % 7]
    return ORDER.index(word) if score % 2 else OTHERS.index(word.upper())
