"""``make edge``: fitted machines as programs for two microcontrollers, in an emulator: bytes, instructions, accuracy."""
