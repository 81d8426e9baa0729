"""What the lesson on the paper teaches: its printed tables, what they imply, and the tests it uses."""
