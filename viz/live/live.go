package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"weft/viz/detail"
	"weft/viz/label"
)

// writeWithin is how long one message to a viewer may take before the viewer counts as gone.
const writeWithin = 30 * time.Second

// upgrader leaves the check of the origin to Server.ServeHTTP, which has done it already.
var upgrader = websocket.Upgrader{
	ReadBufferSize: 4 << 10, WriteBufferSize: 64 << 10, HandshakeTimeout: 5 * time.Second,
	CheckOrigin: func(*http.Request) bool { return true },
}

// watch starts to follow the run with the first viewer; release ends that with the last one.
func (s *Server) watch() (f *feed, release func(), err error) {
	s.watching.Lock()
	defer s.watching.Unlock()
	if s.feed == nil {
		if s.feed, err = s.newFeed(); err != nil {
			return nil, nil, err
		}
	}
	if s.viewers++; s.viewers == 1 && s.feed.live {
		ctx, cancel := context.WithCancel(context.Background())
		var done sync.WaitGroup
		done.Go(func() { s.feed.follow(ctx, s.o.Recorder) })
		s.unfollow = func() {
			cancel()
			done.Wait()
		}
	}
	return s.feed, func() {
		s.watching.Lock()
		defer s.watching.Unlock()
		if s.viewers--; s.viewers == 0 && s.unfollow != nil {
			s.unfollow()
			s.unfollow = nil
		}
	}, nil
}

func (s *Server) newFeed() (*feed, error) {
	if s.o.Recorder != nil {
		return liveFeed(s.o.Title, s.o.Palette), nil
	}
	if s.o.Pieces != nil {
		f := loadingFeed(s.o.Title, s.o.Memory, s.o.Palette)
		if s.o.SecondPieces != nil {
			f.title, f.runs = s.o.Title+" | "+s.o.SecondTitle, []pageRun{{s.o.Title, 0}, {s.o.SecondTitle, secondFirst}}
		}
		return f, nil
	}
	t, err := s.o.Trace()
	if err != nil {
		return nil, err
	}
	colors := s.o.Palette
	if colors == nil {
		if colors, err = label.PaletteOf(t.Texts); err != nil {
			return nil, err
		}
	}
	if s.o.Second == nil {
		return fixedFeed(t, s.o.Title, colors), nil
	}
	return comparedFeed(t, s.o.Second, s.o.Title, s.o.SecondTitle, colors), nil
}

// live answers a viewer's socket until it closes.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	if !websocket.IsWebSocketUpgrade(r) {
		w.Header().Set("Upgrade", "websocket")
		http.Error(w, "weft: this address wants a WebSocket", http.StatusUpgradeRequired)
		return
	}
	f, release, err := s.watch()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer release()
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	v := &viewerConn{conn: conn, feed: f, wake: make(chan struct{}, 1), more: make(chan struct{}, 1), sent: map[detail.Track]sentTrack{}}
	stop := context.AfterFunc(r.Context(), func() { conn.Close() })
	defer stop()
	var others sync.WaitGroup
	others.Go(v.read)
	others.Go(v.think)
	v.write(r.Context())
	conn.Close()
	others.Wait()
}

// viewerConn is one viewer: a goroutine reads what it asks, one finds the answers, and one writes them and tells what
// is new. What a slow viewer is sent is made when its socket takes it, so that it misses steps and not the newest
// state.
type viewerConn struct {
	conn *websocket.Conn
	feed *feed

	mu       sync.Mutex
	view     *request        // the newest one that was not answered
	queue    []*request      // questions that are not worked on yet
	asked    *request        // the one that is worked on; nil if its answer is not wanted any more
	answers  []answerMessage // that were not sent
	progress *progressMessage
	refused  error // why the viewer is sent away
	closed   bool
	wake     chan struct{} // something is to be written
	more     chan struct{} // something is to be found out

	// What follows belongs to the goroutine that writes.
	number  int // of the recorder
	beat    int // of the last pulse
	shown   *viewRequest
	shownID uint32
	rows    pageTables // how much of the tables was sent
	sent    map[detail.Track]sentTrack
	usage   uint64 // version of the store in the plots that were sent
	scratch detail.Scratch
	bars    []detail.Bar
	out     frame
}

// sentTrack is what a viewer has of a track.
type sentTrack struct {
	version uint64
	end     int64
}

// read takes the viewer's requests.
func (v *viewerConn) read() {
	defer v.contain("a viewer's request is read") // net/http recovers for the goroutine that writes
	v.conn.SetReadLimit(maxRequest)
	for {
		kind, text, err := v.conn.ReadMessage()
		if err != nil {
			v.end(nil)
			return
		}
		if kind != websocket.TextMessage {
			v.end(errors.New("a binary request, wanted JSON"))
			return
		}
		r, err := parseRequest(text)
		if err == nil {
			err = v.put(r)
		}
		if err != nil {
			v.end(err)
			return
		}
	}
}

// contain ends a viewer for whom something has failed, and not the program.
func (v *viewerConn) contain(what string) {
	if p := recover(); p != nil {
		log.Printf("weft: BUG: panic while %s: %v\n%s", what, p, debug.Stack())
		v.end(fmt.Errorf("BUG: %v", p))
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (v *viewerConn) end(why error) {
	v.mu.Lock()
	v.closed, v.refused, v.asked = true, why, nil
	v.mu.Unlock()
	signal(v.wake)
	signal(v.more)
}

// outgoing is what the viewer is to be sent, besides what is new.
type outgoing struct {
	view     *request
	answers  []answerMessage
	progress *progressMessage
}

// take returns what is to be written by now.
func (v *viewerConn) take() (out outgoing, open bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	out = outgoing{v.view, v.answers, v.progress}
	v.view, v.answers, v.progress = nil, nil, nil
	signal(v.more) // there is room for answers
	return out, !v.closed
}

// write answers until the viewer goes or ctx ends.
func (v *viewerConn) write(ctx context.Context) {
	for {
		out, open := v.take()
		if !open {
			v.goodbye()
			return
		}
		for _, m := range out.answers {
			if !v.sendJSON(m) {
				return
			}
		}
		if out.progress != nil && !v.sendJSON(out.progress) {
			return
		}
		changed, ok := v.push(out.view)
		if !ok {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-v.wake:
		case <-changed:
		}
	}
}

// goodbye tells a viewer that asked wrong why it is sent away.
func (v *viewerConn) goodbye() {
	v.mu.Lock()
	why := v.refused
	v.mu.Unlock()
	if why == nil {
		return
	}
	text := why.Error()
	v.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.ClosePolicyViolation, text[:min(len(text), 120)]), time.Now().Add(time.Second))
}

// send writes one message, and reports whether the viewer is still there.
func (v *viewerConn) send(kind int, data []byte) bool {
	if v.conn.SetWriteDeadline(time.Now().Add(writeWithin)) != nil {
		return false
	}
	return v.conn.WriteMessage(kind, data) == nil
}

func (v *viewerConn) sendJSON(message any) bool {
	text, err := json.Marshal(message)
	if err != nil {
		panic("BUG: inv 2: a message to a viewer has no JSON form: " + err.Error())
	}
	return v.send(websocket.TextMessage, text)
}
