"""The contest machine: RV32IM, 1024 kB of memory, a counter and three services
(docs/machine.md)."""
