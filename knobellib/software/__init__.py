"""The programs of KNOBELN's software kit; they stand alone."""
