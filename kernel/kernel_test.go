package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/kernel/wire"

	"github.com/go-zeromq/zmq4"
)

func TestRequestsAreAnsweredInOrder(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	c.execute("hold")
	<-e.started
	var ids []string
	for i := range 5 {
		ids = append(ids, c.execute(fmt.Sprint("print ", i)))
	}
	close(e.resume)
	c.next("shell")
	for i, id := range ids {
		if m := c.reply("shell", id); status(m) != "ok" {
			t.Fatalf("cell %d: %s", i, m.Content)
		}
		lines := c.outputs(id)
		if want := fmt.Sprintf(`stream {"name":"stdout","text":"%d\n"}`, i); len(lines) != 4 || lines[2] != want {
			t.Fatalf("cell %d: %q, wanted its text between execute_input and idle", i, lines)
		}
	}
}

func TestParentHeaderIsEchoedByteForByte(t *testing.T) {
	k, _, _ := start(t, nil)
	c := newClient(t, k)
	// Unknown fields, odd spacing and number forms must survive.
	header := `{"msg_id":"m1", "msg_type":"kernel_info_request","session":"s","username":"u","date":"2026-01-01T00:00:00Z","version":"5.3","subshell_id":null,"x":1.0e3}`
	frames, err := c.signer.Encode(&wire.Message{RawHeader: json.RawMessage(header)})
	if err != nil {
		t.Fatal(err)
	}
	c.sendFrames("shell", frames)
	if m := c.next("shell"); string(m.Parent) != header {
		t.Fatalf("parent header is %s, wanted %s", m.Parent, header)
	}
	if m := c.next("iopub"); string(m.Parent) != header {
		t.Fatalf("parent header on iopub is %s, wanted %s", m.Parent, header)
	}
}

func TestInterrupt(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	id := c.execute("hold")
	<-e.started
	stop := c.send("control", "interrupt_request", "{}")
	if m := c.reply("control", stop); status(m) != "ok" {
		t.Fatalf("interrupt_reply: %s", m.Content)
	}
	if m := c.reply("shell", id); !strings.Contains(string(m.Content), "KeyboardInterrupt") {
		t.Fatalf("execute_reply: %s", m.Content)
	}
	// An interrupt between two cells does not reach the next.
	c.reply("control", c.send("control", "interrupt_request", "{}"))
	id = c.execute("hold")
	<-e.started
	close(e.resume)
	if m := c.reply("shell", id); status(m) != "ok" {
		t.Fatalf("after an interrupt that had nothing to stop: %s", m.Content)
	}
}

func TestInterruptBeforeTheEvaluatorHasTheRequest(t *testing.T) {
	k, _, _ := start(t, nil)
	request := func() *incoming {
		return &incoming{Message: &wire.Message{}, route: &route{request: "execute_request"}, shell: k.shells.main}
	}
	first, second, third := request(), request(), request()
	k.busy(first)
	k.interrupt() // while its content is decoded
	if !k.enter(first, new(Output)) {
		t.Error("the interrupt of a request that is decoded is lost")
	}
	k.leave(first, k.status.main)
	k.interrupt() // too late: its reply is on the way
	k.idle(first)
	k.busy(second)
	if k.enter(second, new(Output)) {
		t.Error("an interrupt hits the request after the one that it was for")
	}
	k.leave(second, k.status.main)
	k.idle(second)
	k.interrupt() // between two requests
	k.busy(third)
	if k.enter(third, new(Output)) {
		t.Error("an interrupt that had nothing to stop hits the next request")
	}
	k.leave(third, k.status.main)
}

func TestUsageWhileACellRuns(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	id := c.execute("hold")
	<-e.started
	m := c.reply("control", c.send("control", "usage_request", "{}"))
	var got UsageReply
	if err := json.Unmarshal(m.Content, &got); err != nil || m.Header.MsgType != "usage_reply" {
		t.Fatalf("%s %s (%v)", m.Header.MsgType, m.Content, err)
	}
	if got.Status != "ok" || got.PID != os.Getpid() || got.Memory == 0 || got.Host.Total == 0 || !strings.Contains(string(m.Content), `"host_virtual_memory":{"total":`) {
		t.Errorf("usage_reply: %s", m.Content)
	}
	close(e.resume)
	c.reply("shell", id)
}

func TestInputIsInterruptedAndStaleAnswersAreDropped(t *testing.T) {
	k, _, log := start(t, nil)
	c := newClient(t, k)
	id := c.execute("input first?")
	first := c.next("stdin")
	c.send("control", "interrupt_request", "{}")
	if m := c.reply("shell", id); !strings.Contains(string(m.Content), "KeyboardInterrupt") {
		t.Fatalf("execute_reply: %s", m.Content)
	}
	id = c.execute("input second?")
	second := c.next("stdin")
	c.answer(first, "stale")
	log.await(t, "is not open")
	c.answer(second, "fresh")
	if lines := c.outputs(id); !strings.Contains(strings.Join(lines, "\n"), `"fresh\n"`) {
		t.Fatalf("outputs %q, wanted the second answer", lines)
	}
	c.answer(second, "twice")
	log.await(t, "nothing was asked")
}

func TestStopOnErrorAbortsWaitingCells(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	failing := c.execute("hold\nraise ValueError x")
	<-e.started
	second, third := c.execute("print 2"), c.execute("print 3")
	complete := c.send("shell", "complete_request", `{"code":"a","cursor_pos":1}`)
	c.queued()
	e.resume <- struct{}{}
	// A completion that waits for long is answered beside the cell, before any of them.
	got := map[string]*wire.Message{}
	for range 4 {
		m := c.next("shell")
		got[m.ParentID()] = m
	}
	for id, want := range map[string]string{failing: "error", second: "aborted", third: "aborted", complete: "ok"} {
		if m := got[id]; m == nil || status(m) != want {
			t.Fatalf("got %v, wanted %s", m, want)
		}
	}
	for _, id := range []string{second, third} {
		if lines := c.outputs(id); len(lines) != 2 {
			t.Fatalf("aborted cell shows %q, wanted busy and idle", lines)
		}
	}
	if m := c.reply("shell", c.execute("print 4")); status(m) != "ok" {
		t.Fatalf("cell sent after the failure: %s", m.Content)
	}

	// Without stop_on_error the others run, and behind silent code of the front end's own.
	for _, option := range []string{`"stop_on_error":false`, `"silent":true`, `"silent":true,"stop_on_error":true`} {
		failing = c.send("shell", "execute_request", `{"code":"hold\nraise ValueError x",`+option+`}`)
		<-e.started
		second = c.execute("print 2")
		c.queued()
		e.resume <- struct{}{}
		c.reply("shell", failing)
		if m := c.reply("shell", second); status(m) != "ok" {
			t.Fatalf("cell behind one with %s: %s", option, m.Content)
		}
	}
}

func TestKernelInfoWhileBusy(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	id := c.execute("hold")
	<-e.started
	for _, channel := range []string{"shell", "control"} {
		ask := c.send(channel, "kernel_info_request", "{}")
		if m := c.reply(channel, ask); status(m) != "ok" {
			t.Fatalf("%s: %s", channel, m.Content)
		}
		c.outputs(ask)
		// A client that looks only at the last status must see that the cell still runs.
		if m := c.next("iopub"); m.ParentID() != id || !strings.Contains(string(m.Content), "busy") {
			t.Fatalf("after %s kernel_info: %s of %s, wanted busy of the cell", channel, m.Content, m.ParentID())
		}
	}
	close(e.resume)
	c.reply("shell", id)
	lines := c.outputs(id)
	if last := lines[len(lines)-1]; !strings.Contains(last, "idle") {
		t.Fatalf("cell ends with %s", last)
	}
}

func TestBadSignatureAndDuplicateAreDropped(t *testing.T) {
	k, e, log := start(t, nil)
	c := newClient(t, k)
	_, frames := c.encode("execute_request", `{"code":"print stolen"}`)
	frames[1] = []byte(strings.Repeat("0", 64))
	c.sendFrames("shell", frames)
	log.await(t, "shell: message dropped: signature does not match")

	id, frames := c.encode("execute_request", `{"code":"print once"}`)
	c.sendFrames("shell", frames)
	c.reply("shell", id)
	c.sendFrames("control", frames) // replayed, and on another channel
	log.await(t, "control: message dropped: signature was used before")

	c.sendFrames("shell", [][]byte{[]byte("no"), []byte("message")})
	log.await(t, "no <IDS|MSG>")

	if m := c.reply("shell", c.execute("print on")); status(m) != "ok" {
		t.Fatalf("afterwards: %s", m.Content)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.log) != 2 {
		t.Fatalf("the evaluator saw %q, wanted two requests", e.log)
	}
}

func TestOversizedMessageClosesOnlyItsConnection(t *testing.T) {
	k, _, log := start(t, func(o *Options) { o.Limits.MaxFrame = 1 << 20 })
	good, bad := newClient(t, k), newClient(t, k)
	_, frames := bad.encode("execute_request", string(encode(ExecuteInput{Code: strings.Repeat("x", 2<<20)})))
	// The kernel may close the connection before the client has written all of it.
	_ = bad.socks["shell"].SendMulti(zmq4.NewMsgFrom(frames...))
	log.await(t, "over the limit of 1048576")
	if m := good.reply("shell", good.execute("print 1")); status(m) != "ok" {
		t.Fatalf("other client: %s", m.Content)
	}
}

// stalled is a subscriber that reads nothing after its handshake.
func stalled(t *testing.T, c *client) net.Conn {
	t.Helper()
	network, address := c.conn.Listener(c.conn.IOPubPort)
	conn, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	g := make([]byte, 64)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:], "NULL")
	ready := "\x05READY\x0bSocket-Type\x00\x00\x00\x03SUB"
	for _, b := range [][]byte{g, {4, byte(len(ready))}, []byte(ready), []byte("\x00\x01\x01")} {
		if _, err := conn.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

func TestStalledSubscriberDoesNotStopTheOthers(t *testing.T) {
	k, _, log := start(t, func(o *Options) {
		o.Limits.HighWater, o.Limits.Stall = 1<<20, 3*time.Second // in which a client that reads gets to do so
	})
	c := newClient(t, k)
	stalled(t, c)
	const lines = 250 // 25 MB, more than the socket buffers take
	id := c.execute(fmt.Sprint("flood ", lines))
	// Between the lines may stand that a client was disconnected.
	if got := strings.Count(streamText(t, c.outputs(id)), floodLine); got != lines {
		t.Fatalf("got %d lines of output, wanted %d", got, lines)
	}
	c.reply("shell", id)
	log.await(t, "iopub: 127.0.0.1")
	if said := log.String(); !strings.Contains(said, "took nothing for") && !strings.Contains(said, "takes less than") {
		t.Fatalf("log does not say why the subscriber was cut off:\n%s", log)
	}
}

func TestManyPrintsBecomeFewMessages(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	id := c.execute("keep\nhold")
	out := <-e.kept
	<-e.started
	const n = 10_000
	for i := range n {
		out.Stream("stdout", fmt.Sprintf("%06d", i))
		out.Stream("stdout", "\n")
	}
	close(e.resume)
	lines := c.outputs(id)
	// busy, execute_input, idle, and 70,000 bytes of text.
	if want := 3 + n*7/streamFull + 1; len(lines) != want {
		t.Fatalf("%d messages, wanted %d", len(lines), want)
	}
	if text := streamText(t, lines); len(text) != n*7 || !strings.HasSuffix(text, "009999\n") {
		t.Fatalf("%d bytes arrived, wanted %d", len(text), n*7)
	}
}

func TestAlternatingStreamsStayFew(t *testing.T) {
	c := &collected{}
	for range 1000 {
		c.add("stdout", "o")
		c.add("stderr", "e")
	}
	if len(c.pieces) != maxPieces || c.size != 2000 {
		t.Fatalf("%d pieces of %d bytes, wanted %d of 2000", len(c.pieces), c.size, maxPieces)
	}
	n := 0
	for i, p := range c.pieces {
		n += len(p.text)
		if want := [...]string{"stdout", "stderr"}[i%2]; p.name != want || strings.Trim(string(p.text), want[3:4]) != "" {
			t.Fatalf("piece %d is %s %q", i, p.name, p.text)
		}
	}
	if n != 2000 {
		t.Fatalf("%d bytes kept, wanted 2000", n)
	}
}

func TestLongTextIsCutBetweenCharacters(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	id := c.execute("keep\nhold")
	out := <-e.kept
	<-e.started
	text := "x" + strings.Repeat("ä", streamMax)
	out.Stream("stdout", text)
	close(e.resume)
	lines := c.outputs(id)
	for _, l := range lines {
		if n := len(streamText(t, []string{l})); n > streamMax {
			t.Fatalf("message with %d bytes of text, wanted at most %d", n, streamMax)
		}
	}
	if got := streamText(t, lines); got != text {
		t.Fatalf("%d bytes arrived, wanted %d", len(got), len(text))
	}
}

func TestTextArrivesWhileTheCellRuns(t *testing.T) {
	k, e, _ := start(t, func(o *Options) { o.streamDelay = time.Millisecond })
	c := newClient(t, k)
	id := c.execute("print early\nhold")
	<-e.started
	for {
		m := c.next("iopub")
		if m.Header.MsgType == "stream" {
			break
		}
	}
	close(e.resume)
	c.reply("shell", id)
}

func TestOutputOutlivesItsCell(t *testing.T) {
	k, e, _ := start(t, nil)
	c := newClient(t, k)
	first := c.execute("keep")
	out := <-e.kept
	c.outputs(first)
	other := c.execute("print other")
	c.outputs(other)
	c.outputs(c.send("shell", "complete_request", `{"code":"a","cursor_pos":1}`))
	if id := k.LastOutput().ParentID(); id != other {
		t.Fatalf("unclaimed output would go to %s, wanted the last cell's %s", id, other)
	}
	out.Stream("stdout", "from a thread")
	out.Flush()
	if m := c.next("iopub"); m.ParentID() != first || !strings.Contains(string(m.Content), "from a thread") {
		t.Fatalf("%s of %s, wanted the first cell's", m.Content, m.ParentID())
	}
	again, err := k.OutputFor(out.ParentHeader())
	if err != nil || again.ParentID() != first {
		t.Fatalf("OutputFor: %v, %v", again, err)
	}
	if err := again.Publish("status", nil, nil, nil); err == nil {
		t.Fatal("an evaluator may publish a status")
	}
	if _, err := again.AskInput("?", false); !errors.Is(err, ErrNoStdin) {
		t.Fatalf("AskInput: %v, wanted %v", err, ErrNoStdin)
	}
}

func TestShutdown(t *testing.T) {
	for _, channel := range []string{"control", "shell"} {
		t.Run(channel, func(t *testing.T) {
			k, e, _ := start(t, nil)
			c := newClient(t, k)
			c.execute("flood 100") // the outputs must still arrive
			running := c.execute("hold")
			<-e.started
			id := c.send(channel, "shutdown_request", `{"restart":true}`)
			if exit := k.Wait(); !exit.Restart {
				t.Fatalf("exit %+v, wanted a restart", exit)
			}
			if !<-e.down {
				t.Fatal("the evaluator was not told of the restart")
			}
			if err := k.Close(); err != nil {
				t.Fatal(err)
			}
			for {
				m := c.next(channel)
				if m.ParentID() == id {
					if string(m.Content) != `{"status":"ok","restart":true}` {
						t.Fatalf("shutdown_reply: %s", m.Content)
					}
					break
				}
			}
			var lines []string
			seen := map[string]bool{}
			for m := range c.in["iopub"] { // ends when the kernel has closed
				seen[m.Header.MsgType+m.ParentID()] = true
				lines = append(lines, m.Header.MsgType+" "+string(m.Content))
				if m.ParentID() == running && strings.Contains(string(m.Content), "idle") && seen["shutdown_reply"+id] {
					break
				}
			}
			if got, want := len(streamText(t, lines)), 100*len(floodLine); got != want {
				t.Fatalf("%d bytes of output arrived, wanted %d", got, want)
			}
		})
	}
}

func TestParentDeath(t *testing.T) {
	gone := make(chan struct{})
	k, e, log := start(t, func(o *Options) { o.parentGone = gone })
	c := newClient(t, k)
	c.execute("hold")
	<-e.started
	close(gone)
	if exit := k.Wait(); !strings.Contains(exit.Reason, "parent") {
		t.Fatalf("exit %+v", exit)
	}
	if <-e.down {
		t.Fatal("the evaluator was told of a restart")
	}
	log.await(t, "parent process is gone")
}

func TestParentAlive(t *testing.T) {
	if !parentAlive(os.Getppid(), true) || !parentAlive(os.Getpid(), false) {
		t.Error("living processes are taken for dead")
	}
	if parentAlive(os.Getppid()+1, true) {
		t.Error("another parent is taken for the same")
	}
	if parentAlive(1<<30, false) { // above the largest process number
		t.Error("a process that does not exist is taken for alive")
	}
}

func TestConnectionFileIsCreatedAndRemoved(t *testing.T) {
	t.Setenv("JUPYTER_RUNTIME_DIR", filepath.Join(t.TempDir(), "runtime"))
	k, _, _ := start(t, func(o *Options) { o.ConnectionFile = "" })
	path := k.ConnectionFile()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%s: mode %v, error %v", path, info.Mode(), err)
	}
	if dir, err := os.Stat(filepath.Dir(path)); err != nil || dir.Mode().Perm() != 0o700 {
		t.Fatalf("runtime directory: mode %v, error %v", dir.Mode(), err)
	}
	c := newClient(t, k)
	c.reply("shell", c.execute("print 1"))
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("after Close: %v, wanted no file", err)
	}
}

func TestStartErrors(t *testing.T) {
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "k.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	port := busy.Addr().(*net.TCPAddr).Port
	tests := []struct{ name, content, want string }{
		{"no key", `{"ip":"127.0.0.1","shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5}`, "has no key"},
		{"no port", `{"ip":"127.0.0.1","key":"k"}`, "shell_port is 0"},
		{"taken", fmt.Sprintf(`{"ip":"127.0.0.1","key":"k","shell_port":%d,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5}`, port), "shell socket: listen tcp"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Start(Options{Evaluator: newEcho(), ConnectionFile: file(tt.content)})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, wanted an error with %q", err, tt.want)
			}
		})
	}
}

func TestRoutesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range routes {
		key := r.channel.String() + " " + r.request
		if seen[key] {
			t.Errorf("%s has two rows", key)
		}
		seen[key] = true
		if r.decode == nil || r.handle == nil {
			t.Errorf("%s: row without decode or handle", key)
		}
		if base, ok := strings.CutSuffix(r.request, "_request"); ok && r.reply != base+"_reply" {
			t.Errorf("%s is answered by %q", key, r.reply)
		}
	}
}

func TestByteOffset(t *testing.T) {
	for _, tt := range []struct {
		code   string
		points int
		want   int
	}{{"abc", 0, 0}, {"abc", 2, 2}, {"aäb", 2, 3}, {"🐍x", 1, 4}, {"🐍x", 9, 5}, {"", 0, 0}, {"a", -1, 0}} {
		if got := ByteOffset(tt.code, tt.points); got != tt.want {
			t.Errorf("ByteOffset(%q, %d) = %d, wanted %d", tt.code, tt.points, got, tt.want)
		}
	}
}
