package live_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"weft/profiler"
	"weft/viz/live"
)

const liveDeadline = time.Minute // only reached by what hangs

// liveViewer is the far end of a viewer's socket.
type liveViewer struct {
	t     *testing.T
	conn  *websocket.Conn
	lanes int
	names []string
	group []int
	count int // of the last pulse
}

// serveLive serves until the test ends.
func serveLive(t *testing.T, o live.ServeOptions) *live.Server {
	t.Helper()
	o.Addr = "127.0.0.1:0"
	s, err := live.Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// traded is the cookie for the token of an address.
func traded(t *testing.T, address string) string {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	_, _, header := get(t, client, address, "")
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	return cookie
}

// dial connects as a page does that was given the address. The cookie is what its token was traded for.
func dial(t *testing.T, s *live.Server, header http.Header) (*liveViewer, int) {
	t.Helper()
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	if header == nil {
		header = http.Header{"Cookie": {traded(t, s.URL())}}
	}
	conn, answer, err := websocket.DefaultDialer.Dial("ws://"+u.Host+"/live", header)
	if err != nil {
		if answer == nil {
			t.Fatal(err)
		}
		return nil, answer.StatusCode
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(liveDeadline)); err != nil {
		t.Fatal(err)
	}
	return &liveViewer{t: t, conn: conn}, answer.StatusCode
}

func (v *liveViewer) ask(format string, args ...any) {
	v.t.Helper()
	if err := v.conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...)); err != nil {
		v.t.Fatal(err)
	}
}

// message is any JSON message of the server.
type message struct {
	Type, Error string
	ID          int
	Live        bool
	Loading     bool
	Notes       []string
	Now         float64
	Count       int
	Running     []struct {
		Lane, Row, Group int
		Start            float64
		Kind             string
		Task             int
	}
	Lanes   []struct{ Name string }
	Names   []struct{ Text string }
	Groups  []struct{ Name int }
	Value   json.RawMessage
	Picture *picture `json:"-"`
}

// picture is a decoded binary message.
type picture struct {
	id     uint32
	tracks []pictureTrack
}

type pictureTrack struct {
	lane, row     int
	from          float64
	start, dur    []float64
	task          []uint32
	x, count      []uint32
	cover         []float32
	merged, whole int
}

// next returns the next message that want likes.
func (v *liveViewer) next(want func(m *message) bool) *message {
	v.t.Helper()
	for {
		kind, data, err := v.conn.ReadMessage()
		if err != nil {
			v.t.Fatalf("the socket ends before what the test waits for: %v", err)
		}
		m := &message{}
		if kind == websocket.BinaryMessage {
			m.Type, m.Picture = "picture", decodePicture(v.t, data)
		} else if err := json.Unmarshal(data, m); err != nil {
			v.t.Fatalf("%v in %s", err, data)
		}
		if m.Type == "pulse" {
			v.count = m.Count
		}
		v.lanes += len(m.Lanes)
		for _, n := range m.Names {
			v.names = append(v.names, n.Text)
		}
		for _, g := range m.Groups {
			v.group = append(v.group, g.Name)
		}
		if want(m) {
			return m
		}
	}
}

func decodePicture(t *testing.T, data []byte) *picture {
	t.Helper()
	at := 0
	u32 := func() uint32 { at += 4; return binary.LittleEndian.Uint32(data[at-4:]) }
	f64 := func() float64 { at += 8; return math.Float64frombits(binary.LittleEndian.Uint64(data[at-8:])) }
	if u32() != 0x31747765 {
		t.Fatalf("the picture begins with %x", data[:4])
	}
	p := &picture{id: u32()}
	f64()
	f64()
	u32()
	for n := u32(); n > 0; n-- {
		tr := pictureTrack{lane: int(u32()), row: int(u32()), whole: int(u32()), merged: int(u32()), from: f64()}
		if at%8 != 0 {
			t.Fatalf("the columns of a track begin at byte %d", at)
		}
		for range tr.whole {
			tr.start = append(tr.start, f64())
		}
		for range tr.whole {
			tr.dur = append(tr.dur, f64())
		}
		at += 8 * tr.whole
		for range tr.whole {
			tr.task = append(tr.task, u32())
		}
		at += 12 * tr.whole
		for range tr.merged {
			tr.x = append(tr.x, u32())
		}
		for range tr.merged {
			tr.count = append(tr.count, u32())
		}
		at += 8 * tr.merged
		for range tr.merged {
			tr.cover = append(tr.cover, math.Float32frombits(u32()))
		}
		at = (at + 7) / 8 * 8
		p.tracks = append(p.tracks, tr)
	}
	if at != len(data) {
		t.Fatalf("a picture of %d bytes is read to byte %d", len(data), at)
	}
	return p
}

func isPicture(m *message) bool { return m.Picture != nil }
func answers(id int) func(*message) bool {
	return func(m *message) bool { return m.Type == "answer" && m.ID == id }
}

// A run is followed: a task is there while it runs, and its bar when it has ended.
func TestLiveRun(t *testing.T) {
	r := profiler.New(profiler.Options{})
	s := serveLive(t, live.ServeOptions{Title: "run", Recorder: func() *profiler.Recorder { return r }})
	v, _ := dial(t, s, nil)
	lane := r.Lane(profiler.LaneInfo{Name: "cpu0", Kind: "cpu", Device: "cpu0"})
	r.Op(7, r.Form(profiler.Form{Name: "matmul"}))
	start := r.Now()
	lane.Begin(profiler.Run, 3, 7, start)
	m := v.next(func(m *message) bool { return len(m.Running) > 0 })
	run := m.Running[0]
	if run.Task != 3 || run.Row != 1 || run.Kind != "run" || v.names[v.group[run.Group]] != "matmul" || m.Now < run.Start {
		t.Errorf("the running task is %+v at %v", run, m.Now)
	}
	lane.Record(profiler.Record{Kind: profiler.Run, Task: 3, Op: 7, Start: start, End: r.Now(), Bytes: 8})
	v.next(func(m *message) bool { return m.Type == "pulse" && m.Count == 1 && len(m.Running) == 0 })
	v.ask(`{"id":1,"view":{"t0":-1000,"t1":600e9,"px":1000,"tracks":[{"lane":0,"row":1},{"lane":9,"row":9}]}}`)
	p := v.next(isPicture).Picture
	if len(p.tracks) != 1 || p.id != 1 || p.tracks[0].whole != 1 || p.tracks[0].task[0] != 3 {
		t.Fatalf("the picture is %+v", p)
	}
	// Only what is new is sent from then on.
	start = r.Now()
	lane.Record(profiler.Record{Kind: profiler.Run, Task: 4, Op: 7, Start: start, End: start + 10})
	p = v.next(func(m *message) bool { return isPicture(m) && len(m.Picture.tracks) > 0 }).Picture
	tr := p.tracks[0]
	sum := tr.whole
	for _, n := range tr.count {
		sum += int(n)
	}
	if sum == 0 || tr.from < -1000 {
		t.Errorf("what is new is %+v", tr)
	}
	v.ask(`{"id":2,"search":{"text":"matmul"}}`)
	if got := string(v.next(answers(2)).Value); !strings.Contains(got, `"count":2,`) {
		t.Errorf("the search finds %s", got)
	}
	v.ask(`{"id":3,"task":3}`)
	if got := string(v.next(answers(3)).Value); !strings.Contains(got, `"task":3,`) {
		t.Errorf("task 3 is %s", got)
	}
}

// A viewer that reads nothing keeps nothing waiting: not the run, not the others, not the end of the server.
func TestSlowViewer(t *testing.T) {
	r := profiler.New(profiler.Options{PerLane: 1 << 14})
	s := serveLive(t, live.ServeOptions{Title: "run", Recorder: func() *profiler.Recorder { return r }})
	lane := r.Lane(profiler.LaneInfo{Name: "cpu0", Kind: "cpu"})
	slow, _ := dial(t, s, nil)
	quick, _ := dial(t, s, nil)
	for i := range 60 {
		slow.ask(`{"id":%d,"memory":{"t0":0,"t1":%d,"px":8000}}`, i, 1000+i)
	}
	slow.ask(`{"id":99,"view":{"t0":0,"t1":1e9,"px":8000,"tracks":[{"lane":0,"row":1}]}}`)
	quick.ask(`{"id":1,"view":{"t0":0,"t1":1e9,"px":1000,"tracks":[{"lane":0,"row":1}]}}`)
	task := uint32(0)
	for range 20 {
		for range 5000 {
			task++
			now := r.Now()
			lane.Record(profiler.Record{Kind: profiler.Run, Task: task, Start: now, End: r.Now()})
		}
		quick.next(func(m *message) bool { return m.Type == "pulse" })
	}
	last := int(task) - int(r.Lost())
	// The slow one gets the newest state once it reads.
	for _, v := range []*liveViewer{quick, slow} {
		if v.count < last {
			v.next(func(m *message) bool { return m.Type == "pulse" && m.Count >= last })
		}
	}
}

func TestLiveTraceFromFile(t *testing.T) {
	trace := heatTrace(200)
	trace.Tasks = []profiler.Task{{ID: 5, Planned: 1000, After: []uint32{1, 2}}, {ID: 7, After: []uint32{1, 4e9}}, {ID: 9, After: []uint32{5}}}
	s := serveLive(t, live.ServeOptions{Title: "file", Trace: func() (*profiler.Trace, error) { return trace, nil }})
	v, _ := dial(t, s, nil)
	m := v.next(func(m *message) bool { return m.Type == "pulse" })
	if m.Count != len(trace.Records) || v.lanes != len(trace.Lanes) {
		t.Fatalf("%d bars on %d lanes", m.Count, v.lanes)
	}
	for id, c := range []struct{ ask, want string }{
		{`"totals":{"t0":0,"t1":1e12}`, `[[0,`},
		{`"search":{"text":"kind:copy halo"}`, `"count":600,`},
		{`"search":{"text":">fast"}`, `the length "fast"`},
		{`"next":{"text":"halo","start":-1,"lane":0,"at":0}`, `"lane":3,`},
		{`"next":{"text":"halo","start":1e13,"lane":0,"at":0,"back":true}`, `"lane":7,`},
		{`"marks":{"text":"halo","t0":0,"t1":1e10,"px":100,"lanes":[3,0]}`, `[[3,`},
		{`"task":5`, `"before":[{`},
		{`"task":5`, `"gone":0`},
		{`"task":7`, `"gone":1`},
		{`"bar":{"lane":0,"at":1}`, `"dur":`},
		{`"bar":{"lane":65535,"at":4000000000}`, ``},
		{`"memory":{"t0":0,"t1":1e9,"px":50}`, `[]`},
		{`"path":{"t0":-1e9,"t1":1e12}`, `"bars":[{`},
	} {
		v.ask(`{"id":%d,%s}`, id+10, c.ask)
		m := v.next(answers(id + 10))
		if got := string(m.Value) + m.Error; !strings.Contains(got, c.want) {
			t.Errorf("%s: got %.300s, wanted %s", c.ask, got, c.want)
		}
	}
}

// Two runs are shown as one, on a common time axis.
func TestCompare(t *testing.T) {
	a, b := heatTrace(5), heatTrace(10)
	s := serveLive(t, live.ServeOptions{Title: "a", SecondTitle: "b", Second: b, Trace: func() (*profiler.Trace, error) { return a, nil }})
	v, _ := dial(t, s, nil)
	m := v.next(func(m *message) bool { return m.Type == "pulse" })
	if m.Count != len(a.Records)+len(b.Records) || v.lanes != len(a.Lanes)+len(b.Lanes) {
		t.Errorf("%d bars on %d lanes", m.Count, v.lanes)
	}
	v.ask(`{"id":1,"search":{"text":"line:2 stencil kind:run"}}`)
	if got := string(v.next(answers(1)).Value); !strings.Contains(got, `"count":60,`) {
		t.Errorf("the search finds %s", got)
	}
}

// A long profile is shown while it is read, and what is wrong with its end is told.
func TestProfileInPieces(t *testing.T) {
	trace := heatTrace(2000)
	var file bytes.Buffer
	if err := profiler.Write(&file, trace); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		note string
	}{"whole": {file.Bytes(), ""}, "damaged": {append(bytes.Clone(file.Bytes()[:file.Len()-20]), make([]byte, 40)...), "profiler: chunk"}} {
		reader, err := profiler.NewReader(bytes.NewReader(c.data))
		if err != nil {
			t.Fatal(err)
		}
		watched := make(chan struct{})
		s := serveLive(t, live.ServeOptions{Title: name, Trace: func() (*profiler.Trace, error) { return trace, nil }, Pieces: func(_ context.Context, add func(*profiler.Increment)) error {
			<-watched
			for {
				var inc profiler.Increment
				if err := reader.Next(&inc); err == io.EOF {
					return nil
				} else if err != nil {
					return err
				}
				add(&inc)
			}
		}})
		v, _ := dial(t, s, nil)
		close(watched)
		notes := ""
		v.next(func(m *message) bool {
			notes += strings.Join(m.Notes, " ")
			return m.Type == "pulse" && !m.Loading
		})
		if v.count != len(trace.Records) || !strings.Contains(notes, c.note) {
			t.Errorf("%s: %d of %d bars, notes %q", name, v.count, len(trace.Records), notes)
		}
		v.ask(`{"id":1,"search":{"text":"halo"}}`)
		if got := string(v.next(answers(1)).Value); !strings.Contains(got, `"count":6000,`) {
			t.Errorf("%s: the search finds %s", name, got)
		}
	}
}

func TestLiveRefuses(t *testing.T) {
	trace := heatTrace(1)
	s := serveLive(t, live.ServeOptions{Title: "file", Trace: func() (*profiler.Trace, error) { return trace, nil }})
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	cookie := traded(t, s.URL())
	for name, c := range map[string]struct {
		header http.Header
		status int
	}{
		"no token":       {http.Header{}, http.StatusForbidden},
		"wrong token":    {http.Header{"Cookie": {"weft-" + u.Port() + "=x"}}, http.StatusForbidden},
		"foreign origin": {http.Header{"Cookie": {cookie}, "Origin": {"http://evil.example"}}, http.StatusForbidden},
		"foreign host":   {http.Header{"Cookie": {cookie}, "Host": {"evil.example"}}, http.StatusMisdirectedRequest},
		"other port":     {http.Header{"Cookie": {cookie}, "Origin": {"http://127.0.0.1:1"}}, http.StatusForbidden},
		"the token":      {http.Header{"Cookie": {"weft-" + u.Port() + "=" + u.Query().Get("token")}}, http.StatusForbidden},
		"own origin":     {http.Header{"Cookie": {cookie}, "Origin": {"http://" + u.Host}}, http.StatusSwitchingProtocols},
	} {
		if _, status := dial(t, s, c.header); status != c.status {
			t.Errorf("%s: status %d, wanted %d", name, status, c.status)
		}
	}
}

// Who asks nonsense is told why and sent away; the others do not notice.
func TestHostileRequests(t *testing.T) {
	trace := heatTrace(3)
	s := serveLive(t, live.ServeOptions{Title: "file", Trace: func() (*profiler.Trace, error) { return trace, nil }})
	for text, want := range map[string]string{
		`{`:                                     "not JSON",
		`{"id":1}`:                              "asks 0 things",
		`{"task":1,"bar":{}}`:                   "asks 2 things",
		`{"view":{"t0":5,"t1":5,"px":10}}`:      "wanted t0 < t1",
		`{"view":{"t0":0,"t1":1e300,"px":10}}`:  "less than 2^53",
		`{"view":{"t0":0,"t1":5,"px":1000000}}`: "1000000 pixels",
		`{"view":{"t0":0,"t1":5,"px":10,"tracks":[{"lane":-1,"row":0}]}}`: "lane or row -1",
		`{"search":{"text":"` + strings.Repeat("x", 2000) + `"}}`:         "a search of 2000 bytes",
		`{"marks":{"t0":0,"t1":5,"px":10,"text":"a","lanes":[-5]}}`:       "lane or row -5",
	} {
		v, _ := dial(t, s, nil)
		v.ask("%s", text)
		for {
			_, _, err := v.conn.ReadMessage()
			if err == nil {
				continue
			}
			if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) || !strings.Contains(err.Error(), want) {
				t.Errorf("%.60s: %v, wanted %q", text, err, want)
			}
			break
		}
	}
}
