"""What several test modules share. No test module imports from another one."""
