package live_test

import (
	"html"
	"image/color"
	"strings"
	"testing"

	"weft/profiler"
	"weft/viz/live"
)

// stencilColor is the color of the op that takes longest in heatTrace.
var stencilColor = color.RGBA{0x4e, 0x86, 0xc6, 0xff}

func TestBrowserDraws(t *testing.T) {
	trace := heatTrace(100)
	trace.Lost[2] = 17
	b := openPage(t, live.TimelineHTML(trace, live.TimelineOptions{Title: "In [3] <b>"}))
	var got struct {
		Total, Bars, Lanes int
		Title, Notes       string
	}
	b.run(`await drawn(); await settle();
return { total: number("total"), bars: number("bars"), lanes: number("lanes"), title: document.getElementById("title").innerHTML, notes: document.getElementById("notes").innerText };`, &got)
	if got.Total != len(trace.Records) || got.Bars < 500 || got.Lanes != 9 || got.Title != "In [3] &lt;b&gt;" || !strings.Contains(got.Notes, "17 older records are lost") {
		t.Errorf("a page of %d records shows %+v", len(trace.Records), got)
	}
	b.waitForPixels("timeline-light.png", stencilColor, 1500)
	b.dark()
	b.waitForPixels("timeline-dark.png", color.RGBA{0x14, 0x18, 0x1f, 0xff}, 300_000)
}

func TestBrowserEmptyTrace(t *testing.T) {
	r := profiler.New(profiler.Options{})
	r.Lane(profiler.LaneInfo{Name: "cpu0", Kind: "cpu"})
	var got struct{ Bars, Lanes int }
	openPage(t, live.TimelineHTML(r.Snapshot(), live.TimelineOptions{})).run(`await drawn(); return { bars: number("bars"), lanes: number("lanes") };`, &got)
	if got.Bars != 0 || got.Lanes != 1 {
		t.Errorf("the page of an empty trace shows %+v", got)
	}
}

// Keys, wheel, search, pointer and tables do what the footer says.
func TestBrowserAnswers(t *testing.T) {
	b := openPage(t, live.TimelineHTML(heatTrace(100), live.TimelineOptions{Title: "heat"}))
	var zoom struct {
		All, Zoomed, Fitted, Wheeled int
		Part                         string
	}
	b.run(`await drawn(); await settle();
const canvas = document.getElementById("canvas");
const out = { all: number("bars") };
const key = (k) => document.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true }));
for (let i = 0; i < 10; i++) key("w");
await settle();
out.zoomed = number("bars");
out.part = document.getElementById("part").textContent;
key("f");
await settle();
out.fitted = number("bars");
const box = canvas.getBoundingClientRect();
canvas.dispatchEvent(new WheelEvent("wheel", { clientX: box.left + 700, clientY: box.top + 40, deltaY: -2000, bubbles: true, cancelable: true }));
await settle();
out.wheeled = number("bars");
return out;`, &zoom)
	if zoom.Zoomed >= zoom.All/4 || zoom.Zoomed == 0 || zoom.Wheeled >= zoom.All/4 || zoom.Fitted != zoom.All || !strings.HasPrefix(zoom.Part, "visible part: ") {
		t.Errorf("zooming shows %+v", zoom)
	}
	var pick struct {
		Tip, Chosen, Source       string
		Marked, Found, Scripts, N int
		StillMarked               int
	}
	b.run(`
const canvas = document.getElementById("canvas");
const box = canvas.getBoundingClientRect();
const tip = document.getElementById("tip");
const at = (x) => ({ clientX: box.left + x, clientY: box.top + 36, pointerId: 1, button: 0, bubbles: true, cancelable: true });
canvas.setPointerCapture = () => {};
let x = 300;
do { canvas.dispatchEvent(new PointerEvent("pointermove", at(x += 5))); } while (!tip.innerText.includes("new = 0.2") && x < 1200);
const out = { tip: tip.innerText };
canvas.dispatchEvent(new PointerEvent("pointerdown", at(x)));
canvas.dispatchEvent(new PointerEvent("pointerup", at(x)));
for (const switched of document.querySelectorAll("#chosen details")) switched.open = true;
out.chosen = document.getElementById("chosen").innerText;
out.marked = document.querySelectorAll("#sources tr.chosen").length;
const search = document.getElementById("search");
search.value = "halo";
search.dispatchEvent(new Event("input"));
await poll(() => document.documentElement.dataset.found);
out.found = number("found");
await settle();
out.stillMarked = document.querySelectorAll("#sources tr.chosen").length;
out.n = document.querySelectorAll("#ops tbody tr").length;
out.scripts = document.querySelectorAll("#sources script, #tip script, #ops script").length;
out.source = document.getElementById("sources").innerText;
return out;`, &pick)
	for _, want := range []string{"GB/s", "gpu0", "In [3] line 2", "new = 0.2 *"} {
		if !strings.Contains(pick.Tip, want) || !strings.Contains(pick.Chosen, want) {
			t.Errorf("%q is not in the tooltip or not in the panel:\n%s\n%s", want, pick.Tip, pick.Chosen)
		}
	}
	for _, want := range []string{"stencil", "(3998,3998)", "program stencil rank 2", "(map)"} { // shown as details
		if strings.Contains(pick.Tip, want) || !strings.Contains(pick.Chosen, want) {
			t.Errorf("%q is in the tooltip or not in the panel:\n%s\n%s", want, pick.Tip, pick.Chosen)
		}
	}
	if pick.Marked != 1 || pick.StillMarked != 1 || pick.Found != 300 || pick.N == 0 || pick.Scripts != 0 || !strings.Contains(pick.Source, "<script>alert(1)</script>") {
		t.Errorf("picking shows %+v", pick)
	}
	b.shot("timeline-zoomed.png")
}

// The notebook's form draws inside its frame, which may run scripts and nothing else; the still
// picture draws as an image.
func TestBrowserBundle(t *testing.T) {
	bundle := live.TimelineBundle(heatTrace(100), live.TimelineOptions{Title: "heat"})
	b := openPage(t, []byte("<!DOCTYPE html><body>"+bundle["text/html"]))
	b.waitForPixels("frame.png", stencilColor, 1500)
	b = openPage(t, []byte(`<!DOCTYPE html><body><img src="data:image/svg+xml,`+percent(bundle["image/svg+xml"])+`">`))
	b.waitForPixels("picture.png", stencilColor, 1500)
	b.dark()
	b.waitForPixels("picture-dark.png", color.RGBA{0x14, 0x18, 0x1f, 0xff}, 20_000)
}

// A timeline embedded in another page shows what a bar is at once and leaves the wheel to that page until it is
// clicked or Ctrl is held. The frame is one that the test can look into; the sandbox makes no difference to events.
func TestBrowserEmbedded(t *testing.T) {
	page := live.TimelineHTML(heatTrace(100), live.TimelineOptions{Title: "heat", Embedded: true})
	b := openPage(t, []byte(`<!DOCTYPE html><body style="margin:0;height:4000px"><iframe style="width:900px;height:420px;border:0" srcdoc="`+
		html.EscapeString(string(page))+`"></iframe>`))
	type state struct {
		Bars, Scroll, Frame float64
		Tip, Hint           string
		Widest, Room        float64
		X, Y                float64
	}
	look := func() (now state) {
		t.Helper()
		b.run(`const frame = document.querySelector("iframe");
await poll(() => frame.contentDocument?.documentElement.dataset.bars !== undefined);
await settle(); await settle();
const inner = frame.contentDocument, box = inner.getElementById("canvas").getBoundingClientRect(), tip = inner.getElementById("tip");
const tables = [...inner.querySelectorAll(".totals")];
return { bars: Number(inner.documentElement.dataset.bars), scroll: scrollY, frame: frame.contentWindow.scrollY, tip: tip.hidden ? "" : tip.innerText,
  hint: inner.getElementById("hint").innerText, widest: Math.max(...tables.map((t) => t.scrollWidth - t.parentElement.clientWidth)), room: tables.length,
  x: box.left + 600, y: box.top + 36 };`, &now)
		return now
	}
	first := look()
	if first.Widest > 0 || first.Room != 3 || !strings.Contains(first.Hint, "ctrl+wheel") || !strings.Contains(first.Hint, "then the wheel zooms") {
		t.Errorf("the embedded page shows %+v; wanted three tables that fit and a hint", first)
	}
	x, y := first.X, first.Y
	b.mouse("mouseMoved", x, y, nil)
	if now := look(); !strings.Contains(now.Tip, "new = 0.2") {
		t.Errorf("hovering before any click shows the tooltip %q", now.Tip)
	}
	wheel := map[string]any{"deltaX": 0, "deltaY": -300}
	b.mouse("mouseWheel", x, y, wheel)
	if now := look(); now.Bars != first.Bars {
		t.Errorf("the plain wheel zoomed before a click: %v bars, then %v", first.Bars, now.Bars)
	}
	b.mouse("mouseWheel", x, y, map[string]any{"deltaX": 0, "deltaY": -300, "modifiers": 2}) // Ctrl
	ctrl := look()
	if ctrl.Bars >= first.Bars {
		t.Errorf("Ctrl+wheel did not zoom: %v bars, then %v", first.Bars, ctrl.Bars)
	}
	button := map[string]any{"button": "left", "clickCount": 1}
	b.mouse("mousePressed", x, y, button)
	b.mouse("mouseReleased", x, y, button)
	clicked := look()
	if clicked.Frame != 0 || clicked.Scroll != 0 || !strings.Contains(clicked.Hint, "Esc") {
		t.Errorf("a click on a bar moved something or changed no hint: %+v", clicked)
	}
	b.mouse("mouseWheel", x, y, wheel)
	zoomed := look()
	if zoomed.Bars >= ctrl.Bars || zoomed.Frame != 0 || zoomed.Scroll != 0 {
		t.Errorf("the wheel after a click: %v bars, then %+v", ctrl.Bars, zoomed)
	}
	b.shot("embedded.png")
	b.mouse("mouseMoved", 1100, 600, nil)
	if now := look(); now.Hint != first.Hint || now.Tip != "" {
		t.Errorf("after the pointer left: %+v", now)
	}
	b.mouse("mouseMoved", x, y, nil)
	b.mouse("mouseWheel", x, y, map[string]any{"deltaX": 0, "deltaY": 300})
	if now := look(); now.Bars != zoomed.Bars {
		t.Errorf("the wheel zoomed after the pointer had left: %v bars, then %v", zoomed.Bars, now.Bars)
	}
}
