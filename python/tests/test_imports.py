"""Which module of weft imports which: no circle, and nothing of NumPy's face imports Jupyter's."""

import ast
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
import weft

ROOT = Path(weft.__file__).parent


def modules(root):
    """The modules of the package in a folder, by dotted name: their files, and whether they are packages."""
    found = {}
    for path in sorted(root.rglob("*")):
        suffix = next((s for s in (".py", ".abi3.so", *EXTENSION_SUFFIXES) if path.name.endswith(s)), None)
        if suffix is None:
            continue
        *folders, name = path.relative_to(root.parent).parts
        is_package = name == "__init__.py"
        found[".".join([*folders, *([] if is_package else [name.removesuffix(suffix)])])] = path, is_package
    return found


def imports(name, known):
    """The modules of the package that one of them imports, wherever in its text, functions included.

    An import of a module loads the packages around it, too, as it loads those of the module that imports it: they do not count.
    """
    path, is_package = known[name]
    if path.suffix != ".py":
        return
    parts = name.split(".")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            around = parts[: len(parts) - node.level + is_package] if node.level else []
            whole = ".".join([*around, *filter(None, [node.module])])
            for alias in node.names:
                if f"{whole}.{alias.name}" in known:
                    yield f"{whole}.{alias.name}"
                elif whole in known:
                    yield whole


def graph(root):
    known = modules(root)
    return {name: sorted(set(imports(name, known))) for name in known}


def circle(edges):
    """Modules that import one another in a circle, the first of them twice; an empty list where there is none."""
    done = set()

    def search(name, path):
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return []
        for other in edges[name]:
            if found := search(other, [*path, name]):
                return found
        done.add(name)
        return []

    return next(filter(None, (search(name, []) for name in edges)), [])


def reached(edges, names):
    """All modules that some import, directly or through others."""
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += edges[name]
    return found


def of_jupyter(name):
    return name == "weft.jupyter" or name.startswith("weft.jupyter.")


def test_no_module_imports_itself_by_way_of_others():
    assert circle(graph(ROOT)) == []


def test_numpys_face_does_not_know_jupyters():
    wrong = {name: [other for other in others if of_jupyter(other)] for name, others in graph(ROOT).items() if not of_jupyter(name)}
    assert {name: others for name, others in wrong.items() if others} == {}


# Statements whose first run once loaded numpy.f2py and what that needs, or may: functions that weft makes of NumPy's text, and modules of
# NumPy's that weft has a face of.
FIRST = """
y, x = np.mgrid[0:100, 0:100]
np.r_[0.5 * np.ones(1000), 1.0]
np.gradient(np.ones((100, 100)))
np.random.default_rng(1).random(3)
np.linalg.svd(np.ones((3, 4)))
np.fft.fft(np.ones(50))
np.histogram(np.linspace(0, 1, 50), 5)
np.cov(np.ones((3, 400)))
np.unique(np.arange(50) % 7, return_counts=True)
str(np.ones((3, 4)))
"""


def test_what_runs_first_loads_no_more_of_numpy_than_under_numpy():
    text = f"import sys\n{FIRST}\nprint(*sorted(name for name in sys.modules if name.partition('.')[0] == 'numpy'))"
    loaded = []
    for name in ("weft", "numpy"):
        told = subprocess.run([sys.executable, "-c", f"import {name} as np\n{text}"], capture_output=True, text=True, check=True)
        loaded.append(set(told.stdout.split()))
    assert loaded[0] <= loaded[1]


def test_the_kernel_loads_no_array_code_before_a_cell_uses_it():
    """weft_kernel.EARLY names what of NumPy's face may be imported while its package is not loaded."""
    sys.path.insert(0, str(ROOT.parent))
    try:
        import weft_kernel
    finally:
        sys.path.pop(0)
    edges = graph(ROOT)
    # These modules are imported by functions that the user calls, and may load everything.
    later = {"weft", "weft.profile", "weft.overview"}
    early = reached({name: [other for other in others if other not in later] for name, others in edges.items()}, filter(of_jupyter, edges))
    needed = {name.removeprefix("weft.") for name in early if not of_jupyter(name)} - {"_core"}
    assert needed | {"jupyter"} == weft_kernel.EARLY


@pytest.mark.parametrize(
    ("texts", "want"),
    [
        ({"__init__": "from . import a", "a": "from .b import x", "b": "import json"}, []),
        ({"__init__": "", "a": "from .b import x", "b": "def f():\n    from . import a"}, ["box.a", "box.b", "box.a"]),
        ({"__init__": "from . import a", "a": "from . import name"}, ["box", "box.a", "box"]),
        ({"__init__": "from .a import name", "a": "import box"}, ["box", "box.a", "box"]),
    ],
)
def test_circles_are_found(tmp_path, texts, want):
    (tmp_path / "box").mkdir()
    for name, text in texts.items():
        (tmp_path / "box" / f"{name}.py").write_text(text)
    assert circle(graph(tmp_path / "box")) == want
