"""The cheat sheet: it cites the ledger, and its one number is computed."""

import re

import mcmteach as mt
from tools.cheat_sheet import CITED, SOURCE, page
from tools.ledger import LEDGER, read_ledger


def test_every_equation_that_is_cited_has_its_function_beside_it():
    functions = {
        entry.id: entry.function.rpartition(".")[2] for entry in read_ledger(LEDGER.read_text(encoding="utf-8"))
    }
    cited = CITED.findall(SOURCE.read_text(encoding="utf-8"))
    assert len(set(cited)) >= 35
    assert all(f"{each} <code>{functions[each]}</code>" in page() for each in cited)
    assert not re.search(r"\[[NPS][(-]", page()), "a citation that was not understood"


def test_it_needs_nothing_else_and_every_formula_could_be_set():
    assert (
        "http:" not in page() and "https:" not in page() and "src=" not in page() and page().count('class="page"') == 2
    )
    assert "$" not in page() and "<code>\\" not in page()


def test_its_example_and_its_calls_are_right():
    text = SOURCE.read_text(encoding="utf-8")
    (percent,) = re.findall(r"\$M = 1000\$, \$5\\,\\%\$ errors, \$\\eta = 0\.05\$: at most \$(\d+)\\,\\%\$", text)
    assert int(percent) == round(100 * mt.vc_bound(0.05, h=3, M=1000, eta=0.05))
    assert all(hasattr(mt, name) for name in re.findall(r"mt\.(\w+)", text))
