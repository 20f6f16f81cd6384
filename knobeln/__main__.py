"""`python -m knobeln` runs the command `knobeln`."""

from knobeln.cli import main

if __name__ == "__main__":
    main(prog_name="knobeln")
