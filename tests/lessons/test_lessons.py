"""What nbval does not see: lessons stored executed, numbers in prose that a cell printed, and a pace a student can keep."""

import ast
import base64
import configparser
import copy
import io
import itertools
import json
import re

import nbformat
import numpy as np
import pytest
from PIL import Image

from mcmteach.checks.syllabus import CAPSTONE
from mcmteach.widgets.quiz import Predict
from tools import course_map
from tools.ledger import LEDGER, ROOT, read_ledger
from tools.notebooks import WIDGET_VIEW, clean, compress, name_cells, smaller

PATHS = sorted(ROOT.glob("lessons/*.ipynb"))
LESSONS = {path.stem: nbformat.read(path, as_version=4) for path in PATHS}
COURSE = {name: lesson for name, lesson in LESSONS.items() if not name.startswith("00") and not name.endswith(CAPSTONE)}
every_lesson = pytest.mark.parametrize("name", LESSONS)
every_course_lesson = pytest.mark.parametrize("name", COURSE)

# A decimal or a percentage, but not "Theorem 2.1", "lesson 2.3" or a version
NO_NUMBER = r"(?<![\w.-])(?<!Theorem )(?<!ection )(?<!Table )(?<!Figure )(?<!Python )"
NUMBER = re.compile(NO_NUMBER + r"-?\d+(?:(?:\.\d+)?\s?%|\.\d+(?!\.\d))")


def prose(cell):
    """A markdown cell without its formulas, code and link targets."""
    text = re.sub(r"\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\]\([^)]*\)", " ", cell.source, flags=re.S)
    return text if cell.cell_type == "markdown" else ""


def sections(notebook):
    """Lists of cells, each from one heading of the second level to the next."""
    parts = [[]]
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            parts.append([])
        parts[-1].append(cell)
    return parts


def output_text(cell):
    """What a cell printed or showed as text."""
    shown = [str(o.get("text", "")) + "".join(map(str, o.get("data", {}).values())) for o in cell.get("outputs", [])
             if "image/png" not in o.get("data", {})]  # fmt: skip
    panel = [o.data["text/plain"] for o in cell.get("outputs", []) if "image/png" in o.get("data", {})]
    return "\n".join(shown + panel)


def unsupported_numbers(notebook):
    """Decimals and percentages of the prose that no output of their section shows."""
    missing = []
    for part in sections(notebook):
        printed = "\n".join(output_text(cell) for cell in part).replace(" %", "%")
        for cell in part:
            for number in NUMBER.findall(prose(cell)):
                if not re.search(rf"(?<![\d.]){re.escape(number.replace(' ', ''))}(?!\d)", printed):
                    missing.append(number)
    return missing


# --- stored as they should be ------------------------------------------------------------------------------------------


@every_lesson
def test_lessons_are_stored_executed_in_order_and_without_errors(name):
    code = [cell for cell in LESSONS[name].cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), "run make lessons"
    kinds = {output.output_type for cell in code for output in cell.outputs}
    assert kinds and "error" not in kinds


@every_lesson
def test_lessons_are_stored_clean(name):
    stored = (ROOT / "lessons" / f"{name}.ipynb").read_text(encoding="utf-8")
    notebook = nbformat.reads(stored, as_version=4)
    name_cells(notebook)
    assert json.loads(nbformat.writes(clean(notebook))) == json.loads(stored), "run make lessons"
    assert WIDGET_VIEW not in stored


@every_lesson
def test_every_decimal_in_prose_was_printed_by_its_section(name):
    assert unsupported_numbers(LESSONS[name]) == []


def test_a_planted_wrong_number_is_found():
    notebook = copy.deepcopy(LESSONS["01_why_learning_works"])
    cell = next(cell for cell in notebook.cells if cell.cell_type == "markdown" and "19 %" in cell.source)
    for wrong in ("17 %", "0.1887", "19.5 %"):
        planted = copy.deepcopy(notebook)
        planted.cells[notebook.cells.index(cell)].source = cell.source.replace("19 %", wrong)
        assert unsupported_numbers(planted) == [wrong]
    cell.source += " Theorem 2.1 and section 2.2 are no numbers, nor is $0.77$."
    assert unsupported_numbers(notebook) == []


@pytest.mark.parametrize(
    "output", ["0", "3.14", "-2.5e-07", "1 000", "96.7%", "[1, 2, 3]", "60 support vectors", "h = 4"]
)
def test_no_sanitizer_rule_matches_a_bare_number(output):
    rules = configparser.RawConfigParser()
    assert rules.read(ROOT / "tests" / "nbval_sanitize.cfg")
    for rule in rules.sections():
        assert re.sub(rules[rule]["regex"], rules[rule]["replace"], output) == output, rule


@every_lesson
def test_every_stored_figure_has_alternative_text(name):
    outputs = [output for cell in LESSONS[name].cells for output in cell.get("outputs", [])]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    alts = [output.metadata.get("image/png", {}).get("alt", "") for output in pictures]
    assert pictures and all(len(alt) > 40 for alt in alts), "run make lessons"


@every_course_lesson
def test_every_prediction_knows_the_right_answer(name):
    calls = [ast.parse(cell.source).body[-1].value for cell in COURSE[name].cells if "Predict(" in cell.source]
    assert calls and all("right" in [keyword.arg for keyword in call.keywords] for call in calls)
    for call in calls:  # and it is one of its options, or this raises
        eval(ast.unparse(call), {"Predict": Predict, "answer": "computed"})


# --- a pace that a student can keep --------------------------------------------------------------------------------------


def test_the_welcome_lesson_checks_the_installation_and_shows_a_picture():
    outputs = [output for cell in LESSONS["00_welcome"].cells for output in cell.get("outputs", [])]
    assert any("Ready." in output.get("text", "") for output in outputs)
    assert any("image/png" in output.get("data", {}) for output in outputs)


@every_course_lesson
def test_lessons_have_their_parts_and_their_size(name):
    cells = COURSE[name].cells
    text = "\n".join(cell.source for cell in cells)
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    open_text = [
        re.sub(r"<details>.*?</details>", "", c.source, flags=re.S) for c in cells if c.cell_type == "markdown"
    ]
    assert sum(len(source.split()) for source in open_text) <= 2000 and len(code) <= 28  # three of them gaps
    assert 1 <= sum("_panel(" in source for source in code) <= 2
    assert sum(source.count("Quiz(") for source in code) >= 2 and sum("Predict(" in source for source in code) >= 1
    assert 40 <= int(re.search(r"about (\d+) minutes", cells[0].source)[1]) <= 75
    for part in ("**After this lesson**", "## Recap", "## Where it comes from", "../exercises/"):
        assert part in text, part


@every_course_lesson
def test_lessons_cite_equations_and_the_ledger_knows_it(name):
    _, topic = name.split("_", 1)
    text = "\n".join(cell.source for cell in COURSE[name].cells)
    entries = read_ledger(LEDGER.read_text(encoding="utf-8"))
    cited = set(re.findall(r"[NP]\(\d+\)", text))
    assert cited and cited <= {entry.id for entry in entries}
    assert any(topic in entry.lesson.split() for entry in entries), f"enter {topic} into the ledger"


@every_lesson
def test_lines_of_code_fit_on_the_page(name):
    shown = [cell for cell in LESSONS[name].cells if cell.cell_type == "code" and "jupyter" not in cell.metadata]
    most = 84  # what fits beside a projector's large letters
    assert [line for cell in shown for line in cell.source.splitlines() if len(line) > most] == []
    # nbval does not see a semicolon at the end, and compares what it was to hide: use plt.show()
    assert not any(cell.source.endswith(";") for cell in shown)


@every_lesson
def test_no_formula_in_a_quotation_runs_over_a_line(name):
    for cell in LESSONS[name].cells:  # JupyterLab sets the ">" of the next line as a part of the formula
        text = cell.source if cell.cell_type == "markdown" else ""
        for formula in re.findall(r"\$\$.*?\$\$|\$[^$]*\$", text, flags=re.S):
            assert not re.search(r"\n\s*>", formula), formula


@every_lesson
def test_links_between_files_lead_somewhere(name):
    for cell in LESSONS[name].cells:
        for link in re.findall(r"\]\((?!http|#)([^)#]+)", cell.source if cell.cell_type == "markdown" else ""):
            assert (ROOT / "lessons" / link).exists(), f"{name} links to {link}, which is not there"


def stored_pictures():
    outputs = [output for lesson in LESSONS.values() for cell in lesson.cells for output in cell.get("outputs", [])]
    return [base64.b64decode(output.data["image/png"]) for output in outputs if "image/png" in output.get("data", {})]


def test_stored_pictures_are_small():
    modes = [Image.open(io.BytesIO(png)).mode for png in stored_pictures()]
    assert set(modes) == {"P", "RGB"} and modes.count("P") > 5 * modes.count("RGB")  # a palette but for gradients
    assert sum(path.stat().st_size for path in PATHS) < 6e6


def test_the_readme_shows_the_first_picture_of_the_course():
    assert (ROOT / "lessons" / "welcome.png").read_bytes() == stored_pictures()[0], "make picture"


def png_of(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def pixels_of(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def test_a_picture_of_few_colours_is_stored_with_a_palette_and_unchanged():
    colours = np.random.default_rng(0).integers(256, size=(200, 3), dtype=np.uint8)
    pixels = colours[np.random.default_rng(1).integers(200, size=(300, 400))]
    opaque = png_of(np.dstack([pixels, np.full((300, 400), 255, np.uint8)]))
    small = smaller(opaque)
    assert Image.open(io.BytesIO(small)).mode == "P" and len(small) < len(opaque) / 2
    np.testing.assert_array_equal(pixels_of(small), pixels)
    assert smaller(small) == small


def test_a_gradient_keeps_its_colours_and_a_transparent_picture_its_bytes():
    x, y = np.meshgrid(np.arange(256), np.arange(256))
    gradient = np.dstack([x, y, 255 - x, 0 * x + 255]).astype(np.uint8)
    small = smaller(png_of(gradient))
    np.testing.assert_array_equal(pixels_of(small), gradient[..., :3])
    assert len(small) <= len(png_of(gradient))
    gradient[0, 0, 3] = 0
    assert smaller(png_of(gradient)) == png_of(gradient)


def test_compressing_a_notebook_touches_its_pictures_only():
    noise = np.random.default_rng(0).integers(2, size=(300, 300, 1), dtype=np.uint8) * 255
    large = base64.b64encode(png_of(np.dstack([noise, noise, noise, 0 * noise + 255]))).decode()
    output = nbformat.v4.new_output("display_data", {"image/png": large, "text/plain": "noise"})
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("f()", outputs=[output])])
    expected = copy.deepcopy(notebook)
    compress(notebook)
    assert len(notebook.cells[0].outputs[0].data["image/png"]) < len(large)
    notebook.cells[0].outputs[0].data["image/png"] = large
    assert notebook == expected


def course_readme():
    return (ROOT / "lessons" / "README.md").read_text(encoding="utf-8")


def test_the_map_of_the_course_lists_every_lesson_as_it_is():
    lines = course_readme().split("## One week")[0].splitlines()
    assert [line for line in lines if line.startswith("| [")] == course_map.rows(), "python -m tools.course_map"


def test_the_map_says_where_each_equation_is_taught():
    lines = course_readme().split("| equations | lessons |\n|---|---|\n")[1].splitlines()
    assert lines == course_map.index(), "python -m tools.course_map"
    entries = read_ledger(LEDGER.read_text(encoding="utf-8"))
    assert sum(len(re.findall(r"[^,]+", line.split("|")[1])) for line in lines if ": " in line) == sum(
        "-" in entry.id for entry in entries
    ), "every unnumbered one is named once"


@pytest.mark.parametrize(
    ("said", "needs"),
    [
        ("You need lessons 5 and 6.", "5, 6"),
        ("You need $N(4)$ from lesson [1](01_why.ipynb), and lesson 7.", "1, 7"),
        ("You need a pencil.\n\nYou need [lesson 2](02_which.ipynb).", "2"),
        ("# Title", "–"),
    ],
)
def test_what_a_lesson_needs_is_read_from_its_first_cell(said, needs):
    assert course_map.needs(said) == needs


def test_no_lesson_needs_a_later_one_and_the_arrows_agree():
    needed = {int(row.split()[1][1:]): row.split("|")[3] for row in course_map.rows()}
    chart = re.sub(r"\[[^]]*\]|-\. one section \.->", " -->", course_readme().split("```mermaid")[1].split("```")[0])
    chart = chart.replace("--> -->", "-->").replace(" -->  -->", " -->")
    before: dict[int, set[int]] = {number: set() for number in needed}
    for line in chart.splitlines():
        chain = [int(number) for number in re.findall(r"\d+", line)]
        for first, then in itertools.pairwise(chain):
            before[then] |= {first} | before[first]
    asked: dict[int, set[int]] = {}
    for number, text in needed.items():
        wanted = {int(n) for n in re.findall(r"\d+", text)} - {0}
        assert all(n < number for n in wanted) and wanted <= before[number], f"lesson {number}"
        asked[number] = wanted.union(*(asked[n] for n in wanted))
        assert before[number] <= asked[number], f"an arrow to lesson {number} that no lesson asks for"


def test_the_one_day_route_adds_up_and_keeps_the_lessons_times():
    text = course_readme().split("## One day")[1].split("## One hour")[0]
    parts = re.findall(r"^\| \[(\d+)\]\((\S+)\) \| (.+) \| (\d+) \|$", text, re.M)
    assert sum(int(minutes) for *_, minutes in parts) == int(re.search(r"(\d+) minutes", text)[1])
    for number, target, part, minutes in parts:
        notebook = LESSONS[target.removesuffix(".ipynb")]
        whole = int(re.search(r"about (\d+) minutes", notebook.cells[0].source)[1])
        assert (
            int(target[:2]) == int(number)
            and int(minutes) <= whole
            and part.startswith("all") == (int(minutes) == whole)
        )
        for heading in re.findall(r'"([^"]+)"', part):
            assert any(cell.source.startswith(f"## {heading}") for cell in notebook.cells), heading
