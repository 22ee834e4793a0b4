package live

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"

	"weft/profiler"
	"weft/viz/graph"
)

// downloads are the forms of the whole trace, besides the page.
var downloads = []struct {
	path, mime, link string
	write            func(io.Writer, *profiler.Trace) error
	long             func(w io.Writer, file string) error // of a profile that is not read as a whole; nil is not offered
}{
	{"timeline.html", "text/html; charset=utf-8", "this page for off-line", func(w io.Writer, t *profiler.Trace) error {
		_, err := w.Write(TimelineHTML(t, TimelineOptions{}))
		return err
	}, nil},
	{"summary.txt", "text/plain; charset=utf-8", "summary", func(w io.Writer, t *profiler.Trace) error {
		_, err := io.WriteString(w, profiler.Summarize(t).String())
		return err
	}, nil},
	{"trace.csv", "text/csv; charset=utf-8", "CSV", profiler.WriteCSV, profiler.WriteCSVOf},
	{"trace.json", "application/json", "JSON", profiler.WriteJSON, nil},
	{"chrome.json", "application/json", "Chrome trace", profiler.WriteChrome, nil},
	{"perfetto.pftrace", "application/octet-stream", "Perfetto", profiler.WritePerfetto, nil},
	{"trace.weftprof", "application/octet-stream", "profile", profiler.Write, func(w io.Writer, file string) error {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	}},
}

// showLong answers of a profile that is not read as a whole.
func (s *Server) showLong(w http.ResponseWriter, r *http.Request, path string) {
	for _, d := range downloads {
		if d.path != path {
			continue
		}
		if d.long == nil {
			http.Error(w, "weft: the profile is too long for this form; weft export FILE --csv, --text and --check read it piece by piece", http.StatusRequestEntityTooLarge)
			return
		}
		w.Header().Set("Content-Type", d.mime)
		if err := d.long(w, s.o.Long); err != nil {
			log.Printf("weft: sending %s: %v", path, err) // what was sent is cut
			panic(http.ErrAbortHandler)
		}
		return
	}
	t, err := profiler.ReadTables(s.o.Long)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case path == "links.json":
		s.sendLinks(w, t)
	case !s.showGraph(w, r, t, path):
		http.NotFound(w, r)
	}
}

func (s *Server) sendLinks(w http.ResponseWriter, t *profiler.Trace) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(s.links(t)); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// links are the other things that there are, for the head of the page.
func (s *Server) links(t *profiler.Trace) []graph.Link {
	var out []graph.Link
	for _, x := range t.Texts {
		if name, isGraph := strings.CutSuffix(x.Name, graph.Suffix); isGraph {
			out = append(out, graph.Link{Text: name + " graph", Href: url.PathEscape(name + ".html")})
		}
		if name, isGraph := strings.CutSuffix(x.Name, ".dot"); isGraph {
			out = append(out, graph.Link{Text: name + " SVG", Href: url.PathEscape(name + ".svg")}, graph.Link{Text: "DOT", Href: url.PathEscape(x.Name)})
		}
	}
	for _, d := range downloads {
		if s.o.Long == "" || d.long != nil {
			out = append(out, graph.Link{Text: d.link, Href: d.path})
		}
	}
	return out
}
