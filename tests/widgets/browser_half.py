"""The browser's half of ipywidgets, as far as it matters for the order of messages (@jupyter-widgets/base, 2.0.x).

What it keeps to: a model sends its changes at once, unless it still waits for the kernel's "idle" to its last message; then
it collects them and sends them together. An echo is taken unless the model has something newer on its way. A link copies a
value as soon as it comes in, and the model that it is copied to sends it like a change of its own. Clicks wait for nothing.
"""

from __future__ import annotations

import itertools
from collections import deque
from typing import Any

from comm.base_comm import BaseComm


class Wire(BaseComm):
    """A comm whose messages go to one browser."""

    browser: Browser

    def publish_msg(
        self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any
    ) -> None:
        self.browser.inbox.append((msg_type, self.comm_id, data, self.browser.answering))


class Model:
    """A widget's model in the browser."""

    def __init__(self, state: dict[str, Any]):
        self.state, self.pending, self.held, self.expected = state, False, {}, {}


class Browser:
    """Models by id, what the kernel has sent them, and what they have sent the kernel: a queue for each comm."""

    def __init__(self) -> None:
        self.models: dict[str, Model] = {}
        self.inbox: deque[tuple] = deque()
        self.outbox: dict[str, deque] = {}
        self.links: list[tuple[str, str, str, str]] = []
        self.answering: Any = None  # the number of the message that the kernel is at work on
        self._numbers = itertools.count()

    def receive(self) -> None:
        """Take in the oldest of the kernel's messages."""
        kind, id, data, parent = self.inbox.popleft()
        if kind == "comm_open":
            self.models[id] = Model(dict(data["state"]))
            if self.models[id].state["_model_name"] == "DirectionalLinkModel":
                (source, name), (target, copy) = (self.models[id].state[end] for end in ("source", "target"))
                self.links.append((source[10:], name, target[10:], copy))  # "IPY_MODEL_" and the id
        elif kind == "idle":
            model = self.models[id]
            model.pending = False
            if model.held:
                held, model.held = model.held, {}
                self._send(id, held)
        elif data["method"] == "update":
            self._set(id, data["state"])
        elif data["method"] == "echo_update":
            model, news = self.models[id], dict(data["state"])
            for name in [name for name in news if name in model.expected]:
                mine = model.expected[name] == parent
                if mine:
                    del model.expected[name]
                if not mine or name in model.held:
                    del news[name]
            self._set(id, news)

    def _set(self, id: str, news: dict[str, Any]) -> None:
        before = dict(self.models[id].state)
        self.models[id].state.update(news)
        for source, name, target, copy in self.links:
            if source == id and name in news and news[name] != before.get(name):
                self.change(target, copy, news[name])

    def change(self, id: str, name: str, value: Any) -> None:
        """A student, or a link, changes a model."""
        model = self.models[id]
        if model.state[name] == value:
            return
        model.state[name] = value
        if model.pending:
            model.held[name] = value
        else:
            self._send(id, {name: value})

    def _send(self, id: str, changes: dict[str, Any]) -> None:
        model, number = self.models[id], next(self._numbers)
        model.pending = True
        model.expected.update(dict.fromkeys(changes, number))
        self.outbox.setdefault(id, deque()).append((number, changes))

    def click(self, id: str) -> None:
        """A student presses a button."""
        self.outbox.setdefault(id, deque()).append((next(self._numbers), None))
