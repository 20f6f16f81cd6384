"""The games: what a game is (base), which there are (registry), and one file for each."""
