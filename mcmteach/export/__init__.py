"""A fitted machine outside Python: what it must store."""
