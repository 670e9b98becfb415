"""What several tests need: fake targets, ways to wait, and slow obvious re-implementations."""
