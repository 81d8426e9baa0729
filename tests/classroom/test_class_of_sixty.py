"""Sixty submissions in one run: forty honest ones in every odd form that we know of, twenty hostile ones, and every mark as it
should be. Some minutes; the figures in TEACHING.md (seconds and memory of a notebook) come from its record."""

import io
import json
import os
import zipfile

import nbformat
import numpy as np
import pytest

from mcmteach.classroom import sandbox
from tests.classroom.hostile import ANSWERS, CELLS, FILES, LEAKS
from tests.classroom.test_grade import CONSTANT, SOURCE, notebook, run, table
from tools.exercises import student

pytestmark = pytest.mark.soak

RISK = "def empirical_risk(y, f):\n    "
ALL = 8.0  # points for the functions of the first exercise; its text has three more
SLIP = "def empirical_risk(y, f):\n    return np.sum(y * f <= 0)"
NO_FACTOR = "def vc_epsilon(h, M, eta):\n    return (h * (np.log(2 * M / h) + 1) - np.log(eta)) / M\n"


def without(name):
    made = notebook()
    made.cells = [cell for cell in made.cells if cell.id != name]
    return made


def with_text(text, **answers):
    made = notebook(**answers)
    made.cells.append(nbformat.v4.new_markdown_cell(text))
    return made


def zipped(*files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return made.getvalue()


def text(made):
    return nbformat.writes(made)


# --- honest: where it lies, what it is, and its points ---------------------------------------------------------------------

RIGHT = text(notebook())
FORMS = {  # a right notebook in every form, whose student's name on the class list is in front
    "ada": f"ada/{SOURCE.name}",
    "ben": f"ben/{SOURCE.stem}/{SOURCE.name}",
    "cem": f"cem_{SOURCE.name}",
    "dora": "dora.ipynb",
    "eve": f"eve/{SOURCE.stem} (1).ipynb",
    "finn": f"finn/{SOURCE.stem}-Copy1.ipynb",
    "gita": f"gita/{SOURCE.stem}.IPYNB",
    "hugo": f"hugo/{SOURCE.stem}.ipynb.txt",
    "Ida Rhodes": f"Ida Rhodes_1234567_assignsubmission_file_/{SOURCE.name}",
    "Jo Boaler": f"Jo Boaler_1234568_assignsubmission_file_{SOURCE.name}",
    "Kovalevskaya, Sofia": f"kovalevskayasofia_11_501_{SOURCE.name}",
    "Lovelace, Ada": f"lovelaceada_LATE_12_502_{SOURCE.name}",
    "Mirzakhani, Maryam": f"mirzakhanimaryam_13_503_{SOURCE.stem}-2.ipynb",
    "Émile Noether": f"emile noether/{SOURCE.name}",
    "O'Brien; Pat": f"O'Brien; Pat/{SOURCE.name}",
    "=cmd": f"=cmd/{SOURCE.name}",
    "quin": f"quin/deep/deeper/{SOURCE.name}",
}
HONEST = {
    "rosa": (f"rosa/{SOURCE.name}", RIGHT.encode("utf-8-sig"), ALL),
    "sam": (f"sam/{SOURCE.name}", RIGHT.encode("utf-16"), ALL),
    "tom": ("tom.zip", zipped((SOURCE.name, RIGHT)), ALL),
    "uma": ("uma/work.zip", zipped((f"a/b/{SOURCE.name}", RIGHT), ("__MACOSX/._x", b"")), ALL),
    "blank": (f"blank/{SOURCE.name}", student(SOURCE), 0.0),
    "partly": (f"partly/{SOURCE.name}", text(notebook(task_1_1="...", task_1_5="...")), ALL - 3),
    "slip": (f"slip/{SOURCE.name}", text(notebook(task_1_1=SLIP)), ALL - 0.5),
    "consequence": (f"consequence/{SOURCE.name}", text(notebook(task_1_2=NO_FACTOR)), ALL - 0.5),
    "syntax": (f"syntax/{SOURCE.name}", text(notebook(task_1_1="def empirical_risk(y, f:\n    return 0")), ALL - 1),
    "zero-d": (f"zero-d/{SOURCE.name}", text(notebook(task_1_1=RISK + "return np.array(np.mean(y * f <= 0))")), ALL),
    "float32": (f"float32/{SOURCE.name}", text(notebook(task_1_1=RISK + "return np.float32(np.mean(y * f <= 0))")), ALL),
    "magic": (f"magic/{SOURCE.name}", text(notebook("%matplotlib inline\n!true\nprint('x' * 10**5)")), ALL),
    "error": (f"error/{SOURCE.name}", text(notebook("1 / 0")), ALL),
    "no test": (f"no test/{SOURCE.name}", text(without("test-1-3")), ALL),
    "no setup": (f"no setup/{SOURCE.name}", text(without("setup")), 2.0),  # 1.4 needs no numpy
    "in markdown": (f"in markdown/{SOURCE.name}", text(with_text("the bound is loose " * 9, task_1_6="...")), ALL),
    "changes": (f"changes/{SOURCE.name}", text(notebook(task_1_1=RISK + "y *= f\n    return np.mean(y <= 0)")), ALL - 1),
    "library": (f"library/{SOURCE.name}", text(notebook(task_1_1="empirical_risk = mt.empirical_risk")), ALL - 1),
    "constant": (f"constant/{SOURCE.name}", text(notebook(task_1_5=CONSTANT)), ALL - 2),
    "print": (f"print/{SOURCE.name}", text(notebook(task_1_1=RISK + "print(np.mean(y * f <= 0))")), ALL - 1),
    "with data": (f"with data/{SOURCE.name}", RIGHT, ALL),
    "twice": (f"twice/{SOURCE.name}", RIGHT, ALL),
}  # fmt: skip

# --- hostile: what it is, and its points (None: there is nothing to grade) -------------------------------------------------

HARMLESS = ("ends its process", "is root outside too", "writes into the first process", "talks to the machine that it runs on",
            "finds the answers on the disk", "makes a million files in shared memory", "deletes files", "forks")  # fmt: skip
CHEATS = (
    "patches the checker",
    "reads the answers",
    "equals everything",
    "exits in an answer",
    "returns an integer without end",
)
HOSTILE = {
    **{name: (f"{name}/{SOURCE.name}", text(notebook(CELLS[name])), ALL) for name in HARMLESS},
    **{name: (f"{name}/{SOURCE.name}", text(notebook(task_1_1=ANSWERS[name])), ALL - 1) for name in CHEATS},
    "tells": (f"tells/{SOURCE.name}", text(notebook(**LEAKS["in the name of an exception"])), None),
    "tags": (f"tags/{SOURCE.name}", text(with_text("<b>" * 80_000)), ALL),
    "deep": (f"deep/{SOURCE.name}", FILES["deep.ipynb"], None),
    "bomb": ("bomb.zip", zipped((SOURCE.name, bytes(100 << 20))), None),
    "not one": (f"not one/{SOURCE.name}", FILES["a photograph.ipynb"], None),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    if (why := sandbox.why_no_walls()) and not os.environ.get("CI"):
        pytest.skip(f"no sandbox: {why}")
    folder = tmp_path_factory.mktemp("sixty")
    work = folder / "in"
    files = {name: (place, RIGHT, ALL) for name, place in FORMS.items()} | HONEST | HOSTILE
    for place, content, _ in files.values():
        (work / place).parent.mkdir(parents=True, exist_ok=True)
        (work / place).write_bytes(content if isinstance(content, bytes) else content.encode())
    (work / "with data" / "data.csv").write_text("1,2")
    older = work / "twice" / "old" / SOURCE.name
    older.parent.mkdir()
    older.write_text(student(SOURCE))
    os.utime(older, (1, 1))
    os.mkfifo(work / "a pipe.ipynb")
    (work / "a link.ipynb").symlink_to("/etc/passwd")
    names = [*files, "a pipe", "a link", "nobody"]
    assert len(names) == 60
    with (folder / "class.csv").open("w", encoding="utf-8") as roster:
        roster.write("student\n" + "\n".join(f'"{name}"' for name in names) + "\n")
    options = [
        "-o",
        folder / "marks.csv",
        "--roster",
        folder / "class.csv",
        "--slips",
        "0.5",
        "--jobs",
        "2",
        "--lms",
        "moodle",
    ]
    done = run(work, *options, timeout=3000)
    assert done.returncode == 0, done.stderr
    return folder, files, done


def test_every_mark_is_as_expected_and_nobody_is_missing(graded):
    folder, files, _ = graded
    rows = table(folder / "marks.csv", leave_out="Not graded: ")
    assert len(rows) == 60
    wrong = {}
    for name, (_, _, points) in files.items():
        row = rows[name.replace(";", ",")] if name != "=cmd" else rows["'=cmd"]
        if points is not None and float(row["marks"]) != points:
            wrong[name] = (row["marks"], points, row["what happened"])
        if points is None:
            assert float(row["marks"]) < ALL and (row["what happened"] or name == "tells"), name
    assert not wrong
    assert rows["nobody"]["what happened"] == "Nothing was handed in."
    assert rows["a pipe"]["what happened"] == rows["a link"]["what happened"] == "It is not a file."


def test_no_page_tells_what_was_hidden_and_pages_can_be_returned(graded):
    folder, _, _ = graded
    pages = [path.read_text(encoding="utf-8") for path in (folder / "marks-feedback").iterdir()]
    assert len(pages) == 54 and not any("HIDDEN" in page or "saw_12" in page for page in pages)
    with zipfile.ZipFile(folder / "marks-return.zip") as archive:
        assert FORMS["Ida Rhodes"].replace(".ipynb", ".html") in archive.namelist()


def test_what_a_notebook_takes_is_as_the_guide_says(graded):
    """One that ends as it should: 8 seconds of CPU and 300 MB at the most, on any machine of these years."""
    folder, _, _ = graded
    results = [json.loads(line)[1] for line in (folder / "marks.json").read_text().splitlines()]
    used = [result["used"] for result in results if result.get("used") and not result["notes"]]
    cpu, memory = ([u[what] for u in used] for what in ("cpu", "memory"))
    print(f"{len(used)} notebooks: {np.median(cpu):.1f} s of CPU, at most {max(cpu):.1f}", end="; ")
    print(f"{np.median(memory):.0f} MB, at most {max(memory):.0f}")
    assert np.median(cpu) < 12 and np.median(memory) < 400
