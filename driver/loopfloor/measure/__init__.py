"""What measures: starts targets, sends load, reads instruments. Judges nothing."""
