"""Container images as players: an archive that a team sends, or the name of an image in a registry.

Theory of operation. `skopeo` reads an archive, or fetches from a registry, and `umoci` unpacks;
both run in sandboxes (unpacking.py). What they leave is a folder of the cache, named after the
sha256 of the archive, or of the manifest in the registry. That folder is the root file system of a
sandbox (oci_image.py), so a move costs little more than in any other sandbox.

- A mistake in an image raises Refused, with a sentence for its team. Other exceptions are failures
  of ours.
- Whatever an archive does to the two programs, they see one folder of ours and nothing else of this
  host. It has a size at which they are ended.
- Owners, extended attributes, devices and pipes are dropped, and modes too (set-user-id!):
  everybody may read every file, and execute it if anybody could.
- ArgumentsPlayer asks images for moves.
"""
