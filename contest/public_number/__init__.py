"""The public number: where it comes from, when it is drawn, and the network drand. Pure."""
