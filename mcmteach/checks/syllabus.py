"""The order of the course: the one table in which a lesson has a number. Everything else is named by topic."""

from __future__ import annotations

#: Topics in the order in which they are taught. The welcome has the number 0, and neither tasks nor panels.
TOPICS = (
    "welcome",
    "why_learning_works",
    "which_hyperplane",
    "soft_margin",
    "radius_over_margin",
    "a_linear_programme",
    "kernels",
    "kernel_mcm",
    "not_vectors",
    "bending_space",
    "measuring_separability",
    "conformal_mcm",
    "does_it_work",
    "large_scale",
    "small_devices",
    "small_proves_something",
    "numbers_instead_of_classes",
    "your_own_data",
)

#: The last lesson is a project: a template to fill in, without panels, tasks and an exercise.
CAPSTONE = "your_own_data"

#: Topics that have their place in the course and no lesson yet.
PLANNED: frozenset[str] = frozenset()

#: The order at the time when records named solved tasks by number. It defines what those numbers mean: never change it.
FIRST_TOPICS = (
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

#: Tasks that went to another place, by the last version of the record that has their old keys: old key, and key in the version
#: after it. Never take an entry out.
MOVED = {
    2: {"kernel_mcm.5": "not_vectors.1", "kernel_mcm.6": "kernel_mcm.5", "large_scale.4": "small_devices.1"},
    3: {"does_it_work.5": "does_it_work.6"},
}


def number_of(topic: str) -> int:
    """The number of a topic's lesson.

    Examples
    --------
    >>> number_of("soft_margin")
    3
    """
    return TOPICS.index(topic)


def notebook_name(topic: str) -> str:
    """The file name of a topic's notebooks: the lesson and its exercise have the same.

    Examples
    --------
    >>> notebook_name("soft_margin")
    '03_soft_margin.ipynb'
    """
    return f"{number_of(topic):02}_{topic}.ipynb"


def task_number(key: str) -> str:
    """The number of a task as students see it; a teacher's own task, outside the topics of the course, shows its key.

    Examples
    --------
    >>> task_number("soft_margin.2"), task_number("my_course.1")
    ('3.2', 'my_course.1')
    """
    topic, _, place = key.rpartition(".")
    return f"{number_of(topic)}.{place}" if topic in TOPICS else key


def key_of_first_edition(number: str) -> str:
    """The key of a task that a record of the first edition names by number; anything else is returned unchanged.

    Examples
    --------
    >>> key_of_first_edition("3.2")
    'soft_margin.2'
    """
    lesson, _, place = number.partition(".")
    known = lesson.isdecimal() and place.isdecimal() and 0 < int(lesson) < len(FIRST_TOPICS)
    return f"{FIRST_TOPICS[int(lesson)]}.{place}" if known else number
