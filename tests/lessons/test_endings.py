"""Every lesson ends with its exercise and the way to the next one."""

import nbformat

from tests.lessons.owed import PATHS, PROJECT, each_lesson, owed


@each_lesson
def test_a_lesson_ends_with_its_exercise_and_a_link_to_the_next(path, request):
    owed(request, path, "ends")
    end = nbformat.read(path, as_version=4).cells[-1].source
    later = PATHS[PATHS.index(path) + 1 :]
    assert not later or f"]({later[0].name})" in end
    assert path.name.startswith("00") or path == PROJECT or f"](../exercises/{path.name})" in end
