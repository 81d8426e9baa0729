"""Panels: pictures that answer to sliders.

A panel is a pure function and the wires around it. The function takes the state of the controls and gives a
:class:`~mcmteach.widgets.picture.Picture`; it can be tested, timed and read without a browser. The panel calls it whenever
a control moves and shows what comes back, in a fixed place, so that nothing flickers or jumps.

>>> import ipywidgets
>>> def square(x):
...     figure, ax = kept_figure()
...     ax.plot([0, x], [0, x**2])
...     return Picture(png(figure), f"The square of {x} is {x**2}.")
>>> panel = Panel(square, {"x": ipywidgets.IntSlider(3, 0, 9, description="x")}, title="Squares", alt="a line to x, x²")
>>> panel.controls["x"].value = 4
>>> print(panel)
Squares
  x = 4
The square of 4 is 16.

Messages from the browser come in several threads (JupyterLab sends them to subshells of the kernel), and late: ipywidgets
holds a slider's next value back until the kernel has answered the last one, but lets a press of Reset pass. So

- one lock guards the controls, the serial number of their state, and what is shown;
- a picture is drawn of a snapshot of the state, outside the lock and always in the thread that built the panel, one at a
  time; it is shown unless a later one is shown already or Reset was pressed in the meantime;
- each Reset has a number, which the browser sends back for every control, after whatever it had to send before. Until then
  what it says of that control was on its way when Reset was pressed, and is undone.
"""

from __future__ import annotations

import asyncio
import base64
import html
import threading
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from mcmteach.errors import InvalidInputError, missing
from mcmteach.widgets.picture import Picture, kept_figure, png, still

try:
    import ipywidgets
    import traitlets
except ImportError as problem:
    raise missing(f"Panels need {problem.name}.", "lessons") from None

__all__ = ["Panel", "Picture", "TextForm", "ipywidgets", "kept_figure", "png"]

# ipywidgets' sliders have no accessible name, and say the place of the handle where the number beside it is meant: a script of
# the page gives them the label and the number that one sees. (A picture without a source is how a widget gets a script to run.)
NAME_SLIDERS = """<img hidden alt="" src="data:," onerror="
    const panel = this.closest('.mcm-panel');
    const name = () => panel.querySelectorAll('.widget-slider').forEach(slider => {
        const handle = slider.querySelector('.noUi-handle');
        handle?.setAttribute('aria-label', slider.querySelector('.widget-label').textContent);
        handle?.setAttribute('aria-valuetext', slider.querySelector('.widget-readout').textContent); });
    new MutationObserver(name).observe(panel, {childList: true, subtree: true, characterData: true});
    name();">"""
# Seconds between two pictures while a control moves: the moves in between are not drawn.
PAUSE = 0.1


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

    alt = ""  #: what the static picture shows, for those who cannot see it

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}  # type: ignore[attr-defined]
        data = {"text/plain": self.text(), **self.static(), "application/vnd.jupyter.widget-view+json": view}
        return data, {"image/png": {"alt": self.alt}} if self.alt else {}


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
    controls : {name: an ipywidgets control with a value}
    title : what the panel is called
    alt : what the picture shows, for those who cannot see it
    width, height : of the picture, in pixels

    Attributes
    ----------
    picture : the Picture that is shown
    shown : the state that it belongs to
    error : the exception of the last attempt to draw, or None. It is shown in the panel too
    drawn : how many pictures were shown
    resets : how often Reset was pressed
    loop : the event loop in which pictures are drawn; None where there was none, and a move is drawn at once
    """

    resets = traitlets.Int(0).tag(sync=True)

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
        self.draw, self.controls, self.title, self.alt = draw, dict(controls), title, alt
        self.error: BaseException | None = None
        self.picture = Picture(b"", "")
        self.drawn = 0
        self._lock = threading.RLock()
        self.loop = _running_loop()
        self._start = self.shown = self.state
        self._serial = 0  # of the state
        self._oldest = 0  # the first state whose picture may still be shown
        self._due = self._resetting = False
        self._earliest = 0.0  # when the next picture may be drawn

        # on a narrow page the picture shrinks inside its place, and keeps its shape
        size = {"width": f"{width}px", "height": f"{height}px", "flex": "0 0 auto", "max_width": "100%"}
        size |= {"object_fit": "contain", "object_position": "left top"}
        self.image = _Image(format="png", width=width, height=height, tooltip=alt, layout=size)
        self.image.add_class("mcm-picture")
        self.readout = ipywidgets.HTML()
        self.readout.add_class("mcm-readout")
        button = ipywidgets.Button(description="Reset", tooltip="back to the start", icon="undo")
        button.on_click(lambda _: self.reset())
        heading = ipywidgets.HTML(f"<b>{html.escape(title)}</b>{NAME_SLIDERS}")
        wrap = ipywidgets.Layout(flex_flow="row wrap")
        row = ipywidgets.HBox([*self.controls.values()], layout=wrap)
        super().__init__([heading, row, button, self.image, self.readout])
        self.add_class("mcm-panel")
        for control in self.controls.values():
            self._wire(control)
        self.redraw()

    @property
    def state(self) -> dict[str, Any]:
        """The value of each control, by name."""
        return {name: control.value for name, control in self.controls.items()}

    def reset(self) -> None:
        """Put every control back to where it started."""
        with self._lock:
            self._resetting = True
            for name, value in self._start.items():
                self.controls[name].value = value
            self._resetting = False
            self.resets += 1  # after the values, so that the browser has them when it sends the number back
            self._oldest = self._serial + 1
            self._moved()

    def redraw(self) -> None:
        """Draw the present state now. An exception is kept in ``error``, shown in the panel, and raised again."""
        with self._lock:
            serial, state = self._serial, self.state
        picture, error = Picture(b"", ""), None
        try:
            picture = self.draw(**state)
            if not isinstance(picture, Picture):
                raise InvalidInputError(f"{self.draw.__name__} gave a {type(picture).__name__} and not a Picture.")
        except Exception as problem:
            error = problem
        with self._lock:
            if serial < self._oldest:
                return
            self._oldest, self.shown, self.error = serial, state, error
            if error is None:
                self.drawn += 1
                self.picture = picture
                self.image.value = picture.png
                self.readout.value = _lines(picture.text)
            else:
                trace = html.escape("".join(traceback.format_exception(error)))
                self.readout.value = f"<b>This picture could not be drawn.</b><pre class='mcm-error'>{trace}</pre>"
        if error is not None:
            raise error

    def text(self) -> str:
        with self._lock:
            moves = [f"  {name} = {_show(value)}" for name, value in self.shown.items()]
            seen = self.picture.text if self.error is None else f"ERROR {type(self.error).__name__}: {self.error}"
            return "\n".join([self.title, *moves, seen])

    def static(self) -> dict[str, str]:
        return {"image/png": base64.b64encode(still(self.picture.png)).decode()}

    # --- wires -------------------------------------------------------------------------------------------------------

    def _wire(self, control: Any) -> None:
        """Let a control move the picture, and track the last Reset that its browser side has received."""
        control.style.description_width = "12em"
        control.layout.width = "30em"
        control.tooltip = control.description  # without one, the browser's half of ipywidgets writes "null"
        control.add_traits(heard=traitlets.Int(0).tag(sync=True))
        ipywidgets.jsdlink((self, "resets"), (control, "heard"))
        control.set_state = partial(self._receive, control, control.set_state)
        control.observe(lambda _: self._moved(), names="value")

    def _receive(self, control: Any, accept: Callable[[dict[str, Any]], None], message: dict[str, Any]) -> None:
        """What the browser says of a control; whatever it says besides or before the number of the last Reset is undone."""
        with self._lock:
            late = [] if control.heard == self.resets else [key for key in message if key != "heard"]
            accept({key: value for key, value in message.items() if key not in late})
            if late:
                control.send_state(late)

    def _moved(self) -> None:
        """Draw soon where an event loop runs (in Jupyter), so that a burst of moves costs few pictures; else at once."""
        with self._lock:
            self._serial += 1
            if self._resetting:
                return
            soon = self.loop is not None and self.loop.is_running()
            due, self._due = self._due and soon, soon
        if not soon:
            self.redraw()
        elif not due:
            self.loop.call_soon_threadsafe(self._draw_soon)  # type: ignore[union-attr]

    def _draw_soon(self) -> None:
        assert self.loop is not None
        wait = max(0.0, self._earliest - self.loop.time())  # the loop of Pyodide refuses the past
        self.loop.call_later(wait, self._draw_due)

    def _draw_due(self) -> None:
        assert self.loop is not None
        with self._lock:
            self._due = False
        try:
            self.redraw()
        except Exception:  # no caller to raise it to: the panel shows it, and keeps it in ``error``
            assert self.error is not None
        self._earliest = self.loop.time() + PAUSE


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _lines(text: str) -> str:
    """Plain text as HTML that a screen reader announces when it changes."""
    rows = "<br>".join(html.escape(line) for line in text.splitlines())
    return f'<div role="status" aria-live="polite" style="line-height: 1.5; font-size: 14px">{rows}</div>'


def _show(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
