"""Headless execution of notebooks: what ``weft exec`` runs.

The notebook is executed by the real kernel over the real wire protocol, one progress line
per cell, and saved with its outputs. What --profile, --dataflow and --event ask for is
written beside the saved notebook.
"""

import argparse
import os
import pathlib
import re
import sys
import time

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbclient.util import run_sync

from . import settings

PROFILE = ".weftprof"

# What each option writes: the option, the suffix of the file, and the code which the kernel
# runs to write it. The timeline is of everything since the last %weft_config, the graphs are
# of the last cell that ran operations.
ARTIFACTS = (
    ("profile", PROFILE, "weft.profile.save({path!r})"),
    ("profile", ".timeline.html", "weft.profile.timeline('*').save({path!r})"),
    ("dataflow", ".dataflow.svg", "weft.profile.dataflow().save({path!r})"),
    ("event", ".events.svg", "weft.profile.events().save({path!r})"),
)

# How to look at a file, by its last suffix.
OPENED_BY = {
    ".ipynb": "open it in Jupyter: make lab, or jupyter lab",
    ".html": "open it in a browser; it needs nothing else",
    ".svg": "open it in a browser",
    ".weftprof": "weft view {path}",
}

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def parse(argv):
    """Split the command line into our options and the runtime's flags."""
    parser = argparse.ArgumentParser(
        prog="weft exec",
        description="Execute a notebook with the weft kernel and save it with its outputs.",
        epilog="Other flags (--cpus 4, --gpus 2 --emulate, ...) choose the machine.",
    )
    parser.add_argument("-o", "--output", help="where to save; default: over the input")
    parser.add_argument("--kernel", default="weft", help="name of the kernelspec")
    parser.add_argument("--timeout", type=float, default=None, help="seconds that a cell may take")
    for name in ("profile", "dataflow", "event"):
        parser.add_argument(f"--{name}", action="store_true", help=f"write the {name} beside the output")
    options, rest = parser.parse_known_args(argv)
    notebooks = [word for word in rest if word.endswith(".ipynb")]
    if len(notebooks) != 1:
        parser.error(f"want one notebook (a file *.ipynb), got {notebooks or rest or 'none'}")
    rest.remove(notebooks[0])
    return options, notebooks[0], rest


def first_line(source):
    """The first telling line of a cell, shortened for the progress line."""
    for line in source.splitlines():
        line = line.strip()
        if line and not line.startswith(("#", '"""')):
            return line if len(line) <= 60 else line[:57] + "..."
    return ""


class Progress:
    """Prints one line per code cell when it has ended."""

    def __init__(self, notebook):
        codes = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code" and cell.source.strip()]
        self.number = {index: k + 1 for k, index in enumerate(codes)}
        self.started = 0.0

    def start(self, cell, cell_index):
        self.started = time.monotonic()

    def done(self, cell, cell_index, execute_reply):
        if cell_index not in self.number:
            return
        took = time.monotonic() - self.started
        status = execute_reply["content"]["status"]
        mark = "" if status == "ok" else f"  ** {status}"
        print(f"  cell {self.number[cell_index]:2}/{len(self.number)}  {took:7.2f} s  {first_line(cell.source)}{mark}", flush=True)


def run_code(client, code, path):
    """Have the kernel write a file."""
    reply = run_sync(client.kc.execute_interactive)(
        "import weft\n" + code.format(path=path), store_history=False, output_hook=lambda msg: None, timeout=60
    )
    content = reply["content"]
    if content["status"] != "ok":
        raise RuntimeError(f"cannot write {path}: {content.get('ename')}: {content.get('evalue')}")


def artifact(output, suffix):
    """The absolute path of a file beside the output."""
    return os.path.abspath(str(pathlib.Path(output).with_suffix("")) + suffix)


def write_artifacts(client, options, output):
    """Ask the kernel for the files that the options want; returns their paths."""
    written = []
    for option, suffix, code in ARTIFACTS:
        if not getattr(options, option):
            continue
        path = artifact(output, suffix)
        run_code(client, code, path)
        written.append(path)
    return written


def execute(path, options, flags):
    """Run the notebook at path; returns 0, or 1 after an error in a cell."""
    try:
        notebook = nbformat.read(path, as_version=4)
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, AttributeError, KeyError) as error:
        # Of JSON that is no notebook, nbformat says so in one of several ways.
        raise RuntimeError(f"{path} is not a notebook: {str(error).splitlines()[0]}") from None
    output = options.output or path
    # Before the work, not after it, is the time to find out that nothing can be saved there.
    pathlib.Path(output).parent.mkdir(parents=True, exist_ok=True)
    if flags:
        os.environ["WEFT_ARGS"] = " ".join(filter(None, [os.environ.get("WEFT_ARGS"), *flags]))
    progress = Progress(notebook)
    client = NotebookClient(
        notebook,
        kernel_name=options.kernel,
        timeout=options.timeout,
        resources={"metadata": {"path": str(pathlib.Path(path).resolve().parent)}},
        on_cell_start=progress.start,
        on_cell_executed=progress.done,
    )
    print(f"executing {path} with the kernel {options.kernel!r}", flush=True)
    failure = None
    written = []
    with client.setup_kernel():
        try:
            if options.profile:
                run_code(client, "weft.profile.record({path!r})", artifact(output, PROFILE))
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
            client.set_widgets_metadata()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            failure = error
        nbformat.write(notebook, output)
        written.append(os.path.abspath(output))
        if failure is None:
            written += write_artifacts(client, options, output)
        elif options.profile:
            written.append(artifact(output, PROFILE))  # up to the failure
    for file in written:
        short = os.path.relpath(file)
        print(f"  wrote {short:28} {OPENED_BY[pathlib.Path(file).suffix].format(path=short)}")
    if failure is not None:
        text = str(failure) or type(failure).__name__
        print(text if sys.stderr.isatty() else COLOURS.sub("", text), file=sys.stderr)
        return 1
    return 0


def main(argv=None):
    """Entry point of ``weft exec`` and ``python -m weft.notebook``."""
    options, path, flags = parse(sys.argv[1:] if argv is None else argv)
    try:
        settings.start(flags, kernel=False)  # only to find mistakes before the kernel starts
    except ValueError as error:
        print(f"weft exec: {error}", file=sys.stderr)
        return 2
    try:
        return execute(path, options, flags)
    except OSError as error:
        print(f"weft exec: {error.filename}: {error.strerror}", file=sys.stderr)
    except NoSuchKernel as error:
        print(f"weft exec: no kernel named {error.name!r}; run make build, or weft install --user", file=sys.stderr)
    except RuntimeError as error:
        print(f"weft exec: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
