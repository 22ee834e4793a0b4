"""All names of numba.cuda, and of the decorators beside it, that programs use: each is there, and something tests it.

kernels/names.txt has a line for each: the name, what covers it, and for what weft refuses, why. What covers a name is a row of
kernels/rows.py, whose PTX is golden and is executed, or a test; its text, with that of what it names in its file, has the name in it.

kernels/numbas_names.txt has all names that numba.cuda, its objects and numba have. Each is in names.txt, or one of a family that is, or
weft lacks it and says why (python/weft/compiled/lacking.py).
"""

import ast
import contextlib
import functools
import importlib
import inspect
import pathlib
import re
import textwrap

import pytest
from conftest import ROOT
from kernels import rows
from weft import _core, cuda, numba
from weft.compiled import errors, lacking, parallel, types
from weft.cuda import devices, dispatch, overloads


@cuda.jit
def kernel(x):
    x[0] = 1


# What the first word of a name is an attribute of; kernels' words are known to the compiler, and rows and tests compile them.
OWNERS = {
    "cuda": cuda, "numba": numba, "Dispatcher": kernel, "Launch": kernel[1, 1], "Overload": overloads.Overload, "Array": _core.ndarray,
    "Records": cuda.device_array(1, [("x", "f4")]), "Stream": cuda.stream(), "Event": cuda.cudadrv.driver.Event, "Device": devices.Device,
    "Context": devices.Context, "Devices": type(cuda.gpus), "Reduce": cuda.Reduce, "Ufunc": numba.vectorize(lambda x: x),
    "Gufunc": numba.guvectorize("(n)->(n)")(lambda x, out: None), "Njit": numba.njit(lambda x: x),
}  # fmt: skip
FILE = ROOT / "tests" / "kernels" / "names.txt"


def lines():
    """Each line as name, what covers it, and why it is refused; a line of # begins a group."""
    for line in FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, covers, *why = (part.strip() for part in line.split(" | "))
            yield pytest.param(name, covers.split(), "".join(why), id=name)


@functools.cache
def definitions(path):
    """The texts of what a file defines, by name."""
    text, made = path.read_text(), {}
    for node in ast.parse(text).body:
        names = [node.name] if hasattr(node, "name") else [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        for name in names:
            made[name] = made.get(name, "") + "\n".join(text.splitlines()[first - 1 : node.end_lineno]) + "\n"
    return made


@functools.cache
def text_of_test(where):
    """The text of a test, and of what it uses of its file."""
    file, name = where.split("::")
    known = definitions(next(p for p in (ROOT / "python" / "tests" / file, ROOT / "tests" / file) if p.exists()))
    assert name.startswith("test_") and name in known, f"there is no test {where}"
    found, wanted = {}, [name]
    while wanted:
        name = wanted.pop()
        if name in known and name not in found:
            found[name] = known[name]
            wanted += re.findall(r"\w+", known[name])
    return "\n".join(found.values())


@functools.cache
def text_of_row(name):
    """The text of the kernel of a row, and of the functions of its file that it calls."""
    row = rows.CONTENTS[name]
    function = getattr(row.kernel, "py_func", row.kernel)
    text = inspect.getsource(function)
    path = pathlib.Path(inspect.getsourcefile(function) or "")
    known = definitions(path) if path.exists() else {}
    return text + "\n".join(known[word] for word in set(re.findall(r"\w+", text)) & set(known))


def text_of(where):
    return text_of_row(where.removeprefix("rows:")) if where.startswith("rows:") else text_of_test(where)


def imported(where):
    """What a test's file imports by a name of its own: the last two parts of what it is, by that name."""
    if where.startswith("rows:"):
        function = rows.CONTENTS[where.removeprefix("rows:")].kernel
        path = pathlib.Path(inspect.getsourcefile(getattr(function, "py_func", function)) or "")
    else:
        file = where.split("::")[0]
        path = next(p for p in (ROOT / "python" / "tests" / file, ROOT / "tests" / file) if p.exists())
    made = {}
    for node in ast.walk(ast.parse(path.read_text())) if path.exists() else ():
        for alias in node.names if isinstance(node, ast.ImportFrom | ast.Import) else ():
            full = f"{getattr(node, 'module', None) or ''}.{alias.name}".strip(".")
            made[alias.asname or alias.name] = ".".join(full.split(".")[-2:])
    return made


# Statements and expressions that are names of their own.
SYNTAX = (ast.While, ast.Continue, ast.Raise, ast.Assert, ast.Lambda, ast.Match)


def programs(text):
    """A text as a program; where it is none, those lines of it that are, in which | is the end of a line: bodies of kernels are written so."""
    made = []
    for part in [text] if len(text.splitlines()) < 2 else [text, *text.splitlines()]:
        with contextlib.suppress(SyntaxError, ValueError):
            made.append(ast.parse(textwrap.dedent(part.replace("|\n", "\n").replace("|    ", "\n    "))))
            if part is text:
                break
    return made


def names_in(tree, aliases):
    """The names of a program, in whole: words, and the last two parts of those with dots. A text that is a program has names, too."""
    found = set()
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="split", value=ast.Constant(value=str(text)))):
                found |= {"split", *text.split()}
            case ast.Name(id=word):
                full = aliases.get(word, word)
                found |= {word, full, full.rsplit(".", 1)[-1]}
            case ast.Attribute(attr=word, value=ast.Name(id=owner) | ast.Attribute(attr=owner)):
                found |= {word, f"{owner}.{word}", f"{aliases.get(owner, owner).rsplit('.', 1)[-1]}.{word}"}
            case ast.Attribute(attr=word) | ast.keyword(arg=str(word)) | ast.FunctionDef(name=word) | ast.ClassDef(name=word):
                found.add(word)
            case ast.Constant(value=str(text)) if id(node) not in prose:
                for program in programs(text):
                    found |= names_in(program, aliases)
            case _ if isinstance(node, SYNTAX):
                found.add(type(node).__name__.lower())
    return found


@functools.cache
def names_of(where):
    """The names in what covers a name."""
    return names_in(ast.parse(textwrap.dedent(text_of(where))), imported(where))


def parts(name):
    """The path of a name, its options, and the names that what covers it has; a text that is said has none."""
    if name.startswith('"'):
        return None, [], []
    path, options = re.fullmatch(r"([\w.]+)(?:\((.*)\))?", name).groups()
    options = [option.strip() for option in options.split(",")] if options else []
    owner, *rest = path.split(".")
    owned = [owner, *rest][-2:] if owner in ("cuda", "numba") else rest[-2:]
    return path, options, options if owned[-1] == "__call__" else [".".join(owned), *options]


@pytest.mark.parametrize("name, covers, why", list(lines()))
def test_name(name, covers, why):
    path, options, words = parts(name)
    assert covers, f"{name}: nothing covers it"
    owner, *rest = path.split(".") if path else [""]
    if owner in OWNERS:
        found = resolved(OWNERS[owner], rest)
        if not why:
            assert found is not ..., f"weft has no {name}"
            assert not options or set(options) <= taken(found), f"{name}: it takes {taken(found)}"
    for where in covers:
        missing = set(words) - names_of(where)
        assert not missing, f"{where} says nothing of {missing}"
        if not path:
            assert name.strip('"') in text_of(where).replace("\\", ""), f"{where} says nothing of {name}"


def resolved(found, path):
    """What a path of names leads to; an ellipsis where it leads nowhere."""
    for word in path:
        if found is cuda and word == "random":
            found = importlib.import_module("weft.cuda.random")
            continue
        found = getattr(found, word, ...)
    return found


def taken(found):
    """The names of what a function takes."""
    more = dispatch._HINTS if found is cuda.jit else parallel._OPTIONS if found is numba.njit else ()
    return set(inspect.signature(found).parameters) | set(more)


# Names of Numba's that have no line of their own: what has them, which they are, and the line that is about all of them.
FAMILIES = (
    ("cuda", re.compile(r"((u?(char|short|int|long|longlong))|float|double)[1-4]|(u?int(8|16|32|64)|float(32|64))x[1-4]"), "kernel.vector_types"),
    ("cuda", re.compile("|".join((*types.__all__, "bool", "types", "errors"))), "numba.types"),
    ("numba", re.compile("|".join((*types.__all__, "bool"))), "numba.types"),
    ("numba", re.compile("|".join(errors.__all__)), "numba.errors"),
    ("cuda.cudadrv.error", re.compile("CudaSupportError|NvvmSupportError"), "cuda.CudaSupportError"),
    ("cuda.cudadrv.driver", re.compile("CudaSupportError"), "cuda.CudaSupportError"),
    ("cuda", re.compile("devicearray|driver|devices|reduction"), "cuda.cudadrv.driver.CudaAPIError"),
    ("cuda.cg", re.compile("GridGroup"), "kernel.cg.this_grid"),
    ("cuda.libdevice", re.compile(".*"), "kernel.libdevice"),
    ("cuda.fp16", re.compile(".*"), "kernel.fp16"),
    ("cuda.bf16", re.compile(".*"), "kernel.bf16"),
    ("Mapped", re.compile(".*"), "cuda.mapped_array"),
    ("Managed", re.compile(".*"), "cuda.managed_array"),
)
# What has the same attributes as something else, or for which weft has one class.
SAME = {"Mapped": "Array", "Managed": "Array", "DUFunc": "Ufunc", "GUFunc": "Gufunc"}
NUMBAS = ROOT / "tests" / "kernels" / "numbas_names.txt"


def numbas_names():
    """What has names in Numba, and these."""
    version, *listed = NUMBAS.read_text().replace("\n ", " ").splitlines()
    assert re.match(r"# numba [\d.]+, numba-cuda [\d.]+: by numbas_names.py", version)
    for line in listed:
        owner, names = line.split(":")
        yield owner, names.split()


def known_lines():
    """The names that lines of names.txt are about."""
    return {name.split("(")[0] for name, *_ in (line.values for line in lines()) if not name.startswith('"')}


def beginnings(names):
    """What has the names: each one's first words."""
    return {".".join(words[:n]) for words in (name.split(".") for name in names) for n in range(1, len(words))}


def unknown_names(listed):
    """The names of Numba's that no line of names.txt has, and that weft does not say to lack; and those that it says to lack and has."""
    known = known_lines()
    owners = beginnings(known)
    for owner, names in listed:
        called = SAME.get(owner, owner)
        first, *rest = called.split(".")
        has = cuda.device_array((1, 1)) if called == "Array" else resolved(OWNERS[first], rest)  # which an array lacks, its class refuses
        for name in names:
            there = hasattr(has, name) if owner != "cuda" or name != "random" else True
            if lacking.why(called, name):
                if there:
                    yield f"{owner}.{name}: weft has it, and lacking.py says that it has not"
                continue
            full = {f"{called}.{name}", f"kernel.{name}", f"{called.replace('cuda.', 'kernel.')}.{name}", *(family(owner, name))}
            if not there:
                yield f"{owner}.{name}: weft has it not, and does not say why: see python/weft/compiled/lacking.py"
            elif not full & (known | owners):
                yield f"{owner}.{name}: names.txt has no line for it"


def family(owner, name):
    return (line for has, of, line in FAMILIES if has == owner and of.fullmatch(name))


def test_numbas_names():
    """Each name of Numba's is covered, or weft says why it has none; Numba itself, where it is installed, has the names that are listed."""
    listed = list(numbas_names())
    missing = list(unknown_names(listed))
    assert not missing, "\n".join(missing)
    assert {of for of in lacking.owners()} <= {SAME.get(owner, owner) for owner, _ in listed}
    named = {owner: set(names) for owner, names in listed}
    for owner in named:
        made = {name for other, names in listed if SAME.get(other, other) == SAME.get(owner, owner) for name in names}
        assert set(lacking.names(SAME.get(owner, owner))) <= made, f"lacking.py has names of {owner} that Numba has not"
    assert len(list(unknown_names([("cuda", ["nothing", "grid"]), ("Stream", ["nothing"])]))) == 2


def test_names_are_whole_words_of_programs():
    """Parts of words, prose and names of other owners do not count; names under others do, and those of programs in texts."""
    program = '''
from weft import cuda as gpu
def test(x):
    """all_sync is said here."""
    """
    while
    """
    gpu.to_device(x, stream=0); ballot_sync_all(x.shape.size)
    run("for v in np.nditer(x):|    lane(v)"); "is no cuda.grid of it"; "one two".split()
'''
    found = names_in(ast.parse(program), {"gpu": "weft.cuda"})
    assert {"cuda.to_device", "to_device", "stream", "ballot_sync_all", "shape.size", "np.nditer", "lane", "two"} <= found
    assert not {"ballot_sync", "all_sync", "grid", "cuda.grid", "while", "cuda.size", "sync", "device"} & found


def test_what_is_not_there_is_missed():
    """The test of names fails for a name that weft lacks, an option that is not taken, a test that is not there, and one of another thing."""
    for name, covers in (
        ("cuda.nothing", "rows:votes"), ("cuda.to_device(nothing)", "test_cuda_host.py::test_memory"), ("kernel.ballot_sync", "test_cuda_host.py::test_nothing"),
        ("kernel.ballot_sync", "rows:bits_i4"), ("cuda.to_device", ""),
    ):  # fmt: skip
        with pytest.raises((AssertionError, KeyError)):
            test_name(name, covers.split(), "")
