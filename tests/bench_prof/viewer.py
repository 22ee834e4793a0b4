"""What the timeline does in Chromium: the delay from a task's begin to its bar on the screen while a run goes on, and the
time of frames, the memory and the first picture of profiles of ten million spans, and of a gigabyte.

    go test ./viz/live -run none -bench Answer10M                         # what the server takes, without a browser
    WEFT_BENCH_PROFILE=wide.weftprof go test ./viz/live -run none -bench Answer10M/exact
    WEFT_BENCH_BYTES=1e9 WEFT_BENCH_PROFILE=$PWD/long.weftprof go test ./viz/live -run none -bench LongProfile -benchtime 1x
    PYTHONPATH=tests python -m bench_prof.viewer viz/live/wide.weftprof long.weftprof   # profiles to open, and a live run

Prints a row of JSON for each.
"""

import json
import pathlib
import subprocess
import sys
import time

from lab import browser

WEFT = pathlib.Path(__file__).resolve().parents[2] / "bin" / "weft"

READ = "() => document.documentElement.dataset.total && !document.getElementById('notes').textContent.includes('being read')"
DEADLINE = 600_000  # milliseconds in which any profile is read

LIVE = """
import weft as np
import weft
print(weft.profile.viewer().url, flush=True)
a = np.random.default_rng(1).random((1500, 1500))
while True:
    b = a
    for _ in range(20):
        b = np.sin(b) + a
    float(b.sum())
"""

FRAMES = """async (steps) => {
    const canvas = document.getElementById("canvas");
    const box = canvas.getBoundingClientRect();
    const gaps = [];
    let last = await new Promise(requestAnimationFrame);
    for (let i = 0; i < steps; i++) {
        canvas.dispatchEvent(new WheelEvent("wheel", { clientX: box.left + 500, clientY: box.top + 60, bubbles: true, cancelable: true,
            deltaY: i % 3 == 2 ? 0 : (i % 60 < 30 ? -60 : 60), deltaX: i % 3 == 2 ? 40 : 0 }));
        const now = await new Promise(requestAnimationFrame);
        gaps.push(now - last);
        last = now;
    }
    gaps.sort((a, b) => a - b);
    return { gap_p50: gaps[Math.floor(steps / 2)], gap_p95: gaps[Math.floor(steps * 0.95)] };
}"""


def dataset(page):
    return page.evaluate("() => ({ ...document.documentElement.dataset })")


def wait(page, condition):
    page.wait_for_function("() => { const d = document.documentElement.dataset; return " + condition + "; }")


def live(page):
    """Task start to bar on the screen, 95th percentile in ms."""
    with subprocess.Popen([sys.executable, "-c", LIVE], stdout=subprocess.PIPE, text=True) as run:
        try:
            page.goto(run.stdout.readline().strip())
            wait(page, "(d.delay ?? '0 0').split(' ')[1] >= 300")
            delay, bars = dataset(page)["delay"].split()
            return {"what": "task start to bar on screen", "p95_ms": float(delay), "tasks": int(bars), "draw_p95_ms": float(dataset(page)["frame"])}
        finally:
            run.kill()


def opened(page, profile):
    """Opening a profile, and moving about in it."""
    began = time.monotonic()
    with subprocess.Popen([WEFT, "view", profile, "--no-browser"], stdout=subprocess.PIPE, text=True) as view:
        try:
            address = view.stdout.readline().split(" at ")[-1].strip()
            read = time.monotonic() - began
            page.goto(address)
            wait(page, "Number(d.bars) > 0")
            first = time.monotonic() - began
            page.wait_for_function(READ, timeout=DEADLINE)
            whole = time.monotonic() - began
            frames = page.evaluate(FRAMES, 600)
            told = dataset(page)
            session = page.context.new_cdp_session(page)
            session.send("HeapProfiler.collectGarbage")
            heap = session.send("Runtime.getHeapUsage")
            status = pathlib.Path(f"/proc/{view.pid}/status").read_text()
            server = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
            return {
                "what": "a profile of many spans", "spans": int(told["total"]), "file_mb": round(pathlib.Path(profile).stat().st_size / 1e6),
                "read_s": round(read, 2), "first_picture_s": round(first, 2), "whole_s": round(whole, 2), "draw_p95_ms": float(told["frame"]),
                **{key: round(value, 1) for key, value in frames.items()},
                "page_heap_mb": round((heap["usedSize"] + heap.get("backingStorageSize", 0)) / 1e6), "server_mb": round(server * 1024 / 1e6),
            }
        finally:
            view.terminate()


def main():
    with browser.opened(browser.find()) as (page, _):
        print(json.dumps(live(page)), flush=True)
        for profile in sys.argv[1:]:
            print(json.dumps(opened(page, profile)), flush=True)


if __name__ == "__main__":
    main()
