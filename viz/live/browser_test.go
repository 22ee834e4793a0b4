package live_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/viz/viztest"
)

// browser is a headless Chromium that is driven over a pipe with the DevTools protocol: messages
// of JSON, each ended by a zero byte.
type browser struct {
	t       *testing.T
	out     *os.File
	in      *bufio.Reader
	session string
	last    int
}

// openPage starts a browser on a page, or skips the test where there is no browser.
func openPage(t *testing.T, page []byte) *browser {
	t.Helper()
	var exe string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			exe = path
			break
		}
	}
	if exe == "" {
		t.Skip("no chromium, chromium-browser or google-chrome is installed")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	theirIn, ourOut, err1 := os.Pipe()
	ourIn, theirOut, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	cmd := exec.CommandContext(ctx, exe,
		"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--window-size=1300,1000")
	cmd.Dir = dir
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // file descriptors 3 and 4
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	t.Cleanup(func() {
		ourOut.Close() // the browser ends with its pipe
		ourIn.Close()
		err := cmd.Wait()
		if ctx.Err() != nil {
			t.Errorf("the browser had to be stopped: %v", err)
		}
		cancel()
	})
	b := &browser{t: t, out: ourOut, in: bufio.NewReader(ourIn)}
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	b.call("Page.navigate", map[string]any{"url": "file://" + file}, nil)
	var ready bool
	b.run("return true;", &ready)
	return b
}

// call sends a command and waits for its answer; events in between are dropped.
func (b *browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.last++
	message := map[string]any{"id": b.last, "method": method, "params": params}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		text, err := b.in.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: the browser is gone: %v", method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &answer); err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		if answer.ID != b.last {
			continue
		}
		if answer.Error != nil {
			b.t.Fatalf("%s: %s", method, answer.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(answer.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// prelude is there for all scripts: drawn waits for the first frame, settle for the frame
// and the tables that follow a change.
const prelude = `
while (document.readyState !== "complete") await new Promise((f) => setTimeout(f, 10));
const root = document.documentElement;
const poll = async (done) => { while (!done()) await new Promise((f) => setTimeout(f, 10)); };
const drawn = async () => {
  await poll(() => root.dataset.bars !== undefined || root.dataset.error !== undefined);
  if (root.dataset.error) throw new Error(root.dataset.error);
};
const settle = () => new Promise((f) => setTimeout(() => requestAnimationFrame(f), 200));
const number = (key) => Number(root.dataset[key]);
`

// run runs the body of an async function in the page and decodes what it returns.
func (b *browser) run(script string, result any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{
		"expression": "(async () => {" + prelude + script + "})()", "awaitPromise": true, "returnByValue": true,
	}, &answer)
	if e := answer.ExceptionDetails; e != nil {
		b.t.Fatalf("in the page: %s %s", e.Text, e.Exception.Description)
	}
	if err := json.Unmarshal(answer.Result.Value, result); err != nil {
		b.t.Fatalf("the page returned %s: %v", answer.Result.Value, err)
	}
}

// mouse sends an event of a real mouse, at a point of the page; the browser finds out whom it concerns.
func (b *browser) mouse(kind string, x, y float64, more map[string]any) {
	b.t.Helper()
	event := map[string]any{"type": kind, "x": x, "y": y}
	maps.Copy(event, more)
	b.call("Input.dispatchMouseEvent", event, nil)
}

// shot takes a picture of the page.
func (b *browser) shot(name string) image.Image {
	b.t.Helper()
	var answer struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &answer)
	data, err := base64.StdEncoding.DecodeString(answer.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	viztest.Keep(b.t, name, data)
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	return img
}

func (b *browser) dark() {
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}}, nil)
}

// waitForPixels takes pictures until one has at least least pixels of a color.
func (b *browser) waitForPixels(name string, want color.RGBA, least int) {
	b.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		n := count(b.shot(name), want)
		if n >= least {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("%s has %d pixels of %v, wanted at least %d", name, n, want, least)
		}
	}
}

func count(img image.Image, want color.RGBA) int {
	n := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if color.RGBAModel.Convert(img.At(x, y)) == want {
				n++
			}
		}
	}
	return n
}

// percent escapes a document for a data URL.
func percent(doc string) string {
	var b strings.Builder
	for _, c := range []byte(doc) {
		if c < 0x20 || c > 0x7e || strings.IndexByte(`%#"<>`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
