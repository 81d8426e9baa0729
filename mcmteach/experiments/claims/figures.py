"""A forest plot as SVG: one line for each data set, its estimate and interval, and the mean of all at the bottom.

It is written by hand, since experiments do not draw with matplotlib: the page must come out the same, byte for byte, wherever
it is generated.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import NamedTuple

import numpy as np

from mcmteach.paper.intervals import Interval

LEFT, WIDTH, RIGHT, LINE, TOP = 190, 380, 20, 14, 34
FONT = 'font-family="sans-serif" font-size="11"'


class Forest(NamedTuple):
    """What a figure shows."""

    title: str
    rows: Mapping[str, Interval]
    summary: tuple[str, Interval] | None = None
    region: float = 0.0  #: half the width of the region of practical equivalence, drawn as a band around the middle
    middle: float = 0.0  #: where a line says "no difference"


def forest_svg(forest: Forest) -> str:
    """The figure. Intervals that reach beyond the axis end at its edge."""
    lines = list(forest.rows.items()) + ([forest.summary] if forest.summary else [])
    low, high = _limits(forest)
    height = TOP + LINE * len(lines) + 24

    def x(value: float) -> float:
        return LEFT + WIDTH * (float(np.clip(value, low, high)) - low) / (high - low)

    bottom = TOP + LINE * len(lines)
    shown = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" role="img" {FONT}>',
        f"<title>{escape(forest.title)}</title>",
        f'<rect width="{LEFT + WIDTH + RIGHT}" height="{height}" fill="white"/>',
        f'<text x="8" y="16" font-weight="bold">{escape(forest.title)}</text>',
    ]
    if forest.region:
        start, end = x(forest.middle - forest.region), x(forest.middle + forest.region)
        size = f'width="{end - start:.1f}" height="{bottom - TOP + 8}"'
        shown.append(f'<rect x="{start:.1f}" y="{TOP - 8}" {size} fill="#e8eef5"/>')
    middle = x(forest.middle)
    shown.append(f'<path d="M{middle:.1f} {TOP - 8}V{bottom}" stroke="#888"/>')
    for i, (name, value) in enumerate(lines):
        y, last = TOP + LINE * i, forest.summary is not None and i == len(lines) - 1
        colour = "#b5541c" if last else "#1f4e79"
        shown.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        if value.low < value.high:
            shown.append(f'<path d="M{x(value.low):.1f} {y}H{x(value.high):.1f}" stroke="{colour}"/>')
        mark = (
            f"M{x(value.value):.1f} {y - 4}l4 4l-4 4l-4 -4z"
            if last
            else f"M{x(value.value) - 2.5:.1f} {y - 2.5}h5v5h-5z"
        )
        shown.append(f'<path d="{mark}" fill="{colour}"/>')
    for tick in _ticks(low, high):
        shown.append(f'<text x="{x(tick):.1f}" y="{bottom + 14}" text-anchor="middle">{tick:g}</text>')
    return "\n".join([*shown, "</svg>\n"])


def _limits(forest: Forest) -> tuple[float, float]:
    """All estimates, and intervals up to twice as far."""
    values = np.array([value.value for value in forest.rows.values()])
    far = max(2 * float(np.abs(values - forest.middle).max(initial=0.0)), 2 * forest.region, 1e-6)
    ends = [v for one in forest.rows.values() for v in (one.low, one.high) if np.isfinite(v)]
    low, high = min([forest.middle, *values, *ends]), max([forest.middle, *values, *ends])
    return max(low, forest.middle - far), min(high, forest.middle + far)


def _ticks(low: float, high: float) -> list[float]:
    step = next(s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) / s <= 8)
    return [round(k * step, 1) for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]
