"""The contest day: formats, the referee, standings, the evolution, the state machine."""
