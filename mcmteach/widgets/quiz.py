"""Questions inside a lesson: multiple choice with a reason for every option, and "predict first" boxes.

Both work offline and with the keyboard (Tab to an option, Enter or Space to choose it), and have a text form. Formulas
between dollar signs are set as mathematics.

>>> quiz = Quiz("What is 2 + 2?", [("3", False, "One short."), ("4", True, "As everybody knows.")])
>>> quiz.choose("A")
>>> print(quiz)
Quiz: What is 2 + 2?
  A  3
  B  4
You chose A. Not quite: One short.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from typing import Any

from mcmteach.errors import InvalidInputError
from mcmteach.widgets.panel import TextForm, ipywidgets  # which says what to install where ipywidgets is missing


class Quiz(TextForm, ipywidgets.VBox):
    """Multiple choice. Choosing an option shows why it is right or wrong; one may choose again.

    Parameters
    ----------
    question : what is asked
    options : (text, whether it is right, the reason) for each option; at least one is right and one is wrong
    """

    def __init__(self, question: str, options: Sequence[tuple[str, bool, str]]):
        if not any(right for _, right, _ in options) or all(right for _, right, _ in options):
            raise InvalidInputError("A question needs an option that is right and one that is wrong.")
        if not all(text and reason for text, _, reason in options):
            raise InvalidInputError("Every option needs a text and a reason.")
        self.question = question
        self.options = {chr(ord("A") + i): option for i, option in enumerate(options)}
        self.chosen: str | None = None
        self.buttons = {letter: _button(letter, f"choose {letter}") for letter in self.options}
        for letter, button in self.buttons.items():
            button.on_click(lambda _, letter=letter: self.choose(letter))
        self._reason = ipywidgets.HTMLMath()
        self._reason.add_class("mcm-reason")
        middle = ipywidgets.Layout(align_items="center")
        rows = [
            ipywidgets.HBox([self.buttons[letter], ipywidgets.HTMLMath(text)], layout=middle)
            for letter, (text, _, _) in self.options.items()
        ]
        super().__init__([ipywidgets.HTMLMath(f"<b>{question}</b>"), *rows, self._reason])
        self.add_class("mcm-quiz")

    def choose(self, letter: str) -> None:
        """Choose an option, as its button does."""
        if letter not in self.options:
            raise InvalidInputError(f"There is no option {letter!r}. Choose from {', '.join(self.options)}.")
        self.chosen = letter
        self._reason.value = f'<div role="status" aria-live="polite">{self._verdict()}</div>'

    def text(self) -> str:
        lines = [f"Quiz: {self.question}", *(f"  {letter}  {text}" for letter, (text, _, _) in self.options.items())]
        return _plain("\n".join([*lines, self._verdict()] if self.chosen else lines))

    def static(self) -> dict[str, str]:
        """A page with the reasons folded away."""
        items = "".join(
            f"<li>{text} <details><summary>why?</summary>{'Right' if right else 'Not quite'}: {reason}</details></li>"
            for text, right, reason in self.options.values()
        )
        return {"text/html": f'<p><b>{self.question}</b></p><ol type="A">{items}</ol>'}

    def _verdict(self) -> str:
        assert self.chosen is not None
        _, right, reason = self.options[self.chosen]
        return f"You chose {self.chosen}. {'Right' if right else 'Not quite'}: {reason}"


class Predict(TextForm, ipywidgets.VBox):
    """Ask for a guess, and show the answer only after one was made.

    Parameters
    ----------
    question : what the reader should guess
    answer : the answer, or a function of no arguments that computes it when it is asked for
    options : where given, the reader chooses one of these; else they write a few words or a number

    Examples
    --------
    >>> box = Predict("How many points can a line shatter?", "Three.", options=["2", "3", "4"])
    >>> box.guess("4")
    >>> print(box)
    Predict: How many points can a line shatter?
    You said: 4
    Three.
    """

    def __init__(self, question: str, answer: str | Callable[[], str], options: Sequence[str] | None = None):
        self.question, self._answer, self.revealed = question, answer, ""
        if options:
            self.entry: Any = ipywidgets.Dropdown(options=["", *options], description="My guess:")
        else:
            self.entry = ipywidgets.Text(placeholder="a number or a few words", description="My guess:")
        self.entry.observe(lambda _: self._may_reveal(), names="value")
        self.button = _button("Show", "show the answer (after a guess)", width="6em", disabled=True)
        self.button.on_click(lambda _: self.reveal())
        self._shown = ipywidgets.HTMLMath()
        self._shown.add_class("mcm-reason")
        heading = ipywidgets.HTMLMath(f"<b>Predict first.</b> {question}")
        super().__init__([heading, ipywidgets.HBox([self.entry, self.button]), self._shown])
        self.add_class("mcm-predict")

    def guess(self, value: str) -> None:
        """Make a guess and see the answer, as the entry and the button do."""
        self.entry.value = value
        self.reveal()

    def reveal(self) -> None:
        """Show the answer beside the guess."""
        if not self.entry.value:
            raise InvalidInputError("Make a guess first: the answer teaches more after one.")
        self.revealed = self._answer() if callable(self._answer) else self._answer
        said = html.escape(self.entry.value)
        self._shown.value = f'<div role="status" aria-live="polite">You said: {said}<br>{self.revealed}</div>'

    def text(self) -> str:
        lines = [f"Predict: {self.question}"]
        if self.revealed:
            lines += [f"You said: {self.entry.value}", self.revealed]
        return _plain("\n".join(lines))

    def static(self) -> dict[str, str]:
        answer = "run the cell to see it" if callable(self._answer) else self._answer
        return {
            "text/html": f"<p><b>Predict first.</b> {self.question}</p><details><summary>answer</summary>{answer}</details>"
        }

    def _may_reveal(self) -> None:
        self.button.disabled = not self.entry.value


def _button(description: str, tooltip: str, width: str = "3em", disabled: bool = False) -> Any:
    layout = ipywidgets.Layout(width=width, flex="0 0 auto")
    return ipywidgets.Button(description=description, tooltip=tooltip, layout=layout, disabled=disabled)


def _plain(text: str) -> str:
    """Without the tags that a question may use to stress a word."""
    return html.unescape(re.sub(r"</?(b|i|em|strong|code|sub|sup)>", "", text))
