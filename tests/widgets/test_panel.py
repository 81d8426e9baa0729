"""The panel's core without a browser: what is shown belongs to the controls, whatever order and thread messages come in."""

import asyncio
import threading
import time

import comm
import ipywidgets
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from mcmteach.errors import InvalidInputError
from mcmteach.widgets.panel import PAUSE, Panel
from mcmteach.widgets.picture import Picture
from tests.widgets.browser_half import Browser, Wire

PNG = b"\x89PNG\r\n\x1a\n"
START = {"x": 3, "kind": "a"}


def echo(**state):
    return Picture(PNG + str(state).encode(), f"{state}")


def small_panel(draw=echo):
    controls = {
        "x": ipywidgets.IntSlider(3, 0, 200, description="x"),
        "kind": ipywidgets.Dropdown(options=["a", "b"], description="kind"),
    }
    return Panel(draw, controls, title="Echo", alt="nothing to see")


async def until(happened, rounds=6000):
    """Let the event loop turn until it has happened; a busy machine turns it later, not less often."""
    for _ in range(rounds):
        if happened():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"not in {rounds} rounds of the event loop")


# --- messages in any order ---------------------------------------------------------------------------------------------


class SlowLoop:
    """An event loop that does the next thing when it is told to."""

    def __init__(self):
        self.jobs = []

    def is_running(self):
        return True

    def time(self):
        return 0.0

    def call_soon_threadsafe(self, job):
        self.jobs.append(job)

    def call_later(self, wait, job):
        assert wait >= 0
        self.jobs.append(job)


class PanelAndBrowser(RuleBasedStateMachine):
    """A student moves and presses, messages travel, the kernel handles one comm or another, and pictures are drawn."""

    @initialize()
    def open(self):
        self.browser, create = Browser(), comm.create_comm
        comm.create_comm = type("Wired", (Wire,), {"browser": self.browser})
        try:
            self.panel = small_panel(self.draw_in_the_midst_of_messages)
        finally:
            comm.create_comm = create
        self.panel.loop = self.loop = SlowLoop()
        self.during = 0
        self.ids = {name: control.model_id for name, control in self.panel.controls.items()}
        self.keys = {"x": "value", "kind": "index"}
        self.button = next(child for child in self.panel.children if isinstance(child, ipywidgets.Button))
        while self.browser.inbox:
            self.browser.receive()
        self.last = None  # what the student did last, if it must win

    def draw_in_the_midst_of_messages(self, **state):
        waiting, self.during = getattr(self, "during", 0), 0
        for _ in range(waiting):
            if self.travelling():
                self.handle(self.travelling()[0])
        return echo(**state)

    def travelling(self):
        return [id for id, queue in self.browser.outbox.items() if queue]

    def quiet(self):
        return not self.travelling() and not self.browser.inbox

    def handle(self, id):
        """The kernel takes the oldest message of a comm."""
        number, changes = self.browser.outbox[id].popleft()
        self.browser.answering = number
        if changes is None:
            self.button.click()
        else:
            next(control for control in self.panel.controls.values() if control.model_id == id).set_state(changes)
        self.browser.answering = None
        if changes is not None:
            self.browser.inbox.append(("idle", id, None, number))

    @rule(x=st.integers(0, 200))
    def move(self, x):
        self.last = ("x", x) if self.quiet() else None
        self.browser.change(self.ids["x"], "value", x)

    @rule(index=st.integers(0, 1))
    def choose(self, index):
        self.last = None
        self.browser.change(self.ids["kind"], "index", index)

    @rule()
    def press_reset(self):
        self.last = "reset"
        self.browser.click(self.button.model_id)

    @precondition(lambda self: self.travelling())
    @rule(data=st.data())
    def kernel_handles_one(self, data):
        self.handle(data.draw(st.sampled_from(self.travelling())))

    @precondition(lambda self: self.browser.inbox)
    @rule()
    def browser_receives_one(self):
        self.browser.receive()

    @precondition(lambda self: self.loop.jobs)
    @rule(messages=st.integers(0, 3))
    def loop_goes_on(self, messages):
        self.during = messages
        self.loop.jobs.pop(0)()

    @invariant()
    def picture_and_readout_belong_together(self):
        if not hasattr(self, "panel"):
            return
        assert self.panel.image.value == self.panel.picture.png == echo(**self.panel.shown).png
        assert self.panel.text().endswith(self.panel.picture.text)

    @precondition(lambda self: self.last is not None)
    @rule()
    def settle(self):
        while not self.quiet() or self.loop.jobs:
            for id in self.travelling():
                self.handle(id)
            while self.browser.inbox:
                self.browser.receive()
            if self.loop.jobs:
                self.loop.jobs.pop(0)()
        state = self.panel.state
        assert self.panel.picture == echo(**state), "the picture is that of the controls"
        seen = {name: self.browser.models[id].state[self.keys[name]] for name, id in self.ids.items()}
        assert seen == {"x": state["x"], "kind": "ab".index(state["kind"])}, "the browser shows the same"
        if self.last == "reset":
            assert state == START, "Reset wins over what was on its way"
        else:
            assert state["x"] == self.last[1], "a move that nothing was in the way of counts"


PanelAndBrowser.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestMessagesInAnyOrder = PanelAndBrowser.TestCase


def test_a_reset_that_forgets_what_is_on_its_way_is_found():
    """The state machine can fail: a panel that takes every message is caught."""

    class Careless(PanelAndBrowser):
        @initialize()
        def open(self):
            super().open()
            for control in self.panel.controls.values():
                control.set_state = control.set_state.args[1]

    once = settings(PanelAndBrowser.TestCase.settings, database=None, phases=[Phase.generate], max_examples=1000)
    with pytest.raises(AssertionError, match="Reset wins"):
        run_state_machine_as_test(Careless, settings=once)


def test_threads_that_move_and_reset_at_once_end_in_one_state():
    def slow(**state):
        time.sleep(0.002)
        return echo(**state)

    panel = small_panel(slow)

    def moves():
        for x in range(60):
            panel.controls["x"].set_state({"value": x, "heard": panel.resets})

    def choices():
        for index in range(60):
            panel.controls["kind"].set_state({"index": index % 2, "heard": panel.resets})

    def resets():
        for _ in range(20):
            panel.reset()

    threads = [threading.Thread(target=target) for target in (moves, choices, resets, panel.redraw)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert panel.error is None
    assert panel.picture == echo(**panel.state) and panel.image.value == panel.picture.png
    panel.reset()
    assert panel.state == START and panel.picture == echo(**START)


def test_a_picture_that_was_begun_before_a_reset_is_dropped():
    pressed = []

    def draw(**state):
        if state["x"] == 9 and not pressed:
            pressed.append(True)
            panel.reset()  # another thread's, while this picture is drawn
        return echo(**state)

    panel = small_panel(draw)
    panel.controls["x"].value = 9
    assert pressed and panel.state == START and panel.picture == echo(**START)


def test_a_burst_of_moves_settles_on_the_last_and_draws_a_few():
    def slow(**state):
        time.sleep(0.05)
        return echo(**state)

    async def burst():
        panel = small_panel(slow)
        start, begun = panel.drawn, time.monotonic()

        def moves():  # a subshell's thread: 200 moves in 2 s, whatever the main thread is doing
            for x in range(1, 201):
                panel.controls["x"].set_state({"value": x})
                time.sleep(0.01)

        await asyncio.to_thread(moves)
        await until(lambda: panel.shown["x"] == 200)
        return panel, panel.drawn - start, time.monotonic() - begun

    panel, drawn, seconds = asyncio.run(burst())
    assert panel.picture == echo(x=200, kind="a")
    assert 2 < drawn <= 1 + seconds / PAUSE, "some pictures on the way; 25 for 200 moves, unless the moves take longer"


def test_pictures_are_drawn_in_the_thread_that_built_the_panel():
    threads = []

    def draw(**state):
        threads.append(threading.current_thread())
        return echo(**state)

    async def move():
        panel = small_panel(draw)
        for x in (7, 8):
            await asyncio.to_thread(panel.controls["x"].set_state, {"value": x})
            await until(lambda x=x: panel.shown["x"] == x)
        return panel

    assert asyncio.run(move()).picture == echo(x=8, kind="a")
    assert threads == [threading.main_thread()] * 3


# --- the machinery ---------------------------------------------------------------------------------------------------


def test_a_panel_shows_what_its_function_gives():
    panel = small_panel()
    panel.controls["x"].value = 7
    assert panel.state == {"x": 7, "kind": "a"}
    assert panel.image.value == panel.picture.png == echo(**panel.state).png
    assert "kind" in panel.readout.value
    assert repr(panel) == "Echo\n  x = 7\n  kind = a\n{'x': 7, 'kind': 'a'}"
    drawn = panel.drawn
    panel.reset()
    assert panel.state == START and panel.drawn == drawn + 1
    assert "mcm-panel" in panel._dom_classes


def test_an_exception_is_shown_raised_and_forgotten_when_it_is_over():
    def picky(x, kind):
        if x > 5:
            raise ValueError("x is <too> large")
        return echo(x=x)

    panel = small_panel(picky)
    with pytest.raises(ValueError, match="too"):
        panel.controls["x"].value = 6
    assert isinstance(panel.error, ValueError)
    assert "x is &lt;too&gt; large" in panel.readout.value
    assert panel.text().endswith("ERROR ValueError: x is <too> large")
    panel.controls["x"].value = 2
    assert panel.error is None and "too" not in panel.readout.value


def test_a_function_that_gives_no_picture_is_refused():
    with pytest.raises(InvalidInputError, match="not a Picture"):
        small_panel(lambda **state: "a string")


def test_an_exception_in_the_event_loop_is_shown_and_kept():
    async def fail():
        panel = small_panel(lambda x, kind: echo(x=x) if x == 3 else 1 / 0)
        panel.controls["x"].value = 4
        await until(lambda: panel.error is not None)
        return panel

    panel = asyncio.run(fail())
    assert isinstance(panel.error, ZeroDivisionError) and "ZeroDivisionError" in panel.readout.value
    with pytest.raises(ZeroDivisionError):  # the loop is over: from now on a move is drawn at once
        panel.controls["x"].value = 5
