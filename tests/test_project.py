"""The files around the package: one set of requirements in three files, no file names a machine, the core stands alone."""

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import types
from pathlib import Path
from unittest import mock

import numpy
import pytest
import scipy
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import mcmteach
from mcmteach.solvers.solve import HIGHSPY
from tests.conftest import MARKED
from tests.processes import python
from tools import long_tests, picture
from tools.ledger import ROOT, lesson_path

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PYPROJECT["optional-dependencies"]


def tracked_files():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


# --- requirements ----------------------------------------------------------------------------------------------------


def test_the_core_is_numpy_and_scipy_and_the_extras_are_six():
    assert {Requirement(r).name for r in PYPROJECT["dependencies"]} == {"numpy", "scipy"}
    assert set(EXTRAS) == {"lessons", "experiments", "fast", "classroom", "onnx", "dev"}


def test_environment_yml_names_the_same_things():
    from rattler import MatchSpec

    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    specs = [MatchSpec(entry, strict=True) for entry in environment["dependencies"] if isinstance(entry, str)]
    conda = {spec.name.normalized: str(spec.version or "") for spec in specs}
    assert conda.pop("python") == PYPROJECT["requires-python"]
    assert conda.pop("pip") == ""
    wanted = [Requirement(r) for r in PYPROJECT["dependencies"] + EXTRAS["lessons"]]
    assert conda == {canonicalize_name(r.name): str(r.specifier) for r in wanted}
    assert {"pip": ["--editable ."]} in environment["dependencies"]


def test_the_readme_says_what_each_extra_brings():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    said = dict(re.findall(r"`(\w+)` \(([^)]*)\)", readme[readme.index("Extras:") :].split("\n\n")[0]))
    assert set(said) == set(EXTRAS)
    for extra in set(EXTRAS) - {"dev"}:
        names = {name.casefold().replace("dask", "distributed") for name in said[extra].replace("\n", " ").split(", ")}
        assert names == {Requirement(r).name for r in EXTRAS[extra]}, extra


def test_what_several_extras_bring_they_ask_for_in_one_version():
    wanted = [Requirement(r) for extra in EXTRAS.values() for r in extra]
    assert len({(r.name, str(r.specifier)) for r in wanted}) == len({r.name for r in wanted})


def test_the_least_highspy_is_one_number_in_two_places():
    (wanted,) = {str(Requirement(r).specifier) for r in EXTRAS["fast"]}
    assert wanted == ">={}.{}".format(*HIGHSPY)


def locked(name):
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\S)", text.strip())
    requirements = [Requirement(block.split("\\")[0].strip()) for block in blocks]
    hashes = [re.findall(r"--hash=sha256:[0-9a-f]{64}", block) for block in blocks]
    return requirements, hashes, text


@pytest.mark.parametrize(
    ("name", "extras"),
    [("lessons", ["lessons"]), ("dev", list(EXTRAS)), ("oldest", list(EXTRAS))],
)
def test_locked_requirements_are_pinned_hashed_and_satisfy_pyproject(name, extras):
    requirements, hashes, text = locked(name)
    assert all(hashes), "every pin has a hash"
    assert "://" not in text, "and no address"
    pins = {}
    for requirement in requirements:
        (pin,) = requirement.specifier
        assert pin.operator == "=="
        pins.setdefault(canonicalize_name(requirement.name), []).append(pin.version)
    for wanted in map(Requirement, sum((EXTRAS[extra] for extra in extras), PYPROJECT["dependencies"])):
        for version in pins[canonicalize_name(wanted.name)]:
            assert wanted.specifier.contains(version), f"{wanted} is locked at {version}: run make lock"


def test_the_oldest_environment_has_the_least_version_of_everything_that_is_asked_for():
    pins = {canonicalize_name(r.name): next(iter(r.specifier)).version for r in locked("oldest")[0]}
    for wanted in map(Requirement, sum(EXTRAS.values(), PYPROJECT["dependencies"])):
        (floor,) = (limit.version for limit in wanted.specifier if limit.operator == ">=")
        found = Version(pins[canonicalize_name(wanted.name)])
        # the first release of that series: "1.26" is 1.26.0, or the first that was not withdrawn
        assert found.release[: len(Version(floor).release)] == Version(floor).release, f"{wanted} is tried at {found}"


def test_the_two_locks_agree_and_students_get_no_test_tools():
    lessons, dev = ({(r.name, str(r.specifier), str(r.marker)) for r in locked(name)[0]} for name in ("lessons", "dev"))
    names = {name for name, _, _ in lessons}
    assert not names & {Requirement(r).name for r in EXTRAS["dev"] + EXTRAS["classroom"]} - {"psutil", "pyyaml", "tqdm"}
    versions = {(name, version) for name, version, _ in dev}
    assert {(name, version) for name, version, _ in lessons} <= versions


def test_constraints_are_the_lock_without_its_hashes():
    pins = (ROOT / "requirements" / "constraints.txt").read_text(encoding="utf-8").split("\n")[:-1]
    lock = [
        f"{r.name}{r.specifier}" + (f"; {r.marker}" if r.marker else "") for r in locked("dev")[0]
    ]  # and its extras
    assert [Requirement(pin) for pin in pins] == [Requirement(line) for line in lock]


# --- tests -------------------------------------------------------------------------------------------------------------


def test_every_test_with_a_mark_is_there():
    files = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("mcmteach/**/*.py")]
    sources = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}

    def is_there(place):  # a folder, a file, ::name, file::name, file::Class::name or file::path.of.an.example
        file, _, name = place.partition("::")
        name = name.split("::")[0].rpartition(".")[2]
        defined = re.compile(rf"^ *((def|class) {name}\b|{name} = )" if name else "", re.M)
        return any(path.startswith(file) and defined.search(text) for path, text in sources.items())

    assert [place for places in MARKED.values() for place in places if not is_there(place)] == []
    assert not is_there("::test_nobody_wrote") and not is_there("tests/test_nobody.py")


def test_the_list_of_long_tests_follows_what_was_measured():
    took = {"a.py::short": 0.2, "a.py::long": 3.0}
    assert long_tests.chosen(took, ["a.py::short", "b.py::not_run"]) == ["a.py::long", "b.py::not_run"]


# --- nothing of a machine, nothing of the sources ----------------------------------------------------------------------


def test_no_file_names_a_machine_or_a_lock_with_addresses():
    paths = re.compile(r"(?<![\w.])/(?:work|root|farm|home)/[\w.]")
    for file in tracked_files():
        assert file.name not in ("uv.lock", "poetry.lock", "package-lock.json")
        if file.suffix in {".py", ".md", ".toml", ".yml", ".txt", ".cfg", ".ipynb", ""} and file != Path(__file__):
            assert not paths.search(file.read_text(encoding="utf-8")), f"{file.name} holds a path of somebody's machine"


def test_the_package_is_code_data_and_results_and_small():
    # flit puts the whole folder into the wheel: a notebook or a picture that strays into it would go to every user
    files = [file for file in tracked_files() if file.is_relative_to(ROOT / "mcmteach")]
    assert {file.suffix for file in files} <= {".py", ".json", ".jsonl", ".gz", ".md", ".toml", ".txt", ".typed"}
    most = re.search(r"stays\s+below (\d+) MB on disk", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert sum(file.stat().st_size for file in files) < 1e6 * int(most[1])
    assert (ROOT / "mcmteach" / "py.typed").exists()  # or a user's mypy would not look at our annotations


def test_readme_shows_the_two_commands_first():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first_block = re.search(r"```\w*\n(.*?)```", readme, re.S)[1]
    assert "make lab" in first_block and "make test" in first_block
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "\npart make test\n" in gate


def test_what_the_readme_shows_is_what_its_files_say():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path, content in picture.files().items():
        assert path.read_bytes() == content, f"{path.name} is stale: make picture"
        assert f"]({path.relative_to(ROOT).as_posix()})" in readme
    welcome = lesson_path("welcome").read_text(encoding="utf-8")
    said = re.search(r"an SVM with (\d+) support vectors and by an MCM with (\d+)", readme).groups()
    assert said == tuple(re.findall(r"(?:SVM|MCM): +(\d+) support vectors, ", welcome))


def test_the_cell_for_colab_installs_nothing_elsewhere():
    page = (ROOT / "docs" / "DOORS.md").read_text(encoding="utf-8")
    cell = re.search(r"```python\n(.*?)```", page, re.S)[1]
    asked = []
    fake = types.SimpleNamespace(run_line_magic=lambda *words: asked.append(words))
    with mock.patch("IPython.get_ipython", return_value=fake):
        exec(cell, {})
        assert not asked
        with mock.patch.dict(sys.modules, {"google.colab": types.ModuleType("google.colab")}):
            exec(cell, {})
    assert [kind for kind, _ in asked] == ["pip"] and "mcmteach[lessons]" in asked[0][1]


def test_the_top_level_is_short():
    usual = {"LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "Makefile", "pyproject.toml", "requirements"}
    asked_for = {"README.md", "lessons", "mcmteach", "exercises", "tests", "environment.yml"}
    top = {file.relative_to(ROOT).parts[0] for file in tracked_files()}
    assert {name for name in top if not name.startswith(".")} == usual | asked_for | {"docs", "tools"}


PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/*.md",
    "lessons/*.md",
    "exercises/*.md",
    "mcmteach/datasets/*.md",
)


@pytest.mark.parametrize(
    "page", [page for pattern in PAGES for page in sorted(ROOT.glob(pattern))], ids=lambda page: page.name
)
def test_links_and_named_files_are_there(page):
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!http|#)([^)#]+)", re.sub(r"`[^`\n]+`", "", text)):
        assert (page.parent / link).exists(), f"{page.name} links to {link}, which is not there"
    for named in re.findall(r"`((?:mcmteach|tools|tests|docs|lessons|exercises)/[\w./]+\.\w+)`", text):
        made_up = {"NN", "topic"} & set(re.split(r"\W|_", named))
        assert made_up or (ROOT / named).exists(), f"{page.name} names {named}, which is not there"


def test_the_citation_is_of_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited)  # what the format asks for
    assert (cited["version"], cited["license"]) == (mcmteach.__version__, PYPROJECT["license"])
    assert [author["name"] for author in cited["authors"]] == [author["name"] for author in PYPROJECT["authors"]]


def test_hooks_before_a_commit_are_the_projects_own_tools():
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [repository["repo"] for repository in repositories] == ["local"], "another one would be fetched"
    for hook in repositories[0]["hooks"]:
        python, minus_m, module = hook["entry"].split()[:3]
        assert (hook["language"], python, minus_m) == ("system", ".venv/bin/python", "-m")
        assert importlib.util.find_spec(module), f"{hook['id']} needs {module}"


def test_classifiers_begin_where_requires_python_does():
    named = [
        c.split(" :: ")[2]
        for c in PYPROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", c)
    ]
    assert f">={named[0]}" == PYPROJECT["requires-python"]
    assert named == [f"3.{minor}" for minor in range(int(named[0][2:]), int(named[0][2:]) + len(named))]


# --- the core stands alone ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bare_environment(tmp_path_factory):
    """A folder that holds numpy, scipy and mcmteach and nothing else, and the environment of a Python that sees only it."""
    folder = tmp_path_factory.mktemp("bare")
    for package in (numpy, scipy):
        source = Path(package.__file__).parent
        for path in (source, source.with_name(f"{source.name}.libs")):
            if path.exists():
                (folder / path.name).symlink_to(path, target_is_directory=True)
    (folder / "mcmteach").symlink_to(ROOT / "mcmteach", target_is_directory=True)
    return {**os.environ, "PYTHONPATH": str(folder)}


def run_bare(bare_environment, code):
    result = python("-S", "-c", code, env=bare_environment, capture_output=True, text=True)  # -S: no site-packages
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_core_works_with_numpy_and_scipy_alone(bare_environment):
    out = run_bare(
        bare_environment,
        """
import mcmteach as mt
for name in mt.__all__:
    getattr(mt, name)
machine = mt.MCMClassifier(gamma=2.0).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [[1], [1], [0], [0]])
print(machine.predict([[0, 0], [0, 1]]).tolist(), mt.shatters([[0, 0], [1, 0], [0, 1]]))
for attempt in (lambda: mt.MCMClassifier().predict([[1]]), lambda: __import__("mcmteach.plots").plots.plot_vc_bound()):
    try:
        attempt()
    except mt.MCMError as error:
        print(type(error).__name__, error)
import sys
foreign = {name.split(".")[0] for name in sys.modules} & {"sklearn", "matplotlib", "ipywidgets", "IPython", "highspy", "pandas"}
print("foreign:", sorted(foreign))
""",
    )
    assert out.splitlines() == [
        "[1, 0] True",
        "NotFittedError This MCMClassifier instance is not fitted yet. Call fit(X, y) before asking it for an answer.",
        f'MissingExtraError Drawing needs matplotlib. Install it with: {sys.executable} -m pip install -e "{ROOT}[lessons]"',
        "foreign: []",
    ]


def test_import_is_quick(bare_environment):
    code = """
import time, numpy, scipy.linalg, scipy.optimize, scipy.sparse, scipy.spatial.distance, scipy.special
start = time.process_time()
import mcmteach
print(time.process_time() - start)
"""
    assert min(float(run_bare(bare_environment, code)) for _ in range(3)) < 0.5


def test_without_numpy_the_message_says_what_to_install(tmp_path):
    (tmp_path / "mcmteach").symlink_to(ROOT / "mcmteach", target_is_directory=True)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    result = python("-S", "-m", "mcmteach", "doctor", env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1 and "mcmteach needs numpy and scipy" in result.stderr
