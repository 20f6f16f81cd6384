"""OCI images as players (M11): an archive that a team sends, or a name that the organiser has pulled.

Theory of operation. An archive is read by our own strict readers (tar.py, formats.py), its layers are
unpacked into a scratch file with every byte counted (spool.py), laid one upon the other in a model (tree.py),
and only the outcome is written, into a folder named by the archive's sha256 (unpack.py). That folder is a
box's root file system (image.py), so that a move costs little more than in any other box. An image that is
there by name is run by podman or docker (engine.py, named.py).

- What is wrong with an image is a Problem, a sentence for its team; what is raised is our own trouble.
- An archive has no way to make us write outside its folder: names with `..` are refused, links are followed
  in the model only, and the writer goes by descriptors of folders that it made.
- Devices, pipes and unknown members are refused. Owners, extended attributes and modes (set-user-id!) are
  dropped: everybody may read everything, and execute what somebody could.
- Both kinds of image are asked by the player of ARGUMENTS.
"""
