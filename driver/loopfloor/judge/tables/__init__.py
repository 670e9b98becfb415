"""One room per CSV: a trial's readings in, rows of named figures out (ms, shares, counts; None is blank)."""
