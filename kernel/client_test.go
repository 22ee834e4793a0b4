package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/kernel/wire"

	"github.com/go-zeromq/zmq4"
)

// patience ends a test that would hang. It is no part of what is tested.
const patience = 60 * time.Second

// book collects the kernel's log.
type book struct {
	mu   sync.Mutex
	text strings.Builder
	grew chan struct{}
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	b.text.Write(p)
	b.mu.Unlock()
	select {
	case b.grew <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *book) await(t *testing.T, part string) {
	t.Helper()
	for !strings.Contains(b.String(), part) {
		select {
		case <-b.grew:
		case <-time.After(patience):
			t.Fatalf("log has no %q:\n%s", part, b)
		}
	}
}

// start runs a kernel with an echo evaluator.
func start(t *testing.T, change func(*Options)) (*Kernel, *echo, *book) {
	t.Helper()
	e, b := newEcho(), &book{grew: make(chan struct{}, 1)}
	o := Options{
		Evaluator: e, ConnectionFile: filepath.Join(t.TempDir(), "kernel.json"), Version: "0.0", Log: b,
		// Text is flushed by events only, so that transcripts do not depend on time.
		streamDelay: time.Hour,
	}
	if change != nil {
		change(&o)
	}
	k, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Shutdown(false)
		if err := k.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return k, e, b
}

// client speaks to a kernel over its sockets, knowing only the connection file.
type client struct {
	t       *testing.T
	conn    *wire.Connection
	signer  *wire.Signer
	session string
	socks   map[string]zmq4.Socket
	in      map[string]chan *wire.Message // by channel
}

func newClient(t *testing.T, k *Kernel) *client {
	t.Helper()
	conn, err := wire.ReadConnection(k.ConnectionFile())
	if err != nil {
		t.Fatal(err)
	}
	c := &client{
		t: t, conn: conn, session: wire.NewID(), signer: wire.NewSigner([]byte(conn.Key)),
		socks: map[string]zmq4.Socket{}, in: map[string]chan *wire.Message{},
	}
	quiet := zmq4.WithLogger(log.New(io.Discard, "", 0))
	id := zmq4.WithID(zmq4.SocketIdentity(c.session)) // the same on all channels, as Jupyter's client does
	for _, s := range []struct {
		name string
		port int
		sock zmq4.Socket
	}{
		{"shell", conn.ShellPort, zmq4.NewDealer(context.Background(), id, quiet)},
		{"control", conn.ControlPort, zmq4.NewDealer(context.Background(), id, quiet)},
		{"stdin", conn.StdinPort, zmq4.NewDealer(context.Background(), id, quiet)},
		{"iopub", conn.IOPubPort, zmq4.NewSub(context.Background(), quiet)},
	} {
		if err := s.sock.Dial(fmt.Sprintf("tcp://%s:%d", conn.IP, s.port)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.sock.Close() })
		c.socks[s.name] = s.sock
		c.in[s.name] = make(chan *wire.Message, 10000)
	}
	if err := c.socks["iopub"].SetOption(zmq4.OptionSubscribe, ""); err != nil {
		t.Fatal(err)
	}
	for name, sock := range c.socks {
		go func() {
			defer close(c.in[name])
			for {
				msg, err := sock.Recv()
				if err != nil {
					return
				}
				m, err := c.signer.Decode(msg.Frames)
				if err != nil {
					t.Errorf("%s: %v in %q", name, err, msg.Frames)
					return
				}
				c.in[name] <- m
			}
		}()
	}
	if m := c.next("iopub"); m.Header.MsgType != "iopub_welcome" {
		t.Fatalf("first message on iopub is %s, wanted iopub_welcome", m.Header.MsgType)
	}
	return c
}

// next is the next message on a channel.
func (c *client) next(channel string) *wire.Message {
	c.t.Helper()
	select {
	case m, ok := <-c.in[channel]:
		if !ok {
			c.t.Fatalf("%s is closed", channel)
		}
		return m
	case <-time.After(patience):
		c.t.Fatalf("nothing arrives on %s", channel)
		return nil
	}
}

func (c *client) encode(messageType, content string) (id string, frames [][]byte) {
	c.t.Helper()
	return c.encodeFor("", messageType, content)
}

func (c *client) encodeFor(subshell, messageType, content string) (id string, frames [][]byte) {
	c.t.Helper()
	h := wire.Header{MsgID: wire.NewID(), Session: c.session, Username: "test", MsgType: messageType, Version: "5.3",
		Date: wire.FormatDate(time.Now()), SubshellID: subshell}
	frames, err := c.signer.Encode(&wire.Message{Header: h, Content: json.RawMessage(content)})
	if err != nil {
		c.t.Fatal(err)
	}
	return h.MsgID, frames
}

func (c *client) sendFrames(channel string, frames [][]byte) {
	c.t.Helper()
	if err := c.socks[channel].SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		c.t.Fatal(err)
	}
}

// send sends a request and returns its msg_id.
func (c *client) send(channel, messageType, content string) string {
	c.t.Helper()
	id, frames := c.encode(messageType, content)
	c.sendFrames(channel, frames)
	return id
}

// executeIn runs code in a subshell.
func (c *client) executeIn(subshell, code string) string {
	c.t.Helper()
	id, frames := c.encodeFor(subshell, "execute_request", string(encode(map[string]any{"code": code, "allow_stdin": true})))
	c.sendFrames("shell", frames)
	return id
}

func (c *client) execute(code string) string {
	c.t.Helper()
	return c.send("shell", "execute_request", string(encode(map[string]any{"code": code, "allow_stdin": true})))
}

// reply waits for the answer to id on a channel; others are a failure.
func (c *client) reply(channel, id string) *wire.Message {
	c.t.Helper()
	m := c.next(channel)
	if m.ParentID() != id {
		c.t.Fatalf("%s: got %s for %s, wanted the answer to %s", channel, m.Header.MsgType, m.ParentID(), id)
	}
	return m
}

// answer answers a question on stdin.
func (c *client) answer(question *wire.Message, value string) {
	c.t.Helper()
	frames, err := c.signer.Encode(&wire.Message{
		Header: wire.Header{MsgID: wire.NewID(), MsgType: "input_reply"}, Parent: question.RawHeader,
		Content: encode(InputReply{value}),
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.sendFrames("stdin", frames)
}

// outputs collects what iopub says about id, up to its idle, as lines of text.
func (c *client) outputs(id string) []string {
	c.t.Helper()
	var lines []string
	for {
		m := c.next("iopub")
		if m.ParentID() != id {
			continue
		}
		line := m.Header.MsgType + " " + string(m.Content)
		for _, b := range m.Buffers {
			line += fmt.Sprintf(" +%q", b)
		}
		lines = append(lines, line)
		if m.Header.MsgType == "status" && strings.Contains(string(m.Content), "idle") {
			return lines
		}
	}
}

// status reads the field of a reply's content.
func status(m *wire.Message) string { return statusOf(m.Content) }

// queued returns when everything sent on shell before has been received: the
// receiver answers kernel_info itself, in order.
func (c *client) queued() {
	c.t.Helper()
	c.reply("shell", c.send("shell", "kernel_info_request", "{}"))
}

// streamText joins the text of the stream messages among lines of outputs.
func streamText(t *testing.T, lines []string) string {
	t.Helper()
	var text strings.Builder
	for _, l := range lines {
		if body, ok := strings.CutPrefix(l, "stream "); ok {
			var s streamContent
			if err := json.Unmarshal([]byte(body), &s); err != nil {
				t.Fatal(err)
			}
			text.WriteString(s.Text)
		}
	}
	return text.String()
}
