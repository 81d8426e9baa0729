"""Numbers of a student's own, which the teacher can draw again."""

from mcmteach.classroom.course import read_exercise, released
from tests.classroom.test_course import changed


def test_each_student_gets_numbers_of_their_own_that_the_teacher_can_draw_again(tmp_path):
    path = changed(tmp_path, about_1_2="Take $M = {{M|10, 20, 50, 100, 200}}$.", given_1_6="print({{M}})")
    names = [f"student {i}" for i in range(30)]
    texts = {name: released(read_exercise(path, "secret", name)) for name in names}
    assert len(set(texts.values())) == 5 and texts[names[0]] == released(read_exercise(path, "secret", names[0]))
    assert texts != {name: released(read_exercise(path, "another", name)) for name in names}
    plain = released(read_exercise(path))
    assert "M = 10$" in plain and "print(10)" in plain and "{{" not in plain
