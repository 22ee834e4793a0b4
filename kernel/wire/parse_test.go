package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func FuzzParseHeader(f *testing.F) {
	f.Add([]byte{0, 0})
	f.Add([]byte{flagMore, 255})
	f.Add([]byte{flagLong, 0x40, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{flagLong | flagCommand, 0, 0, 0, 0, 0, 0, 0, 5})
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 1000
		h, err := parseHeader(b, limit)
		if err != nil {
			return
		}
		if h.size < 0 || h.size > limit {
			t.Fatalf("header % x gives size %d, limit is %d", b, h.size, limit)
		}
		if h.len > len(b) {
			t.Fatalf("header % x claims %d bytes", b, h.len)
		}
	})
}

func FuzzParseProperties(f *testing.F) {
	f.Add([]byte("\x0bSocket-Type\x00\x00\x00\x06DEALER"))
	f.Add([]byte("\xff"))
	f.Add([]byte("\x01a\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		md, err := parseProperties(b)
		if err != nil {
			return
		}
		// What is accepted must be all of the input, read the way that it was written.
		size := 0
		for k, v := range md {
			size += 1 + len(k) + 4 + len(v)
		}
		if size != len(b) {
			t.Fatalf("READY of %d bytes read as %d bytes of properties", len(b), size)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("id|" + Delimiter + "|sig|{}|{}|{}|{}"))
	f.Add([]byte(Delimiter))
	f.Add([]byte("|" + Delimiter + "||{\"msg_id\":\"1\",\"msg_type\":\"x\"}|{}|{}|{}|buffer"))
	signed, open := NewSigner([]byte("key")), NewSigner(nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		// "|" separates the frames, except for the one inside the delimiter.
		joined := bytes.ReplaceAll(b, []byte(Delimiter), []byte("\x00"))
		frames := bytes.Split(joined, []byte("|"))
		for i := range frames {
			frames[i] = bytes.ReplaceAll(frames[i], []byte("\x00"), []byte(Delimiter))
		}
		if _, err := signed.Decode(frames); err == nil {
			t.Fatalf("unsigned frames %q were accepted", frames)
		}
		m, err := open.Decode(frames)
		if err != nil {
			return
		}
		if !json.Valid(m.Content) || m.Header.MsgType == "" {
			t.Fatalf("frames %q decoded to %+v", frames, m)
		}
	})
}

func FuzzParseConnection(f *testing.F) {
	f.Add([]byte(`{"shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5,"ip":"127.0.0.1","key":"k"}`))
	f.Add([]byte(`{"registration_port":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseConnection(b)
		if err == nil && (c.IP == "" || c.ShellPort < 1 || c.HBPort > 65535) {
			t.Fatalf("%q was accepted as %+v", b, c)
		}
	})
}

func TestDecode(t *testing.T) {
	good := func(s *Signer) [][]byte {
		frames, err := s.Encode(&Message{
			Idents:  [][]byte{[]byte("client")},
			Header:  Header{MsgID: NewID(), MsgType: "execute_request", Session: "s", Version: "5.3"},
			Content: json.RawMessage(`{"code":"1"}`),
			Buffers: [][]byte{[]byte("raw")},
		})
		if err != nil {
			t.Fatal(err)
		}
		return frames
	}
	key := []byte("secret")
	tests := []struct {
		name   string
		change func(f [][]byte) [][]byte
		want   string // part of the error; "" for none
	}{
		{"as sent", func(f [][]byte) [][]byte { return f }, ""},
		{"content changed", func(f [][]byte) [][]byte { f[6] = []byte(`{"code":"2"}`); return f }, "signature does not match"},
		{"parent changed", func(f [][]byte) [][]byte { f[4] = []byte(`{"x":1}`); return f }, "signature does not match"},
		{"no signature", func(f [][]byte) [][]byte { f[2] = nil; return f }, "0 characters"},
		{"signature not hex", func(f [][]byte) [][]byte { f[2] = bytes.Repeat([]byte("z"), 64); return f }, "hexadecimal"},
		{"no delimiter", func(f [][]byte) [][]byte { return f[2:] }, "no <IDS|MSG>"},
		{"too short", func(f [][]byte) [][]byte { return f[:5] }, "wanted at least 5"},
		{"nothing", func(f [][]byte) [][]byte { return nil }, "no <IDS|MSG>"},
		{"delimiter too late", func(f [][]byte) [][]byte {
			return append(make([][]byte, maxIdents+1), f...)
		}, "no <IDS|MSG>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			frames := tt.change(good(NewSigner(key)))
			m, err := NewSigner(key).Decode(frames)
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if string(m.Content) != `{"code":"1"}` || m.Header.MsgType != "execute_request" || string(m.Idents[0]) != "client" || string(m.Buffers[0]) != "raw" {
					t.Fatalf("decoded %+v", m)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got error %v, wanted one with %q", err, tt.want)
			}
		})
	}
}

func TestDuplicateIsRefused(t *testing.T) {
	s := NewSigner([]byte("k"))
	s.history = 100
	encode := func() [][]byte {
		f, err := s.Encode(&Message{Header: Header{MsgID: NewID(), MsgType: "x"}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := encode()
	if _, err := s.Decode(first); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Decode(first); err != ErrDuplicate {
		t.Fatalf("second time: got %v, wanted %v", err, ErrDuplicate)
	}
	// The history is bounded: after s.history others the first is forgotten.
	for range s.history {
		if _, err := s.Decode(encode()); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.seen) != s.history || len(s.ring) != s.history {
		t.Fatalf("history holds %d and %d signatures, wanted %d", len(s.seen), len(s.ring), s.history)
	}
	if _, err := s.Decode(first); err != nil {
		t.Fatalf("after the history has turned over: %v", err)
	}
}

// What a kernel has signed is on iopub for all to read: it must not come back as a request, to it or to the next kernel
// of the same connection file.
func TestKernelsOwnMessagesAreRefused(t *testing.T) {
	kernel, next, client := NewSigner([]byte("k")), NewSigner([]byte("k")), NewSigner([]byte("k"))
	session := kernel.OwnSession()
	if other := next.OwnSession(); other == session {
		t.Fatal("two kernels have one session")
	}
	frames, err := kernel.Encode(&Message{Header: Header{MsgID: NewID(), MsgType: "comm_msg", Session: session}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Decode(frames); err != nil {
		t.Errorf("a client: %v", err)
	}
	for _, s := range []*Signer{kernel, next} {
		if _, err := s.Decode(frames); err != ErrOwn {
			t.Errorf("a kernel: got %v, wanted %v", err, ErrOwn)
		}
	}
}

func TestConnectionFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "kernel.json")
	c := NewConnection()
	c.ShellPort, c.IOPubPort, c.StdinPort, c.ControlPort, c.HBPort = 1, 2, 3, 4, 5
	if err := c.Create(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, error %v; wanted 0600", info.Mode(), err)
	}
	got, err := ReadConnection(path)
	if err != nil {
		t.Fatal(err)
	}
	if *got != *c || len(c.Key) != 64 {
		t.Fatalf("read %+v, wrote %+v", got, c)
	}
	if err := c.Create(path); !os.IsExist(err) {
		t.Fatalf("second Create: got %v, wanted an error that the file exists", err)
	}
}

func TestConnectionErrors(t *testing.T) {
	const ports = `"shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,`
	tests := []struct{ in, want string }{
		{`{`, "unexpected end"},
		{`{"ip":"127.0.0.1",` + ports + `"hb_port":0}`, "hb_port is 0"},
		{`{"ip":"127.0.0.1",` + ports + `"hb_port":70000}`, "hb_port is 70000"},
		{`{` + ports + `"hb_port":5}`, "ip is missing"},
		{`{"ip":"*",` + ports + `"hb_port":5}`, `ip is "*"`},
		{`{"ip":"127.0.0.1","transport":"udp",` + ports + `"hb_port":5}`, `transport is "udp"`},
		{`{"ip":"127.0.0.1","signature_scheme":"hmac-md5",` + ports + `"hb_port":5}`, `"hmac-md5"`},
		{`{"registration_port":1}`, "registration"},
	}
	for _, tt := range tests {
		if _, err := ParseConnection([]byte(tt.in)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, wanted an error with %q", tt.in, err, tt.want)
		}
	}
}

// TestIdentifiers wants what NewID makes to be random UUIDs in their usual form, each another one.
func TestIdentifiers(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for range 1000 {
		id := NewID()
		if !form.MatchString(id) || seen[id] {
			t.Fatalf("NewID() = %q, want a UUID of version 4 that has not been there", id)
		}
		seen[id] = true
	}
}
