"""What a panel shows, a :class:`Picture`, and the figures that pictures are drawn on."""

from __future__ import annotations

import io
import threading
from typing import Any, NamedTuple

import numpy as np

from mcmteach.errors import missing

try:
    from matplotlib import get_data_path
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox
    from PIL import Image, ImageDraw, ImageFont  # a dependency of matplotlib
except ImportError as problem:
    raise missing(f"Panels need {problem.name}.", "lessons") from None

DPI = 100
STILL = "A still picture: run the cells above, then this one, for sliders."


class Picture(NamedTuple):
    """A PNG, and in words what is to be seen on it (plain text, line by line)."""

    png: bytes
    text: str


class _Kept(threading.local):
    """The figures of this thread, by their size and layout. No other thread ever sees them."""

    def __init__(self) -> None:
        self.figures: dict[Any, tuple[Any, Any]] = {}


_kept = _Kept()


def kept_figure(width: int = 640, height: int = 400, columns: int = 1, **adjust: float) -> tuple[Any, Any]:
    """An empty figure of this size in pixels, with its axes. It lives outside pyplot, so nothing needs to be closed.

    The margins are fixed: a layout engine would take longer than the rest of the drawing, and make the axes jump. The next
    call with the same numbers from the same thread gives the same figure, wiped: axes and their ticks take long to build
    and to throw away. So take the :func:`png` of a figure before you ask for another one.
    """
    key = (width, height, columns, *adjust.items())
    if key not in _kept.figures:
        figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI)
        figure.subplots_adjust(**{"left": 0.1, "right": 0.97, "bottom": 0.14, "top": 0.91, "wspace": 0.28, **adjust})
        _kept.figures[key] = figure, figure.subplots(1, columns)
    figure, axes = _kept.figures[key]
    own = list(np.ravel(axes))
    for guest in [ax for ax in figure.axes if ax not in own]:  # a colour bar, which gives back the place that it took
        guest.remove()
    for artist in (*figure.legends, *figure.texts):
        artist.remove()
    for ax in own:
        _wipe(ax)
    return figure, axes


def forget_figures() -> None:
    """Drop this thread's figures: the next ones are new."""
    _kept.figures.clear()


def _wipe(ax: Any) -> None:
    """As ``ax.clear()``, except that the ticks are kept for the next picture."""
    for artist in (*ax.lines, *ax.collections, *ax.patches, *ax.images, *ax.texts):
        artist.remove()
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    ax.set(xscale="linear", yscale="linear", title="", xlabel="", ylabel="", aspect="auto", prop_cycle=None)
    ax.set_box_aspect(None)
    ax.set_axis_on()
    ax.dataLim.set(Bbox.null())
    ax.ignore_existing_data_limits = True
    ax.set_xlim(0, 1, auto=True)
    ax.set_ylim(0, 1, auto=True)


def png(figure: Any) -> bytes:
    """The figure as the bytes of a PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, pil_kwargs={"compress_level": 1})
    return buffer.getvalue()


def still(picture: bytes) -> bytes:
    """The PNG that is shown where no panel runs, with a line below it that says how to get one."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    taller = Image.new("RGB", (image.width, image.height + 28), "white")
    taller.paste(image)
    font = ImageFont.truetype(f"{get_data_path()}/fonts/ttf/DejaVuSans-Oblique.ttf", 14)
    ImageDraw.Draw(taller).text((10, image.height + 4), STILL, fill="#333333", font=font)
    buffer = io.BytesIO()
    taller.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()
