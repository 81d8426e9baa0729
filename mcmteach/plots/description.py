"""Figures in words, for those who cannot see them.

The plotting functions know what they draw: :func:`described` notes the first line of their docstring for the axes that they
draw into. :func:`alt_text` makes a paragraph of these lines and of what is written on the figure. A figure that a cell shows
carries it as ``{"image/png": {"alt": ...}}`` in its output's metadata, where nbconvert looks for it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

P = ParamSpec("P")
R = TypeVar("R")
SIGNS = {r"\varphi": "φ", r"\sqrt": "√", r"\,": " "}  #: of TeX in titles and labels, as they are read out
_said: WeakKeyDictionary[Any, list[str]] = WeakKeyDictionary()  # by axes, or by figure
_inside: ContextVar[bool] = ContextVar("inside a plotting function", default=False)


def described(plot: Callable[P, R]) -> Callable[P, R]:
    """Let a plotting function say what it draws: the first line of its docstring goes into the figure's :func:`alt_text`."""

    @wraps(plot)
    def draw(*args: P.args, **kwargs: P.kwargs) -> R:
        if _inside.get():  # a part of another one's picture
            return plot(*args, **kwargs)
        token = _inside.set(True)
        try:
            drawn = plot(*args, **kwargs)
        finally:
            _inside.reset(token)
        lines, line = _said.setdefault(drawn, []), (plot.__doc__ or "").split("\n")[0]
        if line not in lines:
            lines.append(line)
        return drawn

    return draw


def alt_text(figure: Any) -> str:
    """A figure in words, for those who cannot see it: titles, what was drawn, what the axes and the marks mean."""
    words = [*_said.get(figure, [])]
    for ax in figure.axes:
        names = [text.get_text() for text in (ax.get_legend().get_texts() if ax.get_legend() else [])]
        across, upwards = ax.get_xlabel(), ax.get_ylabel()
        words += [
            ax.get_title(),
            *_said.get(ax, []),
            f"Across: {across}" if across else "",
            f"Upwards: {upwards}" if upwards else "",
            f"Legend: {', '.join(names)}" if names else "",
        ]
    for sign, letter in SIGNS.items():
        words = [word.replace(sign, letter) for word in words]
    plain = [" ".join(re.sub(r"[$\\{}`]", "", word).split()).rstrip(".") for word in words]
    return ". ".join([*filter(None, dict.fromkeys(plain)), ""]).strip()


def tell_jupyter() -> None:
    """Inside IPython: let every figure that a cell shows carry its :func:`alt_text`, as nbconvert and others look for it."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and (shell := ipython.get_ipython()) is not None:
        formatter = shell.display_formatter.mimebundle_formatter
        formatter.for_type_by_name("matplotlib.figure", "Figure", _alt_metadata)


def _alt_metadata(figure: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return {}, {"image/png": {"alt": alt_text(figure)}}
