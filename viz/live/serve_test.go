package live_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"weft/profiler"
	"weft/viz/graph"
	"weft/viz/live"
	"weft/viz/viztest"
)

// startServer serves heatTrace with a graph until the test ends.
func startServer(t *testing.T, trace func() (*profiler.Trace, error)) *live.Server {
	t.Helper()
	return serveLive(t, live.ServeOptions{Title: "run.weftprof", Exe: func() string { return viztest.Self(t) }, Trace: trace, Hosts: []string{"hub.example"}})
}

func get(t *testing.T, client *http.Client, address, host string) (int, string, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		request.Host = host
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body), answer.Header
}

func TestMain(m *testing.M) { viztest.Main(m) }

func heatWithGraph() (*profiler.Trace, error) {
	trace := heatTrace(3)
	trace.Texts = []profiler.Text{{Name: "dataflow.dot", Body: graph.Dataflow(viztest.HeatOps(3), graph.Options{}).DOT()}, {Name: "wrong.dot", Body: "digraph {"}}
	return trace, nil
}

func TestServe(t *testing.T) {
	s := startServer(t, heatWithGraph)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	status, body, header := get(t, client, s.URL(), "")
	if status != http.StatusOK || !strings.Contains(body, `id="canvas"`) {
		t.Fatalf("the page: status %d, %.300s", status, body)
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("the page's policy is %q", policy)
	}
	base := strings.SplitAfter(s.URL(), "/?")[0]
	base = strings.TrimSuffix(base, "?")
	for path, want := range map[string]string{
		"timeline.html":    `id="data"`,
		"links.json":       "dataflow.svg",
		"summary.txt":      "stencil at In [3] line 2",
		"trace.csv":        "kind,lane,start_ns",
		"trace.json":       `"lanes":[`,
		"chrome.json":      `"traceEvents":[`,
		"perfetto.pftrace": "\x0a",
		"trace.weftprof":   "weftprof\x05",
		"dataflow.dot":     "digraph weft",
		"dataflow.svg":     "<svg",
		"dataflow.png":     "\x89PNG",
	} {
		status, body, _ := get(t, client, base+path, "")
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, %.200q, wanted %q", path, status, body, want)
		}
	}
	for path, want := range map[string]string{"wrong.svg": "syntax error", "nothing": "404", "../serve.go": "404", "dataflow.pdf": "404"} {
		status, body, _ := get(t, client, base+path, "")
		if status < 400 || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, %.200q, wanted %q", path, status, body, want)
		}
	}
}

// Only who was given the token gets in, and no web page can reach the server by its own name.
func TestServeRefuses(t *testing.T) {
	s := startServer(t, heatWithGraph)
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + u.Host + "/"
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, c := range []struct {
		address, host string
		status        int
	}{
		{base, "", http.StatusForbidden},
		{base + "trace.json", "", http.StatusForbidden},
		{base + "?token=wrong", "", http.StatusForbidden},
		{base + "?token=", "", http.StatusForbidden},
		{s.URL(), "evil.example:" + u.Port(), http.StatusMisdirectedRequest},
		{s.URL(), "127.0.0.1:1", http.StatusMisdirectedRequest},
		{s.URL(), "localhost:" + u.Port(), http.StatusSeeOther},
		{s.URL(), "LocalHost:" + u.Port(), http.StatusSeeOther},
		{s.URL(), "hub.example", http.StatusSeeOther},
		{s.URL(), "Hub.example:8443", http.StatusSeeOther},
		{s.URL(), "sub.hub.example", http.StatusMisdirectedRequest},
	} {
		status, body, header := get(t, client, c.address, c.host)
		if status != c.status {
			t.Errorf("%s as %q: status %d (%.100q), wanted %d", c.address, c.host, status, body, c.status)
		}
		if cookie := header.Get("Set-Cookie"); status == http.StatusSeeOther && (!strings.Contains(cookie, "HttpOnly") || header.Get("Location") != "./") {
			t.Errorf("the cookie is %q, the location %q", cookie, header.Get("Location"))
		}
	}
	launch := s.LaunchURL()
	for _, want := range []int{http.StatusSeeOther, http.StatusForbidden} { // the second who has it, from a list of processes, comes too late
		if status, body, _ := get(t, client, launch, ""); status != want {
			t.Errorf("the launching address: status %d (%.100q), wanted %d", status, body, want)
		}
	}
	for origin, want := range map[string]int{
		"http://" + u.Host: http.StatusSeeOther, "https://hub.example": http.StatusSeeOther,
		"http://evil.example": http.StatusForbidden, "http://127.0.0.1:1": http.StatusForbidden, "null": http.StatusForbidden,
		"http://LOCALHOST:" + u.Port(): http.StatusSeeOther, "ftp://" + u.Host: http.StatusForbidden, "//" + u.Host: http.StatusForbidden,
		"http://evil.example@" + u.Host: http.StatusForbidden, "http://" + u.Host + "/x": http.StatusForbidden,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Origin", origin)
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("a page of %s: status %d, wanted %d", origin, answer.StatusCode, want)
		}
	}
	answer, err := client.Post(s.URL(), "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", answer.StatusCode)
	}
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.1:0", "example.org:80", "127.0.0.1", ":0"} {
		if s, err := live.Listen(live.ServeOptions{Addr: addr}); err == nil {
			t.Errorf("listening on %s works", addr)
			s.Close()
		}
	}
}

func TestServeNothingYet(t *testing.T) {
	s := startServer(t, func() (*profiler.Trace, error) { return nil, live.ErrNothingYet })
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	status, body, _ := get(t, &http.Client{Jar: jar}, s.URL(), "")
	if status != http.StatusOK || !strings.Contains(body, "http-equiv=\"refresh\"") {
		t.Errorf("status %d, %q", status, body)
	}
}

func TestServeBrokenTrace(t *testing.T) {
	s := startServer(t, func() (*profiler.Trace, error) { return nil, errors.New("the file is damaged") })
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	status, body, _ := get(t, &http.Client{Jar: jar}, s.URL(), "")
	if status != http.StatusInternalServerError || !strings.Contains(body, "the file is damaged") {
		t.Errorf("status %d, %q", status, body)
	}
}

// Of a profile that is not read as a whole there are the forms that can be written piece by piece, and its graphs.
func TestServeLong(t *testing.T) {
	trace, err := heatWithGraph()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.weftprof")
	if err := profiler.WriteFile(path, trace); err != nil {
		t.Fatal(err)
	}
	s := serveLive(t, live.ServeOptions{Title: "long", Long: path, Trace: func() (*profiler.Trace, error) { return nil, errors.New("read as a whole") },
		Pieces: func(context.Context, func(*profiler.Increment)) error { return nil }})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	get(t, client, s.URL(), "")
	base, _, _ := strings.Cut(s.URL(), "?")
	for name, want := range map[string]struct {
		status int
		text   string
	}{
		"links.json": {http.StatusOK, `"trace.csv"`}, "trace.csv": {http.StatusOK, "kind,lane,start_ns"}, "trace.weftprof": {http.StatusOK, "weftprof"},
		"trace.json": {http.StatusRequestEntityTooLarge, "weft export"}, "dataflow.dot": {http.StatusOK, "digraph"}, "none": {http.StatusNotFound, ""},
	} {
		status, body, _ := get(t, client, base+name, "")
		if status != want.status || !strings.Contains(body, want.text) || name == "links.json" && strings.Contains(body, "trace.json") {
			t.Errorf("%s: status %d, %.200s", name, status, body)
		}
	}
}
