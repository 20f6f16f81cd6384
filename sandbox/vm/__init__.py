"""The contest machine: RV32IM, 1024 kB of memory, a counter and three doors (docs/machine.md)."""
