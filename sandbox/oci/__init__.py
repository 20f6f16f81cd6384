"""OCI images as players: an archive that a team sends, or the name of an image that the organizer has pulled.

Theory of operation. Our own strict readers read an archive (tar.py, formats.py). Its layers are unpacked into
a scratch file, counting every byte (spool.py), and applied to a model (tree.py). Only the result is written,
into a folder named after the archive's sha256 (unpack.py). That folder is the root file system of a sandbox
(image.py), so a move costs little more than in any other sandbox. podman or docker runs an image by name
(engine.py, named.py).

- A mistake in an image becomes an ImageProblem, a sentence for its team. Exceptions are failures of ours.
- An archive cannot make us write outside its folder: names with `..` are refused, links are followed in the
  model only, and the writer uses descriptors of folders that it has made.
- Devices, pipes and unknown members are refused. Owners, extended attributes and modes (set-user-id!) are
  dropped: everybody may read every file, and execute it if anybody could.
- ArgumentsPlayer asks both kinds of image for moves.
"""
