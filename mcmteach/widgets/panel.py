"""Panels: pictures that answer to sliders.

A panel is a pure function and the wires around it. The function takes the state of the controls and gives a
:class:`Picture`, a PNG and a sentence about it; it can be tested, timed and read without a browser. The panel calls it
whenever a control moves and shows what comes back, in a fixed place, so that nothing flickers or jumps.

>>> import ipywidgets
>>> def square(x):
...     figure, ax = new_figure()
...     ax.plot([0, x], [0, x**2])
...     return Picture(png(figure), f"The square of {x} is {x**2}.")
>>> panel = Panel(square, {"x": ipywidgets.IntSlider(3, 0, 9, description="x")}, title="Squares", alt="a line to x, x²")
>>> panel.controls["x"].value = 4
>>> print(panel)
Squares
  x = 4
The square of 4 is 16.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import html
import io
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from mcmteach.errors import InvalidInputError, MissingExtraError

try:
    import ipywidgets
    import traitlets
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox
except ImportError as problem:
    raise MissingExtraError(f'Panels need {problem.name}. Install it with: pip install "mcmteach[lessons]"') from None

# A figure is full of cycles, so the collector runs often; it need not walk through all modules each time, which takes as
# long as drawing the picture.
gc.collect()
gc.freeze()

DPI = 100
# While a control moves, at most one picture is drawn in this many seconds; the moves in between are not queued.
PAUSE = 0.02


class Picture(NamedTuple):
    """What a panel shows: a PNG, and in words what is to be seen on it (plain text, line by line)."""

    png: bytes
    text: str


def new_figure(width: int = 640, height: int = 400, columns: int = 1, **adjust: float) -> tuple[Any, Any]:
    """An empty figure of so many pixels with its axes. It lives outside pyplot, so nothing needs to be closed.

    The margins are fixed: a layout engine would take longer than the rest of the drawing, and make the axes jump. The next
    call with the same numbers gives the same figure, wiped: axes and their ticks take long to build and to throw away. So
    take the :func:`png` of a figure before you ask for another one.
    """
    figure, axes = _kept_figure(width, height, columns, tuple(adjust.items()))
    own = list(np.ravel(axes))
    for guest in [ax for ax in figure.axes if ax not in own]:  # a colour bar, which gives back the place that it took
        guest.remove()
    for artist in (*figure.legends, *figure.texts):
        artist.remove()
    for ax in own:
        _wipe(ax)
    return figure, axes


@cache
def _kept_figure(width: int, height: int, columns: int, adjust: tuple[tuple[str, float], ...]) -> tuple[Any, Any]:
    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI)
    figure.subplots_adjust(**{"left": 0.1, "right": 0.97, "bottom": 0.14, "top": 0.91, "wspace": 0.28, **dict(adjust)})
    return figure, figure.subplots(1, columns)


def _wipe(ax: Any) -> None:
    """What ``ax.clear()`` does, but for the ticks: they stay for the next picture."""
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


class TextForm:
    """A widget with a form for where no widget runs: a text that tests compare, and a static picture or page."""

    def text(self) -> str:
        """The state in words."""
        raise NotImplementedError

    def static(self) -> dict[str, str]:
        """What else to show instead of the widget, by MIME type."""
        return {}

    def __repr__(self) -> str:
        return self.text()

    __str__ = __repr__

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}  # type: ignore[attr-defined]
        return {"text/plain": self.text(), **self.static(), "application/vnd.jupyter.widget-view+json": view}


class _Image(ipywidgets.Image):
    """An image that may have a tooltip, which screen readers read out.

    The browser's half of ipywidgets shows a tooltip only where a description is empty, and fails where there is none.
    """

    description = traitlets.Unicode("").tag(sync=True)


class Panel(TextForm, ipywidgets.VBox):
    """Controls, a picture and a readout.

    Parameters
    ----------
    draw : function of the controls' values, by name, that gives a Picture. It must depend on nothing else
    controls : {name: an ipywidgets control}. A Button's value is how often it was pressed
    title : what the panel is called
    alt : what the picture shows, for those who cannot see it
    width, height : of the picture, in pixels

    Attributes
    ----------
    picture : the Picture that is shown
    error : the exception of the last attempt to draw, or None. It is shown in the panel too
    drawn : how many pictures were drawn
    """

    def __init__(
        self,
        draw: Callable[..., Picture],
        controls: Mapping[str, Any],
        *,
        title: str,
        alt: str,
        width: int = 640,
        height: int = 400,
    ):
        self.draw, self.controls, self.title = draw, dict(controls), title
        self.error: BaseException | None = None
        self.picture = Picture(b"", "")
        self.drawn = 0
        self._clicks = {name: 0 for name, control in self.controls.items() if isinstance(control, ipywidgets.Button)}
        self._start = self.state
        self._due: Any = None

        # on a narrow page the picture shrinks inside its place, and keeps its shape
        size = {"width": f"{width}px", "height": f"{height}px", "flex": "0 0 auto", "max_width": "100%"}
        size |= {"object_fit": "contain", "object_position": "left top"}
        self._image = _Image(format="png", width=width, height=height, tooltip=alt, layout=size)
        self._image.add_class("mcm-picture")
        self._readout = ipywidgets.HTML()
        self._readout.add_class("mcm-readout")
        self._reset = ipywidgets.Button(description="Reset", tooltip="back to the start", icon="undo")
        self._reset.on_click(lambda _: self.reset())
        for name, control in self.controls.items():
            self._wire(name, control)
        heading = ipywidgets.HTML(f"<b>{html.escape(title)}</b>")
        super().__init__([heading, *self._rows(), self._image, self._readout])
        self.add_class("mcm-panel")
        self.redraw()

    @property
    def state(self) -> dict[str, Any]:
        """The value of each control, by name."""
        return {n: self._clicks.get(n, getattr(control, "value", None)) for n, control in self.controls.items()}

    def reset(self) -> None:
        """Put every control back to where it started."""
        self._clicks = dict.fromkeys(self._clicks, 0)
        for name, value in self._start.items():
            if name not in self._clicks:
                self.controls[name].value = value
        self._moved()

    def redraw(self) -> None:
        """Draw the present state now. An exception is kept in ``error``, shown in the panel, and raised again."""
        self._cancel()
        try:
            self.picture, self.error = self.draw(**self.state), None
            if not isinstance(self.picture, Picture):
                raise InvalidInputError(f"{self.draw.__name__} gave a {type(self.picture).__name__} and not a Picture.")
            self.drawn += 1
            self._image.value = self.picture.png
            self._readout.value = _lines(self.picture.text)
        except Exception as problem:
            self.error = problem
            trace = "".join(traceback.format_exception(problem))
            self._readout.value = (
                f"<b>This picture could not be drawn.</b><pre class='mcm-error'>{html.escape(trace)}</pre>"
            )
            raise

    def text(self) -> str:
        moves = [f"  {name} = {_show(value)}" for name, value in self.state.items()]
        if self.error is not None:
            return "\n".join([self.title, *moves, f"ERROR {type(self.error).__name__}: {self.error}"])
        return "\n".join([self.title, *moves, self.picture.text])

    def static(self) -> dict[str, str]:
        return {"image/png": base64.b64encode(self.picture.png).decode()}

    # --- wires -------------------------------------------------------------------------------------------------------

    def _wire(self, name: str, control: Any) -> None:
        if name in self._clicks:
            control.on_click(lambda _: self._pressed(name))
            return
        control.observe(lambda _: self._moved(), names="value")
        control.style.description_width = "12em"
        control.layout.width = "30em"

    def _rows(self) -> list[Any]:
        sliders = [control for name, control in self.controls.items() if name not in self._clicks]
        buttons = [self.controls[name] for name in self._clicks]
        wrap = ipywidgets.Layout(flex_flow="row wrap")
        return [ipywidgets.HBox(sliders, layout=wrap), ipywidgets.HBox([*buttons, self._reset], layout=wrap)]

    def _pressed(self, name: str) -> None:
        self._clicks[name] += 1
        self._moved()

    def _moved(self) -> None:
        """Draw soon where an event loop runs (in Jupyter), so that a burst of moves costs one picture; else at once."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.redraw()
            return
        if self._due is None:
            self._due = loop.call_later(PAUSE, self._draw_due)

    def _draw_due(self) -> None:
        try:
            self.redraw()
        except Exception:  # nobody to raise it to: the panel shows it, and keeps it in ``error``
            assert self.error is not None

    def _cancel(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


def _lines(text: str) -> str:
    """Plain text as HTML that a screen reader announces when it changes."""
    rows = "<br>".join(html.escape(line) for line in text.splitlines())
    return f'<div role="status" aria-live="polite" style="line-height: 1.5; font-size: 14px">{rows}</div>'


def _show(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
