"""A panel in a real browser, moved and reset in quick succession: picture, readout and controls agree in the end.

However JupyterLab sends widgets' messages: to the kernel's main thread, to one subshell, or to one for every control.
"""

import time

import nbformat
import pytest

from mcmteach.widgets.panel import PAUSE
from tests.browser.lab import Lab

PANEL = """
import hashlib, time, ipywidgets
from mcmteach.widgets.panel import Panel
from mcmteach.widgets.picture import Picture, kept_figure, png

slow = 0.0

def draw(x, y):
    time.sleep(slow)
    figure, ax = kept_figure(300, 120)
    ax.plot([0, x], [0, y])
    ax.set(xlim=(0, 100), ylim=(0, 100))
    return Picture(png(figure), f"x is {x} and y is {y}.")

controls = {name: ipywidgets.IntSlider(20, 0, 100, description=name) for name in "xy"}
panel = Panel(draw, controls, title="Two numbers", alt="a line from 0, 0 to x, y")
panel
"""
START = {"x": 20, "y": 20}
HASH = """async image => {
    const bytes = await (await fetch(image.src)).arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return [...digest].map(byte => byte.toString(16).padStart(2, '0')).join(''); }"""


@pytest.fixture(scope="module", params=["disabled", "perCommTarget", "perComm"])
def page(request, browser, server):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(PANEL)], metadata=kernel)
    nbformat.write(notebook, server.folder / "two_numbers.ipynb")
    lab = Lab(page, server, seconds=60)
    lab.open("two_numbers.ipynb")
    lab.ask(f"kernel.commsOverSubshells = '{request.param}'; return true;", "comms go over subshells, or not")
    lab.run_all()
    yield page
    context.close()
    server.end_kernels()


@pytest.fixture(params=[0.0, 0.4], ids=["fast", "slow"])
def lab(request, page, server):
    lab = Lab(page, server, seconds=60)
    lab.run(f"globals().update(slow={request.param})")
    lab.run("panel.reset()")
    settle(lab, START)
    return lab


def shown(lab):
    """What the page shows: each slider's value and each slider's number, the readout, and the picture."""
    (panel,) = lab.panels()
    values = [int(handle.get_attribute("aria-valuetext")) for handle in panel.locator(".noUi-handle").all()]
    numbers = [int(number.inner_text()) for number in panel.locator(".widget-readout").all()]
    words = panel.locator(".mcm-readout").inner_text().strip()
    return values, numbers, words, panel.locator("img.mcm-picture").evaluate(HASH)


def settle(lab, state=None):
    """Wait until the page shows the kernel's state in every place, and this state if one is given, and stays there."""
    agreed = []

    def agree():
        if lab.panels()[0].locator(".mcm-error").count():
            raise AssertionError(lab.panels()[0].inner_text())
        now = lab.run("panel.state")
        x, y = values = list(now.values())
        picture = lab.run("hashlib.sha256(draw(**panel.state).png).hexdigest()")
        good = shown(lab) == (values, values, f"x is {x} and y is {y}.", picture) and state in (None, now)
        agreed[:] = [*agreed, now] if good else []
        return len(agreed) > 4

    try:
        lab.until(agree, f"picture, readout and controls show the same state ({state or 'any'})")
    except AssertionError as failure:
        failure.add_note(f"page: {shown(lab)}, kernel: {lab.run('panel.state')}")
        raise
    return lab.run("panel.state")


def drag(lab, to=0.8):
    """Drag the first slider by hand, in twenty steps."""
    (panel,) = lab.panels()
    panel.scroll_into_view_if_needed()
    handle, bar = panel.locator(".noUi-handle").first.bounding_box(), panel.locator(".noUi-target").first.bounding_box()
    lab.page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    lab.page.mouse.down()
    lab.page.mouse.move(bar["x"] + to * bar["width"], handle["y"] + handle["height"] / 2, steps=20)
    lab.page.mouse.up()


@pytest.mark.parametrize("seconds", [0, 0.2, 0.5])
def test_reset_wins_over_a_drag_however_soon_it_is_pressed(lab, seconds):
    for to in (0.9, 0.5):
        drag(lab, to)
        lab.page.wait_for_timeout(1000 * seconds)
        lab.panels()[0].get_by_role("button", name="Reset").click()
        settle(lab, START)


def test_a_drag_settles_where_the_hand_let_go_and_draws_a_few(lab):
    before, begun = lab.run("panel.drawn"), time.monotonic()
    for to in (0.3, 0.9, 0.1, 0.8):
        drag(lab, to)
    state = settle(lab)
    assert abs(state["x"] - 80) <= 3 and state["y"] == 20
    most = max(40, (time.monotonic() - begun) / PAUSE)  # where the hand is slowed, too, a pause is between two pictures
    assert lab.run("panel.drawn") - before < most, "of 80 moves"


def test_two_sliders_at_once_both_count(lab):
    handles = lab.panels()[0].locator(".noUi-handle")
    for _ in range(10):
        for number in (0, 1):
            handles.nth(number).press("ArrowRight")
    settle(lab, {"x": 30, "y": 30})


def test_reset_amid_two_moving_sliders_and_moves_after_it_count(lab):
    handles = lab.panels()[0].locator(".noUi-handle")
    for _ in range(5):
        for number in (0, 1):
            handles.nth(number).press("ArrowRight")
    lab.panels()[0].get_by_role("button", name="Reset").click()
    settle(lab, START)
    handles.nth(1).press("ArrowRight")
    settle(lab, {"x": 20, "y": 21})
