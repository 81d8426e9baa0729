"""The order of the course: the one table in which a lesson has a number. Everything else is named by topic."""

from __future__ import annotations

#: Topics in the order in which they are taught. The welcome is lesson 0, and has neither tasks nor panels.
TOPICS = (
    "welcome",
    "why_learning_works",
    "which_hyperplane",
    "soft_margin",
    "radius_over_margin",
    "a_linear_programme",
    "kernels",
    "kernel_mcm",
    "bending_space",
    "measuring_separability",
    "conformal_mcm",
    "does_it_work",
    "large_scale",
)


def number_of(topic: str) -> int:
    """The number of a topic's lesson.

    Examples
    --------
    >>> number_of("soft_margin")
    3
    """
    return TOPICS.index(topic)
