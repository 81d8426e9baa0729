"""Individual numbers: where a source says ``{{n|5, 8, 13}}``, each student gets one of these, chosen by a keyed hash.

The same name without values, ``{{n}}``, stands for the same number everywhere in the notebook. With the key
every student's numbers can be computed again, so nothing has to be stored; without it they cannot be predicted. If no key is
given, everybody gets the first value.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Any

from mcmteach.errors import InvalidInputError

PLACE = re.compile(r"\{\{\s*(?P<name>[a-zA-Z]\w*)\s*(?:\|(?P<values>[^{}]*))?\}\}")


def choose(notebook: Any, key: str, student: str) -> dict[str, str]:
    """Put a student's numbers into a notebook; {name: value}. A name whose values are nowhere listed is an error."""
    text = "\n".join(cell.source for cell in notebook.cells)
    values = {p["name"]: [v.strip() for v in p["values"].split(",")] for p in PLACE.finditer(text) if p["values"]}
    unknown = {p["name"] for p in PLACE.finditer(text)} - values.keys()
    if unknown:
        raise InvalidInputError(
            f"No values are listed for {{{{{min(unknown)}}}}}: write {{{{{min(unknown)}|2, 3, 5}}}} once."
        )
    chosen = {name: options[draw(key, student, name, len(options))] for name, options in values.items()}
    for cell in notebook.cells:
        cell.source = PLACE.sub(lambda place: chosen[place["name"]], cell.source)
    return chosen


def draw(key: str, student: str, what: str, count: int) -> int:
    """A number below ``count``, which depends on the key, the student and what it is for.

    Examples
    --------
    >>> draw("", "Ada", "n", 5)
    0
    >>> draw("secret", "Ada", "n", 1000) == draw("secret", "Ada", "n", 1000) != draw("secret", "Ben", "n", 1000)
    True
    """
    if not key:
        return 0
    message = "\0".join([student.casefold().strip(), what]).encode("utf-8", "replace")
    return int.from_bytes(hmac.new(key.encode(), message, hashlib.sha256).digest()) % count
