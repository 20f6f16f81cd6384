"""Our own trusted child processes: worker pools and engine pools. Foreign code runs in `sandbox`
only."""
