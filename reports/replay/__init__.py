"""What is known of how a game went: its turns, its pictures, and the story that they tell. Pure."""
