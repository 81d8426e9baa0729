"""The browser tests can fail: notebooks with planted faults, and what the machinery says about each.

Faulty panels are made of plain ipywidgets. A good one cannot be: a slider's late value may overtake the press of Reset, which
is why there is a Panel.
"""

import json

import nbformat
import pytest

from tests.browser.lab import Lab, picture_of_failure

GOOD = """
from mcmteach.widgets.panel import Panel, Picture, ipywidgets as w, kept_figure, png

def square(x):
    figure, ax = kept_figure()
    ax.plot([0, x])
    return Picture(png(figure), f"{{x}} squared is {{x * x}}")

Panel(square, {{"x": {control}}}, title="Squares", alt="a line")
"""
# What a Panel looks like to the browser. `move` and `reset` are what its slider and its button do.
FAULTY = """
import ipywidgets as w
from matplotlib.figure import Figure
import io

def png(x):
    figure, buffer = Figure(figsize=(2, 1)), io.BytesIO()
    figure.subplots().plot([0, x])
    figure.savefig(buffer, format="png")
    return buffer.getvalue()

image, readout = w.Image(value=png(3)), w.HTML("3 squared is 9")
image.add_class("mcm-picture"), readout.add_class("mcm-readout")
control, button = w.IntSlider(3, 0, 9, continuous_update=False), w.Button(description="Reset")

def draw(x):
    image.value = png(x)

def say(x):
    readout.value = f"{{x}} squared is {{x * x}}"

def move(change):
    {move}

def reset(button):
    {reset}

control.observe(move, names="value")
button.on_click(reset)
panel = w.VBox([w.HTML("<b>Squares</b>"), control, button, image, readout])
panel.add_class("mcm-panel")
panel
"""
MOVE = "draw(change.new); say(change.new)"
RESET = "control.value = 3"
SHOW_ERROR = "draw(change.new); readout.value = '<pre class=\"mcm-error\">Oh dear</pre>'"
EXERCISE = [
    "def check(answer):\n    print('well done' if answer(3) == 9 else 'hint: multiply it by itself')",
    "def square(x):\n    raise NotImplementedError  # your answer",
    "check(square)",
]


@pytest.fixture(scope="module")
def page(browser, server):
    """One page with an empty notebook for all tests of this file: a new one would take seconds every time."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    nbformat.write(as_notebook("pass"), server.folder / "planted.ipynb")
    Lab(page, server, seconds=60).open("planted.ipynb")
    yield page
    context.close()
    server.end_kernels()


@pytest.fixture
def lab(page, server):
    return Lab(page, server, seconds=60)


@pytest.fixture
def notebook(lab):
    """Put these cells of code in the place of those that the notebook has."""

    def fill(*sources, **fields):
        lab.ask(
            f"panel.context.model.fromJSON({json.dumps(as_notebook(*sources, **fields))}); return true;", "new cells"
        )

    return fill


def as_notebook(*sources, **fields):
    cells = [nbformat.v4.new_code_cell(source, **fields) for source in sources]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=kernel)


CONTROLS = {
    "slider": "w.IntSlider(3, 0, 9)",
    "slider at its end": "w.IntSlider(3, 0, 3)",
    "drop-down at its end": "w.Dropdown(options=range(1, 4), value=3)",
    "buttons": "w.ToggleButtons(options=range(1, 4), value=3)",
}


@pytest.mark.parametrize("control", CONTROLS.values(), ids=CONTROLS)
def test_a_good_panel_passes(lab, notebook, control):
    notebook("1 + 1", GOOD.format(control=control), "")
    lab.run_all()
    (shown,) = lab.panels()
    lab.play(shown)


@pytest.mark.parametrize(
    ("move", "reset", "message"),
    [
        ("pass", RESET, "the readout of 'Squares' changes; it says '3 squared is 9'"),
        ("say(change.new)", RESET, "the picture of 'Squares' changes"),
        ("say(change.new); image.value = b'no picture' + bytes([change.new])", RESET, "the picture of 'Squares' can be seen"),
        (MOVE, "pass", "Reset brings back the readout of 'Squares', '3 squared is 9'"),
        (SHOW_ERROR, RESET, "'Squares' shows an error:\nOh dear"),
    ],
    ids=["dead", "stale picture", "broken picture", "no reset", "error"],
)  # fmt: skip
def test_a_faulty_panel_fails(lab, notebook, move, reset, message):
    notebook(FAULTY.format(move=move, reset=reset))
    lab.run_all()
    with pytest.raises(AssertionError) as failure:
        lab.play(lab.panels()[0], rounds=30)
    assert message in str(failure.value)


def test_a_cell_with_an_error_fails_and_says_which(lab, notebook):
    notebook("print('fine')", "fraction = 1 / 0", "print('never')")
    with pytest.raises(AssertionError, match=r"(?s)fraction = 1 / 0\n-> ZeroDivisionError: division by zero"):
        lab.run_all()


def test_an_error_that_a_cell_is_meant_to_show_passes(lab, notebook):
    notebook("1 / 0", "print('and on')", metadata={"tags": ["raises-exception"]})
    lab.run_all()


def test_stored_outputs_are_not_taken_for_new_ones(lab, notebook):
    """A cell that hangs, stored as if it had run: the number of its prompt is old."""
    notebook("import time; time.sleep(600)", execution_count=1)
    lab.start_all()
    with pytest.raises(AssertionError, match="in vain: the last cell of code gets its number"):
        Lab(lab.page, lab.server, seconds=0.5).wait_for_the_last_cell()
    lab.ask("await panel.sessionContext.session.kernel.interrupt(); return idle();", "the cell is interrupted")


def test_a_widget_that_does_not_appear_fails(lab, notebook):
    view = "{'application/vnd.jupyter.widget-view+json': {'version_major': 2, 'version_minor': 0, 'model_id': 'lost'}}"
    notebook(f"display({view}, raw=True)")
    lab.start_all()
    lab.wait_for_the_last_cell()
    with pytest.raises(AssertionError, match="every widget is shown"):
        Lab(lab.page, lab.server, seconds=3).check_every_widget_is_shown()


def test_a_widget_that_the_browser_cannot_draw_fails(lab, notebook):
    notebook(
        "import ipywidgets, traitlets\n"
        "class Broken(ipywidgets.HTML):\n"
        "    _view_name = traitlets.Unicode('NoSuchView').tag(sync=True)\n"
        "ipywidgets.VBox([ipywidgets.Label('fine'), Broken()])"
    )
    with pytest.raises(AssertionError, match="1 widgets, or parts of one, could not be drawn by the browser"):
        lab.run_all()


def test_a_page_that_hangs_is_given_up(browser, server):
    page = browser.new_page()
    with pytest.raises(AssertionError, match="Waited in vain: the end of time"):
        Lab(page, server, seconds=0.5).ask("while (true);", "the end of time")
    page.close()


def test_an_exercise_is_answered_by_typing(lab, notebook):
    notebook(*EXERCISE)
    answer = lab.cell_with(r"def square\(")
    assert answer == 1
    lab.run_cell(0)
    for source, reply in [("return 2 * x", "hint: multiply it by itself"), ("return x * x", "well done")]:
        lab.type_into_cell(answer, f"def square(x):\n    {source}")
        lab.run_cell(answer)
        assert reply in lab.run_cell(lab.cell_with("^check"))


def test_a_failure_leaves_a_picture_and_says_where(lab, notebook, tmp_path):
    notebook("1 + 1")
    with pytest.raises(AssertionError, match="oh") as failure, picture_of_failure(lab.page, "a/b [c]", tmp_path):
        raise AssertionError("oh")
    (path,) = tmp_path.glob("*.png")
    assert path.stat().st_size > 10_000
    assert failure.value.__notes__ == [f"What the browser showed: {path}"]
    assert path.name == "a_b_c_.png"
