"""What judges: numbers in, numbers out. Touches no socket, no file and no clock."""
