"""Headless execution of notebooks: what ``weft exec`` runs.

The notebook is executed by the real kernel over the real wire protocol, one progress line
per cell, and saved with its outputs. What --profile, --dataflow and --event ask for is
written beside the saved notebook. With -o - the notebook goes to standard output, everything that is
said to standard error, and the other files lie beside the notebook that was read.
"""

import argparse
import contextlib
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
from .profilefiles import PROFILE, claim, release

TIMELINE = ".timeline.html"

# What each option writes: the option, the suffix of the file, and the code which the kernel
# runs to write it. The timeline is of everything since the last %weft_config, the graphs are
# of the last cell that ran operations.
ARTIFACTS = (
    ("profile", PROFILE, "weft.profile.save({path!r})"),
    ("profile", TIMELINE, "weft.profile.timeline('*').save({path!r})"),
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
    parser.add_argument("-o", "--output", help="where to save; - is standard output; default: over the input")
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
        "import weft\n" + code.format(path=path), silent=True, output_hook=lambda msg: None, timeout=60
    )
    content = reply["content"]
    if content["status"] != "ok":
        raise RuntimeError(f"cannot write {path}: {content.get('ename')}: {content.get('evalue')}")


def settle(client):
    """Wait for what the last cells left to run, so that what shows their progress says how it ended."""

    def updated(msg):
        if msg["msg_type"] == "update_display_data":
            client.process_message(msg, None, -1)  # of whichever cell has shown it

    # An operation whose value was not asked for may have failed; its cell did not.
    run_sync(client.kc.execute_interactive)("import weft\nweft._core.sync()", silent=True, output_hook=updated)


def write_artifacts(client, options, stems):
    """Ask the kernel for the files that the options want; returns their paths. stems maps options to names without suffixes."""
    written = []
    for option, suffix, code in ARTIFACTS:
        if not getattr(options, option):
            continue
        path = stems[option] + suffix
        run_code(client, code, path)
        written.append(path)
    return written


@contextlib.contextmanager
def standard_output():
    """Standard output for the notebook alone: what is said meanwhile, here and by processes from here, goes to standard error."""
    sys.stdout.flush()
    with open(os.dup(1), "w", encoding="utf-8") as alone:
        os.dup2(2, 1)
        try:
            yield alone
        finally:
            sys.stdout.flush()
            os.dup2(alone.fileno(), 1)


def execute(path, options, flags, standard):
    """Run the notebook at path; returns 0, or 1 after an error in a cell. standard is where -o - writes."""
    try:
        notebook = nbformat.read(path, as_version=4)
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, AttributeError, KeyError) as error:
        # Of JSON that is no notebook, nbformat says so in one of several ways.
        raise RuntimeError(f"{path} is not a notebook: {str(error).splitlines()[0]}") from None
    output = path if standard else options.output or path
    # Before the work, not after it, is the time to find out that nothing can be saved there.
    pathlib.Path(output).parent.mkdir(parents=True, exist_ok=True)
    if flags:
        os.environ["WEFT_ARGS"] = " ".join(filter(None, [os.environ.get("WEFT_ARGS"), *flags]))
    stem = os.path.abspath(pathlib.Path(output).with_suffix(""))
    stems = {"dataflow": stem, "event": stem}
    if not options.profile:
        return run_cells(notebook, path, options, stems, standard or output)
    stems["profile"] = claim(stem, TIMELINE)
    try:
        return run_cells(notebook, path, options, stems, standard or output)
    finally:
        release(stems["profile"])


def run_cells(notebook, path, options, stems, output):
    """Run the cells in a kernel of their own, and write the notebook, to the file or path output, and what options ask for."""
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
                run_code(client, "weft.profile.record({path!r})", stems["profile"] + PROFILE)
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
            settle(client)
            client.set_widgets_metadata()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            failure = error
        nbformat.write(notebook, output)
        if isinstance(output, str):
            written.append(os.path.abspath(output))
        if failure is None:
            written += write_artifacts(client, options, stems)
        elif options.profile:
            written.append(stems["profile"] + PROFILE)  # up to the failure
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
        with standard_output() if options.output == "-" else contextlib.nullcontext() as standard:
            return execute(path, options, flags, standard)
    except OSError as error:
        print(f"weft exec: {error.filename}: {error.strerror}", file=sys.stderr)
    except NoSuchKernel as error:
        print(f"weft exec: no kernel named {error.name!r}; run make build, or weft install --user", file=sys.stderr)
    except RuntimeError as error:
        print(f"weft exec: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
