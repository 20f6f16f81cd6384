"""`knobeln serve`: mail intake, compile service, delivery, clock and pages."""
