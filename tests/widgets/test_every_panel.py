"""What every panel of the course must do: each control moves it, nothing of the last picture is left, words say it all."""

import base64

import ipywidgets
import pytest

from mcmteach import widgets
from mcmteach.widgets.picture import forget_figures, still

PANELS = {name: getattr(widgets, name) for name in dir(widgets) if name.endswith("_panel")}
PNG = b"\x89PNG\r\n\x1a\n"


def another_value(control):
    """A value that the control does not have now."""
    if isinstance(control, ipywidgets.Dropdown | ipywidgets.ToggleButtons | ipywidgets.SelectionSlider):
        return next(value for value in control.options if value != control.value)
    if isinstance(control, ipywidgets.Checkbox):
        return not control.value
    return control.value + control.step if control.value + control.step <= control.max else control.value - control.step


@pytest.mark.parametrize("name", PANELS)
def test_each_control_of_each_panel_moves_it(name):
    panel = PANELS[name]()
    assert panel.error is None and panel.picture.png.startswith(PNG)
    assert panel.picture.text and len(panel.picture.text) < 600
    for key, control in panel.controls.items():
        before, drawn = panel.picture, panel.drawn
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
        slides = isinstance(control, ipywidgets.SelectionSlider)
        choices = [control.min, control.max] if hasattr(control, "max") else control.options
        for end in (choices[0], choices[-1]) if slides else choices:
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
        forget_figures()
        assert panel.draw(**state).png == picture, f"{state}: something is left of the picture before"


@pytest.mark.parametrize("name", PANELS)
def test_each_panel_can_be_used_without_seeing_it(name):
    panel = PANELS[name]()
    assert panel.image.tooltip and len(panel.image.tooltip) > 20  # what the picture shows
    assert all(getattr(control, "description", "") for control in panel.controls.values())
    text = panel.text()
    assert text.startswith(panel.title) and panel.picture.text in text
    for key in panel.state:
        assert f"  {key} = " in text


@pytest.mark.parametrize("name", PANELS)
def test_each_panel_has_a_static_form_of_a_fixed_size(name):
    panel = PANELS[name]()
    bundle, metadata = panel._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == still(panel.picture.png)
    width, height = (int.from_bytes(panel.picture.png[i : i + 4], "big") for i in (16, 20))
    assert (f"{width}px", f"{height}px") == (panel.image.layout.width, panel.image.layout.height)
    assert bundle["text/plain"] == panel.text()
    assert metadata == {"image/png": {"alt": panel.alt}} and len(panel.alt) > 20  # what the picture shows
