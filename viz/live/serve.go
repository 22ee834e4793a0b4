package live

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"weft/profiler"
	"weft/viz/graph"
	"weft/viz/label"
)

// ServeOptions say what a server shows.
type ServeOptions struct {
	Addr  string // a loopback address and a port; 127.0.0.1:0 for a free port
	Title string
	Exe   func() string // the weft binary that draws graphs; see Render

	// Palette has the colors of the run's other pictures. Without it they are those that the profile says, if it does.
	Palette *label.Palette

	// Hosts are further names of the server, of proxies that forward to it: hub.example.org, with any port.
	Hosts []string

	// Recorder returns what a run is recorded by, nil before it has begun. With it the page follows the run.
	Recorder func() *profiler.Recorder

	// Pieces hands over a long profile in increments, so that the page shows what is read so far. It is called once.
	Pieces func(ctx context.Context, add func(*profiler.Increment)) error
	Memory int64 // that the records of Pieces may take, about; of older ones only sums are kept. 0 is 2 GiB

	// Long names the file of a profile that should not be read as a whole. Only what can be made of it piece by piece
	// is offered.
	Long string

	// Second is a second profile that the first one is compared with, nil if there is none; SecondPieces the same
	// beside Pieces.
	Second       *profiler.Trace
	SecondPieces func(ctx context.Context, add func(*profiler.Increment)) error
	SecondTitle  string

	// Trace returns what to show. It is asked anew for each page, so that a run that goes on
	// shows more each time. ErrNothingYet is an answer as well.
	Trace func() (*profiler.Trace, error)
}

// ErrNothingYet is what Trace fails with before there is anything to show.
var ErrNothingYet = errors.New("no array operation has run yet")

// Server shows a profile to the browsers of this machine's user. It listens on the loopback
// interface only, answers only requests that name it by a loopback name (so that no web page can
// reach it by a name of its own), and only to browsers that were given its URL: the token in
// it is traded for a cookie.
type Server struct {
	o        ServeOptions
	listener net.Listener
	token    string // opens the server as often as it is used: people keep the address
	secret   string // what tokens are traded for: the cookie
	hosts    []string

	launching sync.Mutex
	launched  map[string]bool // tokens that open it once; see LaunchURL

	mu       sync.Mutex // one picture is drawn at a time
	pictures map[string][]byte

	watching sync.Mutex
	feed     *feed // nil before the first viewer
	viewers  int
	unfollow func() // ends the collector; nil while it does not run
}

// Listen opens the server's port.
func Listen(o ServeOptions) (*Server, error) {
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return nil, fmt.Errorf("viz/live: the address %q to serve on: %w", o.Addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("viz/live: the address %q to serve on is not this machine's own; wanted 127.0.0.1, ::1 or localhost. From elsewhere, forward the port: ssh -L PORT:127.0.0.1:PORT", o.Addr)
	}
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("viz/live: serving on %s: %w", o.Addr, err)
	}
	s := &Server{o: o, listener: listener, token: rand.Text(), secret: rand.Text(), launched: map[string]bool{}, pictures: map[string][]byte{}}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		s.hosts = append(s.hosts, net.JoinHostPort(name, port))
	}
	return s, nil
}

// URL returns the address to open, with the token in it.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" + s.Query() }

// LaunchURL returns an address that opens the server once. A browser is started with it: what programs are started
// with, all users of the machine can read.
func (s *Server) LaunchURL() string {
	token := rand.Text()
	s.launching.Lock()
	s.launched[token] = true
	s.launching.Unlock()
	return "http://" + s.listener.Addr().String() + "/?token=" + token
}

// opens says whether a token is good, and uses it up if it is for one time.
func (s *Server) opens(token string) bool {
	s.launching.Lock()
	defer s.launching.Unlock()
	once := s.launched[token] // of 128 random bits, which are not guessed by the time that a comparison takes
	delete(s.launched, token)
	return once || same(token, s.token)
}

// Query is the end of addresses under which a proxy forwards to the server: the token.
func (s *Server) Query() string { return "?token=" + url.QueryEscape(s.token) }

// Port is the port that the server listens on.
func (s *Server) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// Serve answers until ctx ends.
func (s *Server) Serve(ctx context.Context) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	if s.o.Recorder == nil {
		go s.prepare(ctx)
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("viz/live: serving on %s: %w", s.listener.Addr(), err)
	}
	return nil
}

// prepare builds what the first viewer will need while that one's browser starts.
func (s *Server) prepare(ctx context.Context) {
	f, release, err := s.watch()
	if err != nil {
		return // the page says what is wrong
	}
	release()
	if s.o.Pieces != nil {
		f.load(ctx, s.o.Pieces, s.o.SecondPieces)
	}
}

// Close closes the port of a server that does not serve.
func (s *Server) Close() error { return s.listener.Close() }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; frame-ancestors 'self'")
	switch {
	case !s.called(r.Host):
		http.Error(w, fmt.Sprintf("weft: this server is not called %q; if that is a proxy of yours, set WEFT_VIEWER_HOSTS to its name before weft starts", r.Host), http.StatusMisdirectedRequest)
	case !s.own(r.Header.Get("Origin")):
		http.Error(w, fmt.Sprintf("weft: pages of %q may not ask this server", r.Header.Get("Origin")), http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "weft: this server only shows things", http.StatusMethodNotAllowed)
	case r.URL.Query().Has("token"):
		if !s.opens(r.URL.Query().Get("token")) {
			http.Error(w, "weft: the token is wrong; open the address that weft printed last", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		h.Set("Location", "./") // relative: a proxy may have put a path in front
		w.WriteHeader(http.StatusSeeOther)
	default:
		if c, err := r.Cookie(s.cookie()); err != nil || !same(c.Value, s.secret) {
			http.Error(w, "weft: open the address that weft printed, with its token", http.StatusForbidden)
			return
		}
		s.show(w, r)
	}
}

// called reports whether a Host header names the server.
func (s *Server) called(host string) bool {
	host = strings.ToLower(host)
	if slices.Contains(s.hosts, host) {
		return true
	}
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	return slices.Contains(s.o.Hosts, name)
}

// own reports whether an Origin header, if there is one, is that of the server's own pages.
func (s *Server) own(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return false // an origin is a scheme, a host and a port; "null" is that of files and frames without one
	}
	return (u.Scheme == "http" || u.Scheme == "https") && s.called(u.Host)
}

// same compares in a time that does not tell how much is the same.
func same(got, want string) bool { return subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1 }

// cookie names the cookie after the port, because cookies of all ports of a host are one pot.
func (s *Server) cookie() string {
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return "weft-" + port
}

// show answers a request that is allowed.
func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	switch path {
	case "live":
		s.live(w, r)
		return
	case "":
		s.showPage(w)
		return
	}
	if s.o.Long != "" {
		s.showLong(w, r, path)
		return
	}
	if path == "links.json" && s.o.Pieces != nil {
		s.sendLinks(w, &profiler.Trace{}) // not worth reading a long profile once more
		return
	}
	t, err := s.o.Trace()
	if errors.Is(err, ErrNothingYet) {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if path == "links.json" {
		s.sendLinks(w, t)
		return
	}
	for _, d := range downloads {
		if d.path != path {
			continue
		}
		var body bytes.Buffer // so that an error is still an error
		if err := d.write(&body, t); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", d.mime)
		w.Write(body.Bytes())
		return
	}
	if s.showGraph(w, r, t, path) {
		return
	}
	http.NotFound(w, r)
}

// showPage answers with the viewer, which gets all else over its socket, so that it is there at once however
// much there is to see.
func (s *Server) showPage(w http.ResponseWriter) {
	_, release, err := s.watch() // so that what cannot be shown is an error here
	if errors.Is(err, ErrNothingYet) || s.o.Recorder != nil && s.o.Recorder() == nil {
		if err == nil {
			release()
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, nothingYet)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	release()
	meta := &pageMeta{
		pageTables: newCatalog(nil).tables, Title: s.o.Title, Served: true, Kinds: pageKinds(), Notes: []string{}, Tasks: []int64{}, Runs: []pageRun{},
		Machine: []profiler.Field{}, Links: []graph.Link{},
	}
	var b bytes.Buffer
	writePage(&b, meta, nil)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(b.Bytes())
}

// nothingYet is a page that looks again by itself.
const nothingYet = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>weft</title>
<style>body { font: 15px system-ui, sans-serif; margin: 4em; color-scheme: light dark }</style>
<p>No array operation has run yet. The timeline appears here with the first one.</p>`

// showGraph shows a document of the trace, or draws a graph of it: name.svg or name.png of name.dot.
func (s *Server) showGraph(w http.ResponseWriter, r *http.Request, t *profiler.Trace, path string) bool {
	if name, isPage := strings.CutSuffix(path, ".html"); isPage {
		outline, _, err := graph.Of(t, name)
		if err != nil {
			return false
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(outline.HTML(false, graph.Link{Text: "timeline", Href: "./"}))
		return true
	}
	for _, x := range t.Texts {
		if x.Name == path {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			io.WriteString(w, x.Body)
			return true
		}
		name, isGraph := strings.CutSuffix(x.Name, ".dot")
		format, isPicture := strings.CutPrefix(path, name+".")
		if !isGraph || !isPicture || format != "svg" && format != "png" {
			continue
		}
		picture, err := s.draw(r.Context(), x.Body, format)
		if err != nil {
			http.Error(w, err.Error()+"\n\n"+x.Body, http.StatusInternalServerError)
			return true
		}
		w.Header().Set("Content-Type", map[string]string{"svg": "image/svg+xml", "png": "image/png"}[format])
		w.Write(picture)
		return true
	}
	return false
}

// keptPictures bounds what a server remembers having drawn.
const keptPictures = 16

func (s *Server) draw(ctx context.Context, dot, format string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := format + dot
	if picture, known := s.pictures[key]; known {
		return picture, nil
	}
	picture, err := graph.Render(ctx, s.o.Exe(), dot, format)
	if err != nil {
		return nil, err
	}
	if len(s.pictures) >= keptPictures {
		clear(s.pictures)
	}
	s.pictures[key] = picture
	return picture, nil
}
