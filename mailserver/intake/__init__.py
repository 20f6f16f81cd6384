"""How letters come in."""
