"""Every task by its key, and ways to run a test for each."""

import pytest

from mcmteach.checks import lessons_with_tasks
from mcmteach.checks.task import Explanation, Task

ALL = {key: task for lesson in lessons_with_tasks() for key, task in lesson.tasks.items()}
TASKS = [task for task in ALL.values() if isinstance(task, Task)]
EXPLANATIONS = [task for task in ALL.values() if isinstance(task, Explanation)]
each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.key)
each_explanation = pytest.mark.parametrize("task", EXPLANATIONS, ids=lambda task: task.key)


def taking(task, body):
    """A function with the task's own arguments."""
    names = {"body": body}
    exec(f"def answer({', '.join(task.arguments)}): return body({', '.join(task.arguments)})", names)
    return names["answer"]
