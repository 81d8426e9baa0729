"""The laboratory (JupyterLite) in a real browser: what ``tests.browser.lab`` does with JupyterLab, with no Python behind."""

from __future__ import annotations

import ast
import json
from typing import Any

from tests.browser.lab import Lab


class Laboratory(Lab):
    """A browser page on the laboratory of a built site. The waits, the panels, the quizzes are those of JupyterLab."""

    def open(self, path: str) -> None:
        self.page.goto(f"{self.server.url}laboratory/lab/index.html?path={path}")
        shown = f"return panel?.context?.path === {json.dumps(path)} && panel.context.isReady;"
        self.ask(shown, f"{path} opens")
        # between the last file and the first answer it shows no progress
        self.ask("return idle();", f"the kernel of {path} is ready", patience=5)

    def run(self, code: str) -> Any:
        """As JupyterLab does; but this kernel knows no user expressions, so the value comes as a result."""
        script = f"""
            const request = {{code: {json.dumps(f"import json; json.dumps({code})")}, store_history: false}};
            const future = kernel.requestExecute(request);
            let said = '';
            future.onIOPub = message => {{ said = message.content.data?.['text/plain'] ?? message.content.evalue ?? said; }};
            const reply = await future.done;
            return [said, reply.content.status];"""
        answer, status = self.ask(script, f"the kernel says {code}")
        assert status == "ok", f"{code}: {answer}"
        return json.loads(ast.literal_eval(answer))

    def put(self, sources: dict[str, str]) -> None:
        """What stands in the cells with these ids."""
        script = f"""
            const sources = {json.dumps(sources)};
            for (const cell of panel.content.widgets) cell.model.sharedModel.setSource(sources[cell.model.id]);
            return true;"""
        self.ask(script, "the cells hold other sources")

    def results_of(self, start: str) -> list[str]:
        """What the cells of code that start so have given, as text."""
        script = f"""
            const asked = code().filter(cell => cell.model.sharedModel.source.startsWith({json.dumps(start)}));
            return asked.map(cell => [outputs(cell)[0]?.data?.['text/plain'] ?? ''].flat().join(''));"""
        return self.ask(script, f"what {start} gives")
