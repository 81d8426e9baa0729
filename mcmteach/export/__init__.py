"""A fitted machine outside Python: as C, as ONNX, as a file; and how many bytes it must store."""
