"""Benchmarks of the instrument itself. Each prints ratios from one run; none asserts anything."""
