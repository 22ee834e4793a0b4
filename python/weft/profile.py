"""What really ran: timelines, dataflow and event graphs, and profiles, as objects and files.

    weft.profile.timeline()                      # in a notebook: shows the last cell's timeline
    weft.profile.dataflow(3).save("graph.svg")   # the graph of cell 3
    weft.profile.save("run.weftprof")            # everything; open it with: weft view run.weftprof
"""

import builtins
import json
import linecache
import os
import sys
from contextlib import ContextDecorator

from . import _array_names, _call_stacks, _core, sampling
from ._units import SIZES, amount


class Picture:
    """A drawing in several forms. Jupyter shows the richest one; save() writes the one that the suffix names.

    Attributes: cell (str), text (str), and those of dot, svg, html and page (a whole HTML page) that the
    kind of drawing has, else "".
    """

    def __init__(self, cell: str, text: str, dot: str = "", svg: str = "", html: str = "", page=""):
        self.cell = cell
        self.text = text
        self.dot = dot
        self.svg = svg
        self.html = html
        self._page = page  # or a function that makes it: a page of its own holds more than one in a notebook

    @property
    def page(self) -> str:
        if callable(self._page):
            self._page = self._page()
        return self._page

    def _forms(self):
        return {".svg": self.svg, ".dot": self.dot, ".html": self._page or self.html, ".txt": self.text}

    def save(self, path: str | os.PathLike) -> None:
        """Write to a file: .svg, .html, .txt, or of graphs also .dot, .png or .pdf decide the form.

        Graphviz draws .png in a child process; .pdf needs a program "dot" on the PATH.
        """
        suffix = os.path.splitext(os.fspath(path))[1].lower()
        forms = {key: text for key, text in self._forms().items() if text}
        from . import graphfiles  # with the modules that only pictures need

        drawn = graphfiles.DRAWN if self.dot else {}
        if suffix not in forms and suffix not in drawn:
            # A graph that could not be drawn says why in its text.
            why = f"; {self.text}" if suffix in self._forms() else ""
            raise ValueError(f"cannot save to {os.fspath(path)!r}: the suffix must be one of {', '.join([*forms, *drawn])}{why}")
        if suffix in drawn:
            data = drawn[suffix](self.dot)
        else:
            data = (self.page if suffix == ".html" and self._page else forms[suffix]).encode()
        with open(path, "wb") as file:
            file.write(data)

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = {"text/plain": self.text, "image/svg+xml": self.svg, "text/html": self.html}
        return {mime: data for mime, data in bundle.items() if data}

    def __repr__(self):
        return self.text


class counting(ContextDecorator):
    """with counting(): lines are counted that read or write single elements, or ask for numbers, for weft.advice()."""

    def __enter__(self):
        _core.query("counting", "on")

    def __exit__(self, *error):
        _core.query("counting", "off")


def timeline(cell: int | str | None = None) -> Picture:
    """timeline(cell=None): the tasks, copies and waits of a cell over time, a lane for each processor.

    cell is the number of a cell, "*" for everything since the runtime started, or None for the last
    cell (in a script: for the script) that ran operations.
    """
    data = _drawn("timeline", cell)
    return Picture(data["cell"], data["text"], svg=data["svg"], html=data["html"], page=data["page"])


def dataflow(cell: int | str | None = None) -> Picture:
    """dataflow(cell=None): the operations of a cell and the arrays between them, as a graph."""
    return _graph("dataflow", cell)


def plan(cell: int | str | None = None) -> Picture:
    """plan(cell=None): what became of a cell's operations: what runs as one pass, what does not and why, what was copied."""
    data = _drawn("plan", cell)
    return Picture(data["cell"], data["text"])


def events(cell: int | str | None = None) -> Picture:
    """events(cell=None): the tasks and copies of a cell and what waited for what, as a graph."""
    return _graph("events", cell)


class Verification:
    """What verify() found out; printing it says it in words.

    Attributes: cell and text (str); tasks, by kind (dict); conflicts, reads and fused (how many were checked);
    unchecked (what the log no longer had, or would have taken too long); wrong (how many violations there are) and
    violations, the first of them (list of dict: text, invariant, op, task, other).
    """

    def __init__(self, data):
        self.__dict__.update(data)

    @property
    def ok(self) -> bool:
        """Whether there is no violation."""
        return self.wrong == 0

    def __repr__(self):
        return self.text.rstrip()


def verify(cell: int | str | None = "*") -> Verification:
    """verify(cell="*"): look back at what ran, and check by brute force that it cannot be told from running line by line.

    Recomputes from the elements of every view, without the scheduler's reasoning: which tasks conflict, whether they
    waited for each other and their times are in order; whether every read found what the last write before it left;
    and whether what was fused may be. It covers what is still logged, some ten thousand operations, of a cell or of
    everything. Violations are not raised but written to stderr: they are faults of weft, not of your program.
    WEFT_DEBUG=check checks the same while it runs.
    """
    failure = ""
    try:
        _core.sync()
    except Exception as error:  # of operations whose values the program never asked for
        failure = f"  not told before: {type(error).__name__}: {error}\n"
    data = json.loads(_core.query("verify", _argument(cell)))
    data["text"] += failure
    found = Verification(data)
    if not found.ok:
        print(f"weft: VIOLATIONS\n{found}", file=sys.stderr)
    return found


class range(ContextDecorator):
    """range(name): a named part of the program, which the timeline shows above what ran in it.

        with weft.profile.range("assemble"):
            ...

    It is a decorator as well. What it spans is the program's own time: operations that are still under way
    at its end run on behind it. Nsight Systems and other tools that know NVTX show it, too.
    """

    def __init__(self, name: str):
        self.name = str(name)
        self._begun = []  # of each entry: a function may call itself

    def __enter__(self):
        self._begun.append(_core.begin_range(self.name))
        return self

    def __exit__(self, *error):
        _core.end_range(self.name, self._begun.pop())
        return False


class lines:
    """lines(): a with statement around a part of the program, and then what each line of it cost.

        with weft.profile.lines() as report:
            ...
        print(report)

    The time of the whole block, line by line: Python, calls of libraries and C functions, array work that was waited for or
    done in between, and what the runtime took. Bytes of the operations that a line asked for, their rate beside what this machine
    copies, what was fused, copied, left to NumPy or waited for, and what would help. At the end of
    the block it waits until all of that has run. title and text are the program; by default the file of the statement.
    Python's main thread is looked at a thousand times a second; a block on another thread has no times of Python.

    Attributes, once the block has ended: text, svg and html; and data, the report as a dict, in nanoseconds.
    """

    def __init__(self, title: str | None = None, text: str | None = None):
        self.title, self.source = title, text
        self.text = self.svg = self.html = ""
        self.data = None

    def __enter__(self):
        if not _core.started():
            _core.start()
        if self.title is None:
            path = sys._getframe(1).f_code.co_filename
            self.title = os.path.basename(path)
            self.source = "".join(linecache.getlines(path))
            _core.name_source(path, self.title)
        _core.sync()
        self._since = json.loads(_core.query("mark", ""))
        self._looked_at = _core.sample_begin(sampling.whose)
        return self

    def __exit__(self, *error):
        try:
            _core.sync()
        except (RecursionError, MemoryError):
            raise
        except Exception:  # of operations whose values were not asked for: the line that asks raises it
            if not any(error):
                raise
        finally:
            sites = _core.sample_end() if self._looked_at else []
            asked = {"Name": self.title, "Text": self.source, "Since": self._since, "Sites": sampling.names(sites), "Modules": sampling.modules(sites), "Sampled": self._looked_at}
            data = json.loads(_core.query("lines", json.dumps(asked)))
            self.text, self.svg, self.html, self.data = data["text"].rstrip(), data["svg"], data["html"], data["lines"]
        return False

    _repr_mimebundle_ = Picture._repr_mimebundle_

    def __repr__(self):
        return self.text


def record(path: str | os.PathLike) -> None:
    """record(path): write everything from now on to a profile while it happens; save(path) completes it.

    After a crash the file holds all but the last half second. Where the runtime is changed (%weft_config), the second
    one is recorded to a file of its own: run.2.weftprof beside run.weftprof.
    """
    _core.query("record", os.fspath(path))


def progress(shown: bool = True) -> None:
    """progress(shown=True): whether long waits say their reason: below the cell, or on a terminal in a line.

    The environment's WEFT_PROGRESS=off does the same from the beginning.
    """
    _core.query("progress", "on" if shown else "off")


def contradictions(cell: int | str | None = "*") -> list[str]:
    """contradictions(cell="*"): what cannot be true in the records: overlaps on a processor, tasks before those that they
    wait for, bytes given back that were never taken. An empty list is the good answer; verify() looks deeper, at elements.
    """
    _core.sync()
    return json.loads(_core.query("validate", _argument(cell)))


def where() -> str:
    """where(): what the cells that run are doing at this moment, or in a script the other threads; %where prints it."""
    return _call_stacks.report()


class Memory(Picture):
    """What memories hold; see memory(). memories and arrays have the same as lists of dict, bytes as int."""

    def __init__(self, cell, memories, arrays, svg, picture):
        self.memories, self.arrays = memories, arrays
        lines = [[row["name"], _size(row["live"]), _size(row["peak"]), _size(row["total"]) if row["total"] else "", str(row["buffers"])] for row in memories]
        held = [[row["name"], row["type"], _size(row["bytes"]), row["where"]] for row in arrays[:_SHOWN]]
        tables = [(["memory", "in use", "peak", "of", "buffers"], lines), (["variable", "array", "bytes", "where"], held)]
        tables = [table for table in tables if table[1]]
        text = "\n\n".join(_aligned(*table) for table in tables)
        page = "".join(_html_table(*table) for table in tables)
        if len(arrays) > _SHOWN:
            text += f"\nand {len(arrays) - _SHOWN} smaller ones"
            page += f"<small>and {len(arrays) - _SHOWN} smaller ones</small>"
        super().__init__(cell, text, svg=svg, html=page + picture)


_SHOWN = 20  # variables


def _size(n):
    return amount(n, SIZES) if n else "0 B"


def _aligned(head, rows):
    wide = [max(len(row[i]) for row in [head, *rows]) for i in builtins.range(len(head))]
    return "\n".join("  ".join(word.ljust(n) for word, n in zip(row, wide, strict=True)).rstrip() for row in [head, *rows])


def _html_table(head, rows):
    import html

    names = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    cells = "".join("<tr>" + "".join(f"<td>{html.escape(word)}</td>" for word in row) + "</tr>" for row in rows)
    return f'<table style="text-align:left"><tr>{names}</tr>{cells}</table>'


def memory(cell: int | str | None = "*", names: dict | None = None) -> Memory:
    """memory(cell="*", names=None): what each memory holds, which variables' arrays take most of it, and a plot over time.

    The plot is of a cell, or of everything. names maps variables to values; by default those of the caller. A view is listed
    with the bytes that it shows, not with those that it keeps alive.
    """
    data = json.loads(_core.query("memory", _argument(cell)))
    if names is None:
        frame = sys._getframe(1)
        names = {**frame.f_globals, **frame.f_locals}
    arrays = []
    for name, value in list(names.items()):
        if type(value) is _core.ndarray and not name.startswith("_"):
            where = ", ".join(f"{_size(n)} on {place}" for place, n in json.loads(value._placed).items())
            kind = f"{value.dtype} {value.shape}" + ("" if value.base is None else ", a view")
            arrays.append({"name": name, "type": kind, "bytes": value.nbytes, "where": where})
    arrays.sort(key=lambda row: (-row["bytes"], row["name"]))
    return Memory(data["cell"], data["memories"], arrays, data["svg"], data["html"])


class Viewer:
    """The address of this process's viewer; in a notebook a link."""

    def __init__(self, url):
        self.url = url

    def _repr_html_(self):
        import html

        return f'<a href="{html.escape(self.url)}" target="_blank" rel="noopener">timeline of this process</a>'

    def __repr__(self):
        return self.url


def viewer() -> Viewer:
    """viewer(): the address of a page with the timeline and the graphs of everything that has run in this process.

    It is for browsers on this machine. Where a proxy stands in between, WEFT_VIEWER_URL is its address, with %PORT% for
    the port (https://hub.example.org/user/me/proxy/%PORT%/), and WEFT_VIEWER_HOSTS its names, if there are others; on a
    JupyterHub they are found in the environment.
    """
    return Viewer(_core.query("viewer"))


def summary(cell: int | str | None = "*") -> str:
    """summary(cell="*"): where the time and the memory went, as text."""
    _core.sync()
    return _core.query("summary", _argument(cell))


def save(path: str | os.PathLike) -> None:
    """save(path): write everything that was recorded to a profile, which "weft view" opens."""
    _core.sync()
    _core.query("save", os.fspath(path))


def _argument(cell):
    if cell is None:
        return ""
    return f"In[{cell}]" if isinstance(cell, int) else str(cell)


def _drawn(what, cell):
    _core.sync()
    return json.loads(_core.query(what, _argument(cell)))


def _graph(what, cell):
    _array_names.from_frames(3)
    data = _drawn(what, cell)
    text = data["text"]
    if data["error"]:
        text += f"; not drawn: {data['error']}"

    def page():
        # The same cell, also when others have run since.
        name = {"everything": "*", "all operations": ""}.get(data["cell"], data["cell"])
        return _core.query({"dataflow": "flowpage", "events": "taskpage"}[what], name)

    return Picture(data["cell"], text, dot=data["dot"], svg=data["svg"], html=data["html"], page=page)
