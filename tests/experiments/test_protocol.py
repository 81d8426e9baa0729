"""The engine: the same numbers however it is run, nothing lost, nothing mixed, and no peeping at the test fold."""

import json
import os
import sys
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach import experiments as ex
from mcmteach.__main__ import main
from mcmteach.datasets import stratified_folds
from mcmteach.errors import InvalidInputError, MissingExtraError
from mcmteach.experiments import protocol as folds
from mcmteach.experiments import rules, run, tables
from mcmteach.experiments import test_chosen as peeping
from mcmteach.experiments.parallel import Progress
from mcmteach.experiments.run import Task

QUICK = ex.HONEST._replace(
    name="quick", C=(1.0,), gamma=(0.25,), sparsity=(1.0, 0.3), gamma_c=(2.0,), D=(1.0,), keep=1,
    svc_C=(1.0, 10.0), svc_gamma=(1.0,), n_folds=2, inner_folds=2,
)  # fmt: skip
QUICK_PAPER = ex.PAPER._replace(
    name="quick-paper", C=(2.0**-7, 2.0), gamma=(2.0**-8,), sparsity=(0.01,), gamma_c=(2, 10, 100, 1000),
    svc_C=(0.1, 10.0), svc_gamma=(0.01, 0.1, 1.0), n_folds=2,
)  # fmt: skip
SETS = ["seeds", "promoters"]


def without_times(record):
    if isinstance(record, dict):
        return {name: without_times(value) for name, value in record.items() if name != "seconds"}
    return record


def stored(folder, protocol=QUICK):
    store = ex.Store(folder)
    return {
        (name, fold["fold"]): without_times(fold)
        for name in store.sets(protocol)
        for fold in store.folds(protocol, name)
    }


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Two sets, two folds each, computed in this process."""
    folder = tmp_path_factory.mktemp("reference")
    summary = ex.reproduce(QUICK, SETS, ex.Store(folder), progress=False)
    assert (summary.computed, summary.reused, summary.lost) == (4, 0, [])
    return folder


def fake(dataset, fold, protocol):
    """A fold that costs nothing."""
    return {
        "set": dataset, "fold": fold, "protocol": protocol.name, "fingerprint": protocol.fingerprint(dataset),
        "columns": {c: {"accuracy": 0.5 + fold / 10, "n_support": 3} for c in protocol.columns},
    }  # fmt: skip


def dies_once(marker, dataset, fold, protocol):
    if dataset == "seeds" and fold == 1 and not marker.exists():
        marker.touch()
        os._exit(1)
    return fake(dataset, fold, protocol)


def dies_always(dataset, fold, protocol):
    if dataset == "seeds" and fold == 1:
        os._exit(1)
    return fake(dataset, fold, protocol)


# --- the same numbers however it is run ------------------------------------------------------------------------------


def test_two_jobs_give_the_numbers_of_one(reference, tmp_path):
    ex.reproduce(QUICK, SETS, ex.Store(tmp_path), jobs=2, progress=False)
    assert stored(tmp_path) == stored(reference)
    assert len(stored(tmp_path)) == 4


def test_a_dask_cluster_gives_them_too(reference, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:  # fmt: skip
        summary = ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "a"), dask=cluster.scheduler_address, progress=False)
        assert summary.computed == 4 and stored(tmp_path / "a") == stored(reference)
        # and a worker that dies hands its fold to another
        address = cluster.scheduler_address
        work = partial(dies_once, tmp_path / "died")
        again = ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "b"), dask=address, progress=False, work=work)
        assert (tmp_path / "died").exists() and again.computed == 4 and not again.lost


def test_an_interrupted_run_goes_on_where_it_was(tmp_path):
    store, asked = ex.Store(tmp_path), []

    def interrupted(dataset, fold, protocol):
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append(Task(dataset, fold))
        return fake(dataset, fold, protocol)

    with pytest.raises(KeyboardInterrupt):
        ex.reproduce(QUICK, SETS, store, progress=False, work=interrupted)
    assert len(stored(tmp_path)) == 3
    later = []
    summary = ex.reproduce(QUICK, SETS, store, progress=False, work=lambda *a: later.append(a[:2]) or fake(*a))
    assert (summary.computed, summary.reused) == (1, 3)
    assert {*asked, *later} == {(name, fold) for name in SETS for fold in (0, 1)} and len(later) == 1


def test_progress_says_how_far_it_is_and_counts_large_sets_for_more(tmp_path, capsys):
    ex.reproduce(QUICK, SETS, ex.Store(tmp_path), work=fake)
    err = capsys.readouterr().err
    assert "quick protocol: 100%" in err and "4 of 4, seeds, fold 1" in err and " left" in err
    bar = Progress("work", {"small": 1.0, "large": 8.0, "first": 1.0}, done=["first"])
    assert (bar.bar.n, bar.bar.total) == (1.0, 10.0)
    bar.step("small")
    assert bar.bar.n == 2.0 and "2 of 3, small" in str(bar.bar)
    bar.close()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "carrier-pigeon://somewhere:1"])
def test_an_address_without_a_scheduler_is_one_clear_sentence(tmp_path, capsys, address):
    distributed = pytest.importorskip("distributed")  # before its settings are changed: importing it makes them
    with distributed.client.dask.config.set({"distributed.comm.timeouts.connect": "200ms"}):
        assert main(["reproduce", "table2", "--sets", "seeds", "--results", str(tmp_path), "--dask", address]) == 2
    err = capsys.readouterr().err
    assert f"There is no Dask scheduler at {address}" in err and "--jobs N" in err and "Traceback" not in err


# --- workers that die, folds that fail -------------------------------------------------------------------------------


def test_a_worker_that_dies_is_said_and_its_fold_tried_again(tmp_path, capsys):
    work = partial(dies_once, tmp_path / "died")
    summary = ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "r"), jobs=2, progress=False, work=work)
    assert (tmp_path / "died").exists()
    assert summary.computed == 4 and not summary.lost and len(stored(tmp_path / "r")) == 4
    assert "worker process died" in capsys.readouterr().err


def test_a_fold_that_kills_every_worker_is_lost_and_the_others_are_not(tmp_path):
    summary = ex.reproduce(QUICK, SETS, ex.Store(tmp_path), jobs=2, progress=False, work=dies_always)
    assert [task for task, _ in summary.lost] == [("seeds", 1)]
    assert summary.computed == 3 and len(stored(tmp_path)) == 3
    assert "seeds, fold 1" in str(summary) and "died twice" in str(summary) and "same command" in str(summary)
    # the next run tries it once more
    assert ex.reproduce(QUICK, SETS, ex.Store(tmp_path), progress=False, work=fake).computed == 1


def test_an_exception_in_one_fold_leaves_the_others_alone(tmp_path):
    def broken(dataset, fold, protocol):
        return fake(dataset, fold, protocol) if fold else 1 / 0

    summary = ex.reproduce(QUICK, SETS, ex.Store(tmp_path), progress=False, work=broken)
    assert summary.computed == 2 and "ZeroDivisionError" in str(summary)


def test_a_fold_with_one_class_is_an_answer_that_says_so(tmp_path, monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.repeat([-1.0, 1.0], 10)
    with pytest.raises(InvalidInputError, match="training part of fold 0 holds one class"):
        folds.compute(X, y, np.arange(10), np.arange(8, 20), QUICK, seed=0)
    with pytest.raises(InvalidInputError, match="test part holds one class"):
        folds.compute(X, y, np.arange(20), np.arange(10), QUICK, seed=0)
    monkeypatch.setattr(folds, "load_table", lambda *a: (X, np.ones(20)))
    summary = ex.reproduce(QUICK, ["seeds"], ex.Store(tmp_path), progress=False)
    assert summary.computed == 2
    assert "seeds, fold 0: InvalidInputError: y holds one class only" in ex.table2(QUICK, ex.Store(tmp_path), ["seeds"])


# --- what is stored --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", ['{"set": "seeds", "fo', b"\xff\xfe\x00", "[1, 2]", "", '{"fingerprint": 3}'])
def test_a_corrupt_file_is_said_moved_aside_and_computed_again(tmp_path, capsys, broken):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, SETS, store, progress=False, work=fake)
    path = store.path(QUICK, "seeds", 1)
    before = path.read_text()
    path.write_bytes(broken if isinstance(broken, bytes) else broken.encode())
    summary = ex.reproduce(QUICK, SETS, store, progress=False, work=fake)
    assert (summary.computed, summary.reused) == (1, 3)
    assert "seeds.1.json cannot be read" in capsys.readouterr().err
    assert path.read_text() == before and path.with_suffix(".corrupt").exists()


def test_a_file_under_the_wrong_name_is_not_believed(tmp_path, capsys):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, SETS, store, progress=False, work=fake)
    store.path(QUICK, "seeds", 0).replace(store.path(QUICK, "seeds", 1))
    assert store.read(QUICK, "seeds", 1) is None
    assert "does not hold what its name says" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda columns: columns.pop("svc"), "lacks the column 'svc'"),
        (lambda columns: columns["mcm"].pop("accuracy"), "'mcm' lacks the number 'accuracy'"),
        (lambda columns: columns["mcm"].update(n_support="many"), "'mcm' lacks the number 'n_support'"),
        (lambda columns: columns.update(mcm=3), "no attribute 'get'"),
    ],
)
def test_a_record_that_lacks_a_number_is_computed_again_and_no_table_falls_over_it(tmp_path, capsys, spoil, message):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    record = store.read(QUICK, "seeds", 1)
    spoil(record["columns"])
    store.write(QUICK, record)
    assert "Some folds are missing: seeds" in ex.table2(QUICK, store, ["seeds"])
    assert message in capsys.readouterr().err and store.path(QUICK, "seeds", 1).with_suffix(".corrupt").exists()
    assert ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake).computed == 1
    assert "missing" not in ex.table3(QUICK, store, ["seeds"])


def test_a_broken_file_that_cannot_be_moved_does_not_count(tmp_path, capsys, monkeypatch):
    """As in a package that belongs to the administrator."""
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    store.path(QUICK, "seeds", 1).write_text("{")

    def refused(*paths):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refused)
    assert store.read(QUICK, "seeds", 1) is None
    assert "could not be moved aside (Permission denied)" in capsys.readouterr().err


def test_what_another_solver_found_is_shown_but_not_mixed_into_a_run(tmp_path, monkeypatch):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    other = "linprog" if rules.solver() == "highs" else "highs"
    monkeypatch.setattr(rules, "solver", lambda: other)
    monkeypatch.setattr(run, "solver", lambda: other)
    assert len(store.folds(QUICK, "seeds")) == 2 and "not run" not in ex.table2(QUICK, store, ["seeds"])
    assert ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake).computed == 2
    assert all(row.complete for row in ex.summarise(ex.HONEST)), "the package's own results are shown with either"


@pytest.mark.parametrize("change", [{"C": (2.0,)}, {"version": 99}, {"seed": 1}])
def test_results_of_other_rules_are_stale(tmp_path, change):
    store, other = ex.Store(tmp_path), QUICK._replace(**change)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    assert store.folds(other, "seeds") == [] and len(store.folds(QUICK, "seeds")) == 2
    assert "not run" in ex.table2(other, store, ["seeds"])
    assert ex.reproduce(other, ["seeds"], store, progress=False, work=fake).computed == 2


def test_a_folder_that_cannot_be_is_refused_before_anything_is_computed(tmp_path):
    (tmp_path / "here").touch()
    with pytest.raises(InvalidInputError, match="is a file"):
        ex.Store(tmp_path / "here")
    with pytest.raises(InvalidInputError, match=r"cannot be kept in .* Choose a folder"):
        ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "here" / "below"), progress=False, work=None)


# --- what a fold computes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
def test_the_numbers_are_those_of_a_pipeline_fitted_to_the_training_part(reference, name):
    (fold, *_) = ex.Store(reference).folds(QUICK, name)
    loaded = mt.load_dataset(name)
    X, y = loaded.data, loaded.target
    train, test = stratified_folds(y, 2, QUICK.seed)[0]
    solver = rules.solver()
    for column, kind in (("mcm", mt.MCMClassifier), ("conformal", mt.ConformalMCMClassifier)):
        numbers = fold["columns"][column]
        machine = make_pipeline(
            SimpleImputer(strategy="median", keep_empty_features=True),
            StandardScaler(),
            kind(solver=solver, **numbers["params"]),
        )
        machine.fit(X[train], y[train])
        assert machine.score(X[test], y[test]) == pytest.approx(numbers["accuracy"], abs=1.5 / len(test))
        assert machine[-1].n_support_ == pytest.approx(numbers["n_support"], abs=2)  # parameters have six digits
        assert numbers["gap"] < 1e-6 and numbers["h"] >= 1
    assert fold["columns"]["conformal"]["J_after"] > fold["columns"]["conformal"]["J_before"]
    larger = int(np.mean(y[train]) > 0.5)
    assert fold["columns"]["majority"]["accuracy"] == pytest.approx(np.mean(y[test] == larger), abs=1e-5)

    inner = stratified_folds(y[train], 2, QUICK.seed + 1)
    gamma = 1 / X.shape[1]
    search = GridSearchCV(
        make_pipeline(StandardScaler(), SVC(gamma=gamma)), [{"svc__C": [1.0]}, {"svc__C": [10.0]}], cv=inner
    ).fit(X[train], y[train])
    svc = fold["columns"]["svc"]
    assert svc["params"]["C"] == search.best_params_["svc__C"]
    assert svc["accuracy"] == pytest.approx(search.score(X[test], y[test]), abs=1e-5)
    assert svc["n_support"] == search.best_estimator_[-1].n_support_.sum()


def test_honest_choices_do_not_see_the_test_labels_and_the_papers_do():
    X, y = folds.load_table("sonar", QUICK)
    train, test = stratified_folds(y, 2, 0)[0]
    other = y.copy()
    other[test] = -y[test]  # whoever chose by these would now choose what was worst
    wide = QUICK._replace(sparsity=(3.0, 1.0, 0.3, 0.1), gamma_c=(0.5, 10.0, 100.0), svc_C=(0.1, 1.0, 10.0))
    honest = [folds.compute(X, labels, train, test, wide, 0)["columns"] for labels in (y, other)]
    for column in ("mcm", "conformal", "svc"):
        one, two = (columns[column] for columns in honest)
        assert (one["params"], one["n_support"]) == (two["params"], two["n_support"])
        assert one["accuracy"] != two["accuracy"]
    paper = [folds.compute(X, labels, train, test, QUICK_PAPER, 0)["columns"] for labels in (y, other)]
    one, two = (columns["mcm"] for columns in paper)  # C and gamma are chosen on a part of the training part
    assert one["params"] == two["params"]
    peeped = [c for c in ("conformal", "lp0_conformal", "svc") if paper[0][c]["params"] != paper[1][c]["params"]]
    assert peeped
    assert all(paper[0][c]["chosen_on"] == "the test fold" for c in ("conformal", "lp0_conformal", "svc", "sigmoid"))


def test_the_papers_gamma_c_is_the_best_of_all_on_the_test_fold():
    X, y = folds.load_table("glass", QUICK_PAPER)
    train, test = stratified_folds(y, 2, 0)[0]
    whole = folds.compute(X, y, train, test, QUICK_PAPER, 0)["columns"]
    one_each = [
        folds.compute(X, y, train, test, QUICK_PAPER._replace(gamma_c=(factor,)), 0)["columns"]
        for factor in QUICK_PAPER.gamma_c
    ]
    for column in ("conformal", "lp0_conformal"):
        assert whole[column]["accuracy"] == max(columns[column]["accuracy"] for columns in one_each)
        assert whole[column]["programmes"] == len(QUICK_PAPER.gamma_c)


def test_the_plain_programme_is_solved_as_solve_mcm_solves_it(moons):
    X, y = np.r_[moons[0], moons[0][:5]], np.r_[moons[1], -moons[1][:5]]  # five contradictions: the optimum is above 1
    K = mt.rbf_kernel(X, X, 100.0)
    reference = mt.solve_mcm(K, y, C=0.1, sparsity=0, solver="linprog")
    lp = peeping._plain(ex.PAPER)(K, y, 0.1, 0.0)
    assert reference.objective > 1.5 and reference.certificate.proves_optimal()
    assert 1 / (1 - lp.gap) == pytest.approx(reference.objective)


def test_a_programme_that_needs_too_many_steps_has_failed_and_is_counted():
    X, y = folds.load_table("glass", QUICK_PAPER)
    train, test = stratified_folds(y, 2, 0)[0]
    columns = folds.compute(X, y, train, test, QUICK_PAPER._replace(max_iter=3), 0)["columns"]
    assert columns["lp0"]["failed"] == columns["lp0"]["programmes"] == 3 and columns["lp0"]["solved"] is False
    assert columns["lp0"]["accuracy"] == columns["majority"]["accuracy"]
    assert columns["mcm"]["failed"] == 0


def test_columns_that_leak_are_left_out_honestly():
    for name, leaks in rules.LEAKS.items():
        names = mt.load_dataset(name).feature_names
        assert set(leaks) <= set(names)
        assert folds.load_table(name, ex.HONEST)[0].shape[1] == len(names) - len(leaks)
        assert folds.load_table(name, ex.PAPER)[0].shape[1] == mt.load_dataset(name, encode="ordinal").data.shape[1]


def test_the_papers_grids():
    assert (len(ex.PAPER.C), ex.PAPER.C[0], ex.PAPER.C[1] / ex.PAPER.C[0]) == (11, 2**-19, 4)
    assert sorted(ex.PAPER.gamma) == [2.0**k for k in range(-12, -7)]
    assert len(ex.PAPER.gamma_c) == 22 and (min(ex.PAPER.gamma_c), max(ex.PAPER.gamma_c)) == (2, 5000)


# --- tables ----------------------------------------------------------------------------------------------------------


def test_tables_show_mean_and_sd_and_what_is_missing(reference):
    store = ex.Store(reference)
    values = [100 * fold["columns"]["mcm"]["accuracy"] for fold in store.folds(QUICK, "seeds")]
    text = ex.table2(QUICK, store, [*SETS, "glass"])
    assert f"{np.mean(values):.2f} ± {np.std(values, ddof=1):.2f}" in text
    assert "not run" in text and "reproduce table2 --protocol quick --sets glass" in text
    assert "MCM - conformal MCM" in text and "inside the training part" in text
    counts = [fold["columns"]["svc"]["n_support"] for fold in store.folds(QUICK, "promoters")]
    assert f"{np.mean(counts):.1f} ± {np.std(counts, ddof=1):.1f}" in ex.table3(QUICK, store, SETS)
    assert "J before" in ex.details(QUICK, store, SETS)


def test_markdown_and_a_set_that_is_half_done(reference, tmp_path):
    store = ex.Store(tmp_path)
    store.write(QUICK, fake("seeds", 0, QUICK))
    text = ex.table2(QUICK, store, ["seeds"], markdown=True)
    head, rule, row = text.split("\n\n")[1].splitlines()
    assert head == "| data set | MCM | conformal MCM | SVC | majority |" and rule == "| --- | --: | --: | --: | --: |"
    assert row.count("50.00 ± 0.00*") == 4 and "Some folds are missing: seeds" in text
    assert "not estimates" in tables.heading(2, "", ex.PAPER) and "TEST FOLD" in tables.heading(2, "", ex.PAPER)
    with pytest.raises(InvalidInputError, match="no set"):
        tables.command("table2", QUICK, [])


# --- the command line ------------------------------------------------------------------------------------------------


def test_the_command_computes_stores_and_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(ex.PROTOCOLS, "honest", QUICK._replace(name="honest"))
    command = ["reproduce", "table2", "--sets", "seeds", "--results", str(tmp_path)]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "seeds" in out and "conformal MCM" in out and "2 folds computed" in err
    assert "as printed (27 rows)" in out and "3.8e-05" in out and "0.73" in out  # DESIGN's fact 7
    assert main([*command, "--markdown"]) == 0
    out, err = capsys.readouterr()
    assert "| seeds |" in out and "0 folds computed, 2 taken" in err
    assert main(["reproduce", "table3", "--sets", "seeds", "--results", str(tmp_path)]) == 0
    assert "SVC / conformal MCM" in capsys.readouterr().out
    assert sorted(json.loads(p.read_text())["fold"] for p in tmp_path.rglob("*.json")) == [0, 1]


def test_an_unknown_set_is_refused_with_the_nearest_names(tmp_path, capsys):
    assert main(["reproduce", "table2", "--sets", "sonnar", "--results", str(tmp_path)]) == 2
    assert "no data set 'sonnar'. The nearest: sonar" in capsys.readouterr().err
    with pytest.raises(InvalidInputError, match="blood-transfusion"):
        ex.choose_sets(["blood"])
    with pytest.raises(InvalidInputError, match=r"magic-gamma has 19020 samples.* reproduce table4"):
        ex.choose_sets(["magic-gamma"])
    sizes = [mt.load_dataset(name).data.shape[0] for name in ex.choose_sets()]
    assert sizes == sorted(sizes) and len(sizes) == 23


def test_without_the_fast_solver_the_command_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ex, "reproduce", lambda *a, **k: ex.Summary(0, 0, []))
    command = ["reproduce", "table2", "--sets", "seeds", "--results", str(tmp_path)]
    for solver, said in (("linprog", True), ("highs", False)):
        monkeypatch.setattr(rules, "solver", lambda solver=solver: solver)
        assert main(command) == 0
        assert ('pip install "mcmteach[fast]"' in capsys.readouterr().err) is said


def test_an_interrupted_command_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def interrupted(*arguments, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(ex, "reproduce", interrupted)
    assert main(["reproduce", "table2", "--results", str(tmp_path)]) == 130
    assert "goes on from there" in capsys.readouterr().err


def test_a_lost_fold_is_an_exit_status(tmp_path, monkeypatch):
    monkeypatch.setattr(ex, "reproduce", lambda *a, **k: ex.Summary(0, 0, [(Task("seeds", 0), "gone")]))
    assert main(["reproduce", "table2", "--sets", "seeds", "--results", str(tmp_path)]) == 1


def test_help_names_everything(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", "--help"])
    out = capsys.readouterr().out
    assert stop.value.code == 0
    for word in (
        "table2",
        "table3",
        "table4",
        "figure2",
        "--protocol",
        "--jobs",
        "--dask",
        "--results",
        "honest",
        "hours",
    ):
        assert word in out


def test_figure2_prints_its_numbers_and_draws_where_it_is_told(tmp_path, capsys, monkeypatch):
    assert main(["reproduce", "figure2"]) == 0
    out = capsys.readouterr().out
    assert "test accuracy" in out and "--picture figure2.png" in out
    picture = tmp_path / "figure2.png"
    assert main(["reproduce", "figure2", "--picture", str(picture)]) == 0
    assert f"The picture is in {picture}." in capsys.readouterr().out
    height, width, _ = plt.imread(picture).shape
    assert height > width > 1000
    for bad, message in (
        (["figure2", "--picture", str(tmp_path / "a.what")], "'what' is not supported"),
        (["figure2", "--picture", str(tmp_path / "nowhere" / "a.png")], "No such file"),
        (["figure2", "--sets", "glass", "seeds", "--picture", "a.png"], "takes one data set"),
        (["table2", "--picture", "a.png"], "belongs to figure2"),
    ):
        assert main(["reproduce", *bad]) == 2
        assert message in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert main(["reproduce", "figure2", "--picture", str(picture)]) == 2
    assert "Drawing needs matplotlib" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "arguments", "package"),
    [("joblib", {"jobs": 2}, "joblib"), ("distributed", {"dask": "tcp://x:1"}, "distributed"), ("tqdm", {}, "tqdm")],
)
def test_a_missing_package_is_named_with_its_extra(tmp_path, monkeypatch, module, arguments, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf'need {package}.*pip install "mcmteach\[experiments\]"'):
        ex.reproduce(QUICK, SETS, ex.Store(tmp_path), work=fake, **{"progress": module == "tqdm", **arguments})


def test_without_scikit_learn_a_fold_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(MissingExtraError, match="scikit-learn"):
        rules.load_svc()
