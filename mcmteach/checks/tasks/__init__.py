"""The tasks of the exercises, a module per topic: content, where ``mcmteach.checks`` is the machinery."""
