"""The page's figures as SVG: forest plots (a line for each data set, the mean of all at the bottom) and Demšar's diagram.

They are written by hand, since experiments do not draw with matplotlib: the page must come out the same, byte for byte,
wherever it is generated.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import NamedTuple

import numpy as np

from mcmteach.paper.equivalence import MeanRanks
from mcmteach.paper.intervals import Interval

LEFT, WIDTH, RIGHT, LINE, TOP = 190, 380, 20, 14, 34
FONT = 'font-family="sans-serif" font-size="11"'
BAR = 'stroke="#b5541c" stroke-width="4"'


class Forest(NamedTuple):
    """What a figure shows."""

    title: str
    rows: Mapping[str, Interval]
    summary: tuple[str, Interval] | None = None
    band: tuple[float, float] | None = None  #: what is marked: where no difference matters, or what was claimed
    middle: float = 0.0  #: where a line says "no difference"
    log: bool = False  #: a logarithmic axis, for ratios: half is as far from 1 as double


def forest_svg(forest: Forest) -> str:
    """The figure. Intervals that reach beyond the axis end at its edge, with an arrow."""
    lines = list(forest.rows.items()) + ([forest.summary] if forest.summary else [])
    low, high = _limits(forest)
    height = TOP + LINE * len(lines) + 24

    def x(value: float) -> float:
        place, start, end = (np.log(v) if forest.log else v for v in (float(np.clip(value, low, high)), low, high))
        return float(LEFT + WIDTH * (place - start) / (end - start))

    bottom = TOP + LINE * len(lines)
    shown = _opened(forest.title, height)
    if forest.band:
        start, end = map(x, forest.band)
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
        # an arrow where the interval goes on beyond the axis
        if value.low < low:
            shown.append(f'<path d="M{LEFT + 4} {y - 3}l-4 3l4 3" fill="none" stroke="{colour}"/>')
        if value.high > high:
            shown.append(f'<path d="M{LEFT + WIDTH - 4} {y - 3}l4 3l-4 3" fill="none" stroke="{colour}"/>')
        mark = (
            f"M{x(value.value):.1f} {y - 4}l4 4l-4 4l-4 -4z"
            if last
            else f"M{x(value.value) - 2.5:.1f} {y - 2.5}h5v5h-5z"
        )
        shown.append(f'<path d="{mark}" fill="{colour}"/>')
    for tick in _ticks(low, high, forest.log):
        shown.append(f'<text x="{x(tick):.1f}" y="{bottom + 14}" text-anchor="middle">{tick:g}</text>')
    return "\n".join([*shown, "</svg>\n"])


def ranks_svg(title: str, found: MeanRanks) -> str:
    """Demšar's diagram: columns by their mean rank; a bar joins those that are not told apart."""
    names = sorted(found.ranks, key=lambda name: found.ranks[name])
    groups = [group for group in found.groups() if len(group) > 1]
    top = TOP + LINE * (len(groups) + 1)
    bottom = top + LINE * (len(names) + 1)

    def x(rank: float) -> float:
        return LEFT + WIDTH * (rank - 1) / (len(names) - 1)

    shown = _opened(title, bottom + 2 * LINE)
    for i, group in enumerate(groups):
        y = TOP + LINE * i
        shown.append(f'<path d="M{x(found.ranks[group[0]]):.1f} {y}H{x(found.ranks[group[-1]]):.1f}" {BAR}/>')
    shown.append(f'<path d="M{LEFT} {top}H{LEFT + WIDTH}" stroke="#888"/>')
    for tick in range(1, len(names) + 1):
        shown.append(f'<text x="{x(tick):.1f}" y="{top - 4}" text-anchor="middle" fill="#555">{tick}</text>')
    for i, name in enumerate(names):
        y, rank = top + LINE * (i + 1), found.ranks[name]
        shown.append(f'<path d="M{LEFT - 4} {y}H{x(rank):.1f}V{top}" fill="none" stroke="#1f4e79"/>')
        shown.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(name)} {rank:.2f}</text>')
    apart = found.critical_difference
    shown.append(f'<path d="M{LEFT} {bottom}H{x(1 + apart):.1f}" stroke="black" stroke-width="2"/>')
    shown.append(f'<text x="{x(1 + apart) + 6:.1f}" y="{bottom + 4}">critical difference {apart:.2f}</text>')
    return "\n".join([*shown, "</svg>\n"])


def _opened(title: str, height: int) -> list[str]:
    """The beginning of a figure: its size, its name for those who do not see it, its title."""
    size = f'width="{LEFT + WIDTH + RIGHT}" height="{height}"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" {FONT}>',
        f"<title>{escape(title)}</title>",
        f'<rect {size} fill="white"/>',
        f'<text x="8" y="16" font-weight="bold">{escape(title)}</text>',
    ]


def _limits(forest: Forest) -> tuple[float, float]:
    """All estimates and the band, and intervals up to twice as far."""
    values = np.array([*(value.value for value in forest.rows.values()), *(forest.band or ())])
    far = max(2 * float(np.abs(values - forest.middle).max(initial=0.0)), 1e-6)
    ends = [v for one in forest.rows.values() for v in (one.low, one.high) if np.isfinite(v)]
    low, high = min([forest.middle, *values, *ends]), max([forest.middle, *values, *ends])
    if forest.log:
        return low / 1.1, 1.1 * high  # room for a mark
    return max(low, forest.middle - far), min(high, forest.middle + far)


def _ticks(low: float, high: float, log: bool) -> list[float]:
    if log:
        return [k * 10.0**n for n in range(-2, 4) for k in (1, 2, 5) if low <= k * 10.0**n <= high]
    step = next(s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) / s <= 8)
    return [round(k * step, 1) for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]
