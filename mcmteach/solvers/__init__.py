"""The fast solvers of the MCM: engines that the machines call, and that no lesson needs to read."""
