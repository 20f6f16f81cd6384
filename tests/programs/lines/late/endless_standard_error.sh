exec yes >&2
