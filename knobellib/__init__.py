"""What teams receive: the library, the kit, the house strategies and the sample programs."""
