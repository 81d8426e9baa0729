"""Panels without a browser: every control moves the picture, errors are seen, a burst of moves costs little work."""

import asyncio
import base64
import time

import ipywidgets
import pytest

from mcmteach import widgets as panels
from mcmteach.errors import InvalidInputError
from mcmteach.widgets import panel as widgets
from mcmteach.widgets.panel import Panel, Picture, new_figure, png
from mcmteach.widgets.quiz import Predict, Quiz

PANELS = {name: getattr(panels, name) for name in dir(panels) if name.endswith("_panel")}
PNG = b"\x89PNG\r\n\x1a\n"


def echo(**state):
    return Picture(PNG + str(state).encode(), f"{state}")


def small_panel(draw=echo):
    controls = {
        "x": ipywidgets.IntSlider(3, 0, 200, description="x"),
        "kind": ipywidgets.Dropdown(options=["a", "b"], description="kind"),
        "again": ipywidgets.Button(description="again"),
    }
    return Panel(draw, controls, title="Echo", alt="nothing to see")


def another_value(control):
    """A value that the control does not have now."""
    if isinstance(control, ipywidgets.Dropdown | ipywidgets.ToggleButtons | ipywidgets.SelectionSlider):
        return next(value for value in control.options if value != control.value)
    if isinstance(control, ipywidgets.Checkbox):
        return not control.value
    if isinstance(control, ipywidgets.FloatLogSlider):
        return (
            control.value * control.base**control.step
            if control.value < control.base**control.max
            else control.value / 2
        )
    return control.value + control.step if control.value + control.step <= control.max else control.value - control.step


# --- every panel of the course ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PANELS)
def test_each_control_of_each_panel_moves_it(name):
    panel = PANELS[name]()
    assert panel.error is None and panel.picture.png.startswith(PNG)
    assert panel.picture.text and len(panel.picture.text) < 600
    for key, control in panel.controls.items():
        before, drawn = panel.picture, panel.drawn
        if isinstance(control, ipywidgets.Button):
            control.click()
        else:
            control.value = another_value(control)
        assert panel.error is None, f"{key}: {panel.error!r}"
        assert panel.drawn > drawn, f"{key} is not wired"
        assert panel.picture.text != before.text or panel.picture.png != before.png, f"{key} changes nothing"
    panel.reset()
    assert panel.state == PANELS[name]().state
    assert panel.picture.text == PANELS[name]().picture.text


@pytest.mark.parametrize("name", PANELS)
def test_each_panel_survives_the_ends_of_its_controls(name):
    panel = PANELS[name]()
    for control in panel.controls.values():
        if isinstance(control, ipywidgets.FloatLogSlider):
            ends = [control.base**control.min, control.base**control.max]
        elif hasattr(control, "max"):
            ends = [control.min, control.max]
        else:
            ends = [value for value in getattr(control, "options", [])]
        for end in ends:
            control.value = end
            assert panel.error is None, f"{panel.state}: {panel.error!r}"


@pytest.mark.parametrize("name", PANELS)
def test_a_wiped_figure_shows_nothing_of_the_picture_before(name):
    panel = PANELS[name]()
    states = [panel.state]
    for key, control in panel.controls.items():
        options = getattr(control, "options", [])
        states += [panel.state | {key: value} for value in (options if len(options) < 6 else [another_value(control)])]
    wiped = [panel.draw(**state).png for state in states]
    for state, picture in zip(states, wiped, strict=True):
        widgets._kept_figure.cache_clear()
        assert panel.draw(**state).png == picture, f"{state}: something is left of the picture before"


@pytest.mark.parametrize("name", PANELS)
def test_each_panel_can_be_used_without_seeing_it(name):
    panel = PANELS[name]()
    assert panel._image.tooltip and len(panel._image.tooltip) > 20  # what the picture shows
    assert all(getattr(control, "description", "") for control in panel.controls.values())
    text = panel.text()
    assert text.startswith(panel.title) and panel.picture.text in text
    for key in panel.state:
        assert f"  {key} = " in text


@pytest.mark.parametrize("name", PANELS)
def test_each_panel_has_a_static_form_of_a_fixed_size(name):
    panel = PANELS[name]()
    bundle = panel._repr_mimebundle_()
    picture = base64.b64decode(bundle["image/png"])
    assert picture == panel.picture.png
    width, height = (int.from_bytes(picture[i : i + 4], "big") for i in (16, 20))
    assert (f"{width}px", f"{height}px") == (panel._image.layout.width, panel._image.layout.height)
    assert bundle["text/plain"] == panel.text()


# --- the machinery ---------------------------------------------------------------------------------------------------


def test_a_panel_shows_what_its_function_gives():
    panel = small_panel()
    panel.controls["x"].value = 7
    panel.controls["again"].click()
    assert panel.state == {"x": 7, "kind": "a", "again": 1}
    assert panel._image.value == panel.picture.png == echo(**panel.state).png
    assert "again" in panel._readout.value
    assert repr(panel) == "Echo\n  x = 7\n  kind = a\n  again = 1\n{'x': 7, 'kind': 'a', 'again': 1}"
    panel._reset.click()
    assert panel.state == {"x": 3, "kind": "a", "again": 0}
    assert "mcm-panel" in panel._dom_classes


def test_an_exception_is_shown_raised_and_forgotten_when_it_is_over():
    def picky(x, kind, again):
        if x > 5:
            raise ValueError("x is <too> large")
        return echo(x=x)

    panel = small_panel(picky)
    with pytest.raises(ValueError, match="too"):
        panel.controls["x"].value = 6
    assert isinstance(panel.error, ValueError)
    assert "x is &lt;too&gt; large" in panel._readout.value
    assert panel.text().endswith("ERROR ValueError: x is <too> large")
    panel.controls["x"].value = 2
    assert panel.error is None and "too" not in panel._readout.value


def test_an_exception_behind_a_button_is_kept_although_ipywidgets_swallows_it():
    panel = small_panel(lambda x, kind, again: echo(x=x) if again == 0 else 1 / 0)
    panel.controls["again"].click()  # raises nothing: ipywidgets logs it and goes on
    assert isinstance(panel.error, ZeroDivisionError)


def test_a_function_that_gives_no_picture_is_refused():
    with pytest.raises(InvalidInputError, match="not a Picture"):
        small_panel(lambda **state: "a string")


def test_a_burst_of_moves_settles_on_the_last_without_queueing():
    def slow(**state):
        time.sleep(0.05)
        return echo(**state)

    async def burst():
        panel = small_panel(slow)
        start, loop = panel.drawn, asyncio.get_running_loop()

        def moves():  # the browser's side: 200 moves in 2 s, whatever the kernel is doing
            for x in range(1, 201):
                loop.call_soon_threadsafe(setattr, panel.controls["x"], "value", x)
                time.sleep(0.01)

        await asyncio.to_thread(moves)
        await asyncio.sleep(0.3)
        return panel, panel.drawn - start

    panel, drawn = asyncio.run(burst())
    assert panel.picture == echo(x=200, kind="a", again=0)
    assert 5 < drawn < 80, "pictures on the way, but far fewer than moves"


def test_an_exception_in_the_event_loop_is_shown_and_kept():
    async def fail():
        panel = small_panel(lambda x, kind, again: echo(x=x) if x == 3 else 1 / 0)
        panel.controls["x"].value = 4
        await asyncio.sleep(0.1)
        return panel

    panel = asyncio.run(fail())
    assert isinstance(panel.error, ZeroDivisionError) and "ZeroDivisionError" in panel._readout.value


def test_figures_have_the_size_they_were_asked_for():
    figure, axes = new_figure(900, 300, columns=2)
    data = png(figure)
    assert len(axes) == 2
    assert [int.from_bytes(data[i : i + 4], "big") for i in (16, 20)] == [900, 300]


def test_a_figure_is_wiped_before_it_is_given_again():
    figure, ax = new_figure(300, 200, left=0.2)
    blank = png(figure)
    ax.plot([1, 10], [3, 50], label="a line")
    ax.imshow([[1, 2], [3, 4]])
    ax.fill([0, 1, 1], [0, 0, 1])
    ax.scatter([1], [2])
    ax.text(0.5, 0.5, "words")
    ax.legend()
    ax.set(xscale="log", xlabel="x", ylabel="y", title="title", ylim=(5, 6))
    ax.set_box_aspect(1)
    ax.axis("off")
    figure.colorbar(ax.images[0], ax=ax)
    figure.add_axes((0.6, 0.6, 0.2, 0.2))
    assert png(figure) != blank
    again, axes = new_figure(300, 200, left=0.2)
    assert again is figure and axes is ax and png(again) == blank
    assert new_figure(300, 200)[0] is not figure


# --- quizzes -----------------------------------------------------------------------------------------------------------

OPTIONS = [("two", False, "That is <b>too few</b>."), ("three", True, "Three, in general position.")]


def test_quiz_gives_the_reason_of_the_option_that_was_chosen():
    quiz = Quiz("How many?", OPTIONS)
    assert quiz.text() == "Quiz: How many?\n  A  two\n  B  three"
    quiz.buttons["A"].click()
    assert "Not quite: That is <b>too few</b>." in quiz._reason.value
    quiz.buttons["B"].click()
    assert quiz.text().endswith("You chose B. Right: Three, in general position.")
    assert "mcm-quiz" in quiz._dom_classes


def test_quiz_without_widgets_folds_its_reasons_away():
    page = Quiz("How many?", OPTIONS)._repr_mimebundle_()["text/html"]
    assert page.count("<details>") == 2 and "Three, in general position." in page


def test_quiz_refuses_questions_that_teach_nothing():
    for options in ([("a", True, "r"), ("b", True, "r")], [("a", False, "r")], [("a", True, ""), ("b", False, "r")]):
        with pytest.raises(InvalidInputError):
            Quiz("?", options)
    with pytest.raises(InvalidInputError, match="no option 'Z'"):
        Quiz("?", OPTIONS).choose("Z")


def test_predict_asks_before_it_reveals():
    asked = []
    box = Predict("How many?", lambda: asked.append(1) or "three")
    assert box.button.disabled and not asked
    with pytest.raises(InvalidInputError, match="guess first"):
        box.reveal()
    assert box.text() == "Predict: How many?"
    box.entry.value = "<four>"
    assert not box.button.disabled
    box.button.click()
    assert asked and "&lt;four&gt;" in box._shown.value and "three" in box._shown.value
    assert box.text() == "Predict: How many?\nYou said: <four>\nthree"


def test_predict_can_offer_options():
    box = Predict("How many?", "three", options=["2", "3"])
    box.guess("2")
    assert box.revealed == "three"
