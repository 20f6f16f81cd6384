"""Programs of the software kits. Each stands alone, or needs the file beside it."""
