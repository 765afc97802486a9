"""Examples in docstrings, the README and the guide have the shown results."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import twmd

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
HERE = Path(__file__).parents[1]
MODULES = ["twmd", *(f"twmd.{each.name}" for each in pkgutil.iter_modules(twmd.__path__))]
DOCUMENTS = [HERE / "README.md", HERE / "../../docs/python.md"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0


def test_docstrings_have_examples() -> None:
    found = [case for name in MODULES for case in doctest.DocTestFinder().find(importlib.import_module(name)) if case.examples]
    assert len(found) >= 10


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```\w+\n(>>> .*?)^```$", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) > 2
    monkeypatch.chdir(tmp_path)
    case = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, path.name, str(path), 0)
    assert doctest.DocTestRunner(optionflags=FLAGS).run(case).failed == 0
