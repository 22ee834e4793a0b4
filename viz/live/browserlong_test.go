package live_test

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"

	"weft/profiler"
	"weft/viz/live"
)

// longTrace is a chain of a thousand tasks on eight GPUs, each of which has a memory of its own. What they do is fused
// out of two lines.
func longTrace(t *testing.T) *profiler.Trace {
	t.Helper()
	var b strings.Builder
	b.WriteString("trace 0\n")
	for g := range 8 {
		fmt.Fprintf(&b, "lane \"gpu%d\" \"gpu\" \"gpu%d\" lost 0\nlane \"gpu%d memory\" \"memory\" \"gpu%d\" lost 0\n", g, g, g, g)
	}
	b.WriteString(`source 1 "In[1]" "y = x * 2\nz = np.sqrt(y + 1)\n"` + "\n")
	b.WriteString(`form 1 "multiply+...+sqrt (3)" "map" 1:2 "(1000)" "" "1:1 1:2x2"` + "\n")
	const tasks = 1000
	for id := 1; id <= tasks; id++ {
		fmt.Fprintf(&b, "op o%d 1\n", id)
	}
	for id := 1; id <= tasks; id++ {
		after := ""
		if id > 1 {
			after = fmt.Sprintf(" after t%d", id-1)
		}
		fmt.Fprintf(&b, "task t%d 0%s\n", id, after)
	}
	for g := range 8 {
		for id := 1 + g; id <= tasks; id += 8 {
			fmt.Fprintf(&b, "record run %d %d %d bytes 8000 t%d o%d\n", 2*g, id*1000, id*1000+950, id, id)
		}
		fmt.Fprintf(&b, "record alloc %d 0 1 bytes %d\n", 2*g+1, 1000*(g+1))
	}
	trace, err := profiler.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// The critical path of a thousand tasks is a band: the bars are still to be seen, in their color.
func TestBrowserLongPathIsABand(t *testing.T) {
	b := openPage(t, live.TimelineHTML(longTrace(t), live.TimelineOptions{Title: "long"}))
	var found string
	b.run(`await drawn(); await settle(); return "";`, &found)
	b.waitForPixels("path-none.png", stencilColor, 1000)
	bars := count(b.shot("path-none.png"), stencilColor)
	b.run(`document.getElementById("path").click(); await poll(() => root.dataset.path); await settle();
return document.getElementById("found").textContent + " " + root.dataset.path;`, &found)
	if found != "critical path: 1,000 tasks, 950 us 1000" {
		t.Errorf("the path is told as %q", found)
	}
	red := color.RGBA{0xdc, 0x26, 0x26, 0xff}
	b.waitForPixels("path-band.png", red, 1000)
	img := b.shot("path-band.png")
	if left, band := count(img, stencilColor), count(img, red); left < bars*3/4 || band > bars/2 {
		t.Errorf("with the path there are %d pixels of bars and %d of the path; without it %d of bars", left, band, bars)
	}
	// Above all lanes lies one stripe, from the first task to the last.
	runs := 0
	for y := range img.Bounds().Dy() {
		row := 0
		for x := range img.Bounds().Dx() {
			if color.RGBAModel.Convert(img.At(x, y)) == red {
				row++
			}
		}
		if row > 1000 {
			runs++
		}
	}
	if runs < 3 || runs > 6 {
		t.Errorf("the stripe is %d pixels high", runs)
	}
}

// All lanes, devices and memories have their names, in letters of at least 11 pixels.
func TestBrowserNamesEveryDevice(t *testing.T) {
	b := openPage(t, live.TimelineHTML(longTrace(t), live.TimelineOptions{Title: "long"}))
	var got struct {
		Drawn   []string
		Sizes   []string
		Devices string
		Legend  string
		Width   float64
	}
	b.run(`await drawn(); await settle();
const own = CanvasRenderingContext2D.prototype.fillText, out = { drawn: [], sizes: [] };
CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
  out.drawn.push(String(text));
  out.sizes.push(this.font.match(/[0-9.]+px/)[0]);
  return own.call(this, text, ...more);
};
document.dispatchEvent(new KeyboardEvent("keydown", { key: "w", bubbles: true }));
await settle(); await settle();
CanvasRenderingContext2D.prototype.fillText = own;
out.devices = document.getElementById("devices").innerText;
out.legend = document.getElementById("legend").innerText;
return out;`, &got)
	for g := range 8 {
		lane := fmt.Sprintf("gpu%d", g)
		// As a lane, and beside the plot of the memories.
		if n := len(slices.DeleteFunc(slices.Clone(got.Drawn), func(s string) bool { return s != lane })); n < 2 || !slices.Contains(got.Drawn, lane+" memory") || !strings.Contains(got.Devices, lane) {
			t.Errorf("%s is named %d times; wanted it as a lane, as a memory, as a plot and in the table of devices:\n%q\n%s", lane, n, got.Drawn, got.Devices)
		}
	}
	if !strings.Contains(got.Legend, "z = np.sqrt(y + 1)") {
		t.Errorf("the legend says %q", got.Legend)
	}
	for _, size := range got.Sizes {
		if len(size) < 4 || size < "11px" {
			t.Errorf("letters of %s", size)
			break
		}
	}
}

// A tooltip is small, names all the lines of a fused pass, and goes when the pointer goes or a key is pressed.
func TestBrowserTooltips(t *testing.T) {
	b := openPage(t, live.TimelineHTML(longTrace(t), live.TimelineOptions{Title: "long"}))
	var at struct{ X, Y float64 }
	b.run(`await drawn(); await settle();
for (let i = 0; i < 22; i++) document.dispatchEvent(new KeyboardEvent("keydown", { key: "w", bubbles: true }));
await settle();
const box = document.getElementById("canvas").getBoundingClientRect();
return { x: box.left + 700, y: box.top + 36 };`, &at)
	type tip struct {
		Text          string
		Width, Height float64
	}
	look := func() (now tip) {
		t.Helper()
		b.run(`await settle(); const tip = document.getElementById("tip");
return { text: tip.hidden ? "" : tip.innerText, width: tip.offsetWidth, height: tip.offsetHeight };`, &now)
		return now
	}
	over := func() (now tip) {
		t.Helper()
		for y := at.Y; y < at.Y+400; y += 12 { // one of the lanes has a bar there
			b.mouse("mouseMoved", at.X, y, nil)
			if now = look(); strings.Contains(now.Text, "operations in one pass") {
				return now
			}
		}
		t.Fatalf("no bar has a tooltip; the last says %q", now.Text)
		return now
	}
	now := over()
	if !strings.Contains(now.Text, "3 operations in one pass: In[1] lines 1-2") {
		t.Errorf("the tooltip of a fused pass says %q", now.Text)
	}
	if now.Width > 330 || now.Height > 130 {
		t.Errorf("the tooltip is %g by %g pixels large", now.Width, now.Height)
	}
	b.shot("tooltip.png")
	b.mouse("mouseMoved", at.X, 900, nil)
	if now := look(); now.Text != "" {
		t.Errorf("after the pointer left, the tooltip says %q", now.Text)
	}
	over()
	b.run(`document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })); return 0;`, new(int))
	if now := look(); now.Text != "" {
		t.Errorf("after a key, the tooltip says %q", now.Text)
	}
}
