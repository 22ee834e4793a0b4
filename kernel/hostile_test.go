package kernel

import (
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"weft/kernel/wire"
)

// A healthy client is served, and the memory is bounded, whatever others send: messages that are signed and make no
// sense, messages that are not signed, frames in the wrong order, bytes that are no messages, connections by the
// hundred.
func TestHostileClients(t *testing.T) {
	k, _, _ := start(t, nil)
	healthy, hostile := newClient(t, k), newClient(t, k)
	go func() { // whatever it gets, it does not care
		for range hostile.in["iopub"] {
		}
	}()
	for _, channel := range []string{"shell", "control", "stdin"} {
		go func() {
			for range hostile.in[channel] {
			}
		}()
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		for range 25 {
			channel := []string{"shell", "control", "stdin"}[random.IntN(3)]
			if frames := hostile.nonsense(random); len(frames) > 0 {
				hostile.sendFrames(channel, frames)
			}
		}
		connectAll(t, k, random)
		id := healthy.execute("print alive")
		if text := streamText(t, healthy.outputs(id)); text != "alive\n" {
			t.Fatalf("the healthy client got %q", text)
		}
		if m := healthy.reply("shell", id); status(m) != "ok" {
			t.Fatalf("the healthy client got %s", m.Content)
		}
		healthy.reply("control", healthy.send("control", "kernel_info_request", "{}"))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("the memory grew by %d bytes", grown)
	}
}

// nonsense makes frames that no client should send.
func (c *client) nonsense(random *rand.Rand) [][]byte {
	requests := []string{
		"execute_request", "complete_request", "inspect_request", "is_complete_request", "history_request", "comm_info_request",
		"comm_open", "comm_msg", "comm_close", "interrupt_request", "create_subshell_request", "delete_subshell_request",
		"list_subshell_request", "debug_request", "usage_request", "input_reply", "connect_request", "kernel_info_request",
		"execute_reply", "status", "make_coffee_request", "", strings.Repeat("x", 10_000), "\xff\xfe",
	}
	contents := []string{
		"", "{", "null", "[]", "1", `"text"`, "{}", "\xff\xfe\x00", `{"code":1}`, `{"code":"raise A b","cursor_pos":-5}`, `{"code":null}`,
		`{"code":"print x","cursor_pos":99999999999999999999}`, `{"comm_id":{"a":[]}}`, `{"subshell_id":7}`, `{"hist_access_type":"none","n":-1}`,
		`{"code":"\ud800"}`, strings.Repeat("[", 20_000), `{"a":` + strings.Repeat(`{"a":`, 5_000) + "1" + strings.Repeat("}", 5_001),
	}
	_, frames := c.encode(requests[random.IntN(len(requests))], contents[random.IntN(len(contents))])
	switch random.IntN(8) {
	case 0: // as it is: signed, whatever it says
	case 1: // a wrong signature
		frames[1] = slices.Clone(frames[1])
		frames[1][0] ^= 1
	case 2: // in another order
		random.Shuffle(len(frames), func(i, j int) { frames[i], frames[j] = frames[j], frames[i] })
	case 3: // cut off
		frames = frames[:random.IntN(len(frames))]
	case 4: // no delimiter, and far more identities than there can be
		for range 40 {
			frames = append([][]byte{[]byte("id")}, frames...)
		}
	case 5: // a header that is none, with a good signature
		m := &wire.Message{Header: wire.Header{MsgID: wire.NewID()}, RawHeader: []byte(contents[random.IntN(len(contents))]), Content: []byte("{}")}
		if made, err := c.signer.Encode(m); err == nil {
			frames = made
		}
	case 6: // twice the same
		frames = append(slices.Clone(frames), frames...)
	case 7: // for a shell that is not there
		_, frames = c.encodeFor("nowhere", "execute_request", `{"code":"print x"}`)
	}
	return frames
}

// connectAll opens many connections at once. Some say nothing, some talk nonsense; all go away without a word.
func connectAll(t *testing.T, k *Kernel, random *rand.Rand) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range 30 {
		port := []int{k.connection.ShellPort, k.connection.IOPubPort, k.connection.HBPort, k.connection.StdinPort, k.connection.ControlPort}[i%5]
		said := make([]byte, random.IntN(200))
		for j := range said {
			said[j] = byte(random.Uint32())
		}
		wg.Go(func() {
			conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = conn.Write(said) // the kernel may have closed it
			_ = conn.Close()
		})
	}
	wg.Wait()
}
