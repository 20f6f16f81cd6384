"""What letters to the desk are made of."""

DESCRIPTION = "#if 0\n" + "What it does.\n" * 15 + "#endif\n"
