"""What teams receive: the library, the house strategies."""
