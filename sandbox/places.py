"""Folders in a sandbox."""

WORK = "/work"  # the one folder that the command may write; also its working directory and home
# Packages of the system's Python, as patterns. A sandbox shows none but those that `Contents.folders` names.
PYTHON_PACKAGE_FOLDERS = tuple(
    f"{above}/python3*/{folder}"
    for above in ("/usr/lib", "/usr/lib64", "/usr/local/lib")
    for folder in ("dist-packages", "site-packages")
)
