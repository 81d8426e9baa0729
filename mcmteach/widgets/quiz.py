"""Questions inside a lesson: multiple choice with a reason for every option, and "predict first" boxes.

Both work offline and with the keyboard (Tab to an option, Space to choose it), have a text form, and are entered in the
record that ``progress()`` reads: a quiz when the right option is found, a prediction when it is made. Formulas between dollar
signs in questions and reasons are set as mathematics.

>>> quiz = Quiz("What is 2 + 2?", [("3", False, "One short."), ("4", True, "As everybody knows.")])
>>> quiz.choose("A")
>>> print(quiz)
Quiz: What is 2 + 2?
  A  3
  B  4
You chose A. ✗ Not quite: One short.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from typing import Any

from mcmteach.checks import record
from mcmteach.checks.words import without_tags
from mcmteach.errors import InvalidInputError
from mcmteach.widgets.panel import TextForm, ipywidgets  # which says what to install where ipywidgets is missing

# Right and wrong differ by sign, word and stroke, and by a colour that the colour-blind can tell apart.
STYLES = {True: ("✓ Right", "solid #009E73"), False: ("✗ Not quite", "dotted #D55E00"), None: ("", "solid #777777")}

# ipywidgets gives an option the height of one line, so that the second line of a long one would stand on the next option.
WRAPPED = """<style>
.mcm-quiz .widget-radio-box label { display: flex; align-items: flex-start; height: auto; line-height: 1.4; }
.mcm-quiz .widget-radio-box input { order: -1; flex: none; height: 1.4em; }</style>"""


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
        labels = [without_tags(f"{letter}. {text}") for letter, (text, _, _) in self.options.items()]
        self.entry = ipywidgets.RadioButtons(options=labels, index=None, layout={"width": "auto"})
        self.entry.observe(lambda _: self._answer(), names="index")
        self.reason = _shown_box()
        super().__init__([ipywidgets.HTMLMath(f"{WRAPPED}<b>{question}</b>"), self.entry, self.reason])
        self.add_class("mcm-quiz")

    @property
    def chosen(self) -> str | None:
        """The letter of the option that is marked."""
        return None if self.entry.index is None else list(self.options)[self.entry.index]

    def choose(self, letter: str) -> None:
        """Choose an option, as a click on it does."""
        if letter not in self.options:
            raise InvalidInputError(f"There is no option {letter!r}. Choose from {', '.join(self.options)}.")
        self.entry.index = list(self.options).index(letter)

    def text(self) -> str:
        lines = [f"Quiz: {self.question}", *(f"  {letter}  {text}" for letter, (text, _, _) in self.options.items())]
        if self.chosen is not None:
            _, right, reason = self.options[self.chosen]
            lines.append(f"You chose {self.chosen}. {STYLES[right][0]}: {reason}")
        return without_tags("\n".join(lines))

    def static(self) -> dict[str, str]:
        """A page with the reasons folded away."""
        items = "".join(
            f"<li>{text} <details><summary>why?</summary>{'Right' if right else 'Not quite'}: {reason}</details></li>"
            for text, right, reason in self.options.values()
        )
        return {"text/html": f'<p><b>{self.question}</b></p><ol type="A">{items}</ol>'}

    def _answer(self) -> None:
        assert self.chosen is not None
        _, right, reason = self.options[self.chosen]
        note = record.mark_done(record.question_key("quiz", self.question)) if right else ""
        self.reason.value = _verdict(right, f"You chose {self.chosen}. <b>{STYLES[right][0]}</b>: {reason}", note)


class Predict(TextForm, ipywidgets.VBox):
    """Ask for a guess, show the answer only after one was made, and say whether the guess was right.

    Parameters
    ----------
    question : what the reader should guess
    answer : the answer, or a function of no arguments that computes it when it is asked for
    options : where given, the reader chooses one of these; else they write a few words or a number
    right : the right option, or the right number (a guess within 2 % of it is right). None where only the reader can judge

    Examples
    --------
    >>> Predict("How many points can a line shatter?", "Three.", options=["2", "3", "4"], right="3")
    Predict: How many points can a line shatter?
    """

    def __init__(
        self,
        question: str,
        answer: str | Callable[[], str],
        options: Sequence[str] | None = None,
        right: str | float | None = None,
    ):
        if options and right is not None and right not in options:
            raise InvalidInputError(f"The right answer, {right!r}, is none of the options.")
        self.question, self.right, self._answer, self.revealed = question, right, answer, ""
        if options:
            # as wide as its longest option, where the page has room for it
            wide = {"width": "auto", "min_width": "300px", "max_width": "100%"}
            self.entry: Any = ipywidgets.Dropdown(options=["", *options], description="My guess:", layout=wide)
        else:
            self.entry = ipywidgets.Text(placeholder="a number or a few words", description="My guess:")
        self.entry.observe(lambda _: self._may_reveal(), names="value")
        self.button = ipywidgets.Button(
            description="Show", tooltip="show the answer (after a guess)", layout={"width": "6em"}, disabled=True
        )
        self.button.on_click(lambda _: self.reveal())
        self.shown = _shown_box()
        heading = ipywidgets.HTMLMath(f"<b>Predict first.</b> {question}")
        row = ipywidgets.HBox([self.entry, self.button], layout={"flex_flow": "row wrap"})
        super().__init__([heading, row, self.shown])
        self.add_class("mcm-predict")

    def guess(self, value: str) -> None:
        """Make a guess and see the answer, as the entry and the button do."""
        self.entry.value = value
        self.reveal()

    def reveal(self) -> None:
        """Show the answer beside the guess."""
        if not self.entry.value:
            raise InvalidInputError("Make a guess first: the answer teaches more after one.")
        self.revealed = self._computed(self._answer) if callable(self._answer) else self._answer
        note = record.mark_done(record.question_key("predict", self.question))
        self.shown.value = _verdict(self.is_right(), f"{self._said()}<br>{self.revealed}", note)

    def _computed(self, answer: Callable[[], str]) -> str:
        """The answer of a function, which may take seconds: until it is there, the box says so."""
        self.shown.value = "Computing the answer …"
        self.add_class("mcm-computing")
        try:
            return answer()
        except BaseException:
            self.shown.value = ""
            raise
        finally:
            self.remove_class("mcm-computing")

    def is_right(self) -> bool | None:
        """Whether the guess is right; None where nobody can tell but the reader."""
        if self.right is None or isinstance(self.right, str):
            return None if self.right is None else self.entry.value == self.right
        numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", self.entry.value)]
        return any(abs(number - self.right) <= 0.02 * abs(self.right) for number in numbers)

    def text(self) -> str:
        lines = [f"Predict: {self.question}"]
        if self.revealed:
            lines += [self._said(), self.revealed]
        return without_tags("\n".join(lines))

    def static(self) -> dict[str, str]:
        answer = "run the cell to see it" if callable(self._answer) else self._answer
        return {
            "text/html": f"<p><b>Predict first.</b> {self.question}</p><details><summary>answer</summary>{answer}</details>"
        }

    def _said(self) -> str:
        mark = STYLES[self.is_right()][0]
        return f"You said: {html.escape(self.entry.value)}." + (f" <b>{mark}</b>." if mark else "")

    def _may_reveal(self) -> None:
        self.button.disabled = not self.entry.value


def _shown_box() -> Any:
    box = ipywidgets.HTMLMath()
    box.add_class("mcm-reason")
    return box


def _verdict(right: bool | None, words: str, note: str) -> str:
    """HTML that a screen reader announces, with a stroke beside it; ``note`` is what there is to say about the record."""
    stroke = f"border-left: 4px {STYLES[right][1]}; padding-left: 0.6em"
    return f'<div role="status" aria-live="polite" style="{stroke}">{words}{note and f"<br>{html.escape(note)}"}</div>'
