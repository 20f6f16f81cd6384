"""The trust boundary, reviewed alone: sandboxes, players, OCI images, and the contest machine."""
