"""Tables as text or Markdown, and numbers with their sign."""

from __future__ import annotations

from typing import Any


def render(head: list[str], cells: list[list[str]], markdown: bool = False) -> str:
    """A table as text with aligned columns, or as Markdown."""
    if markdown:
        lines = [head, ["---"] + ["--:"] * (len(head) - 1), *cells]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)
    widths = [max(len(line[j]) for line in [head, *cells]) for j in range(len(head))]
    align: list[Any] = [str.ljust] + [str.rjust] * (len(head) - 1)
    lines = [[a(cell, w) for a, cell, w in zip(align, line, widths, strict=True)] for line in [head, *cells]]
    return "\n".join("  ".join(line).rstrip() for line in [*lines[:1], ["-" * w for w in widths], *lines[1:]])


def signed(points: float) -> str:
    """Two digits with their sign; a zero is +0.00 and never -0.00."""
    return f"{round(points, 2) + 0.0:+.2f}"
