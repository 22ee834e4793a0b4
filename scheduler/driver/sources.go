package driver

import (
	"weft/profiler"
	"weft/scheduler"
)

// sources are the interned names of cells and files.
//
// IDs are given in the order in which names come, and stay: records in files name cells by them.
type sources struct {
	ids   map[string]scheduler.SourceID
	names []string // by SourceID; 0 is unknown
}

func newSources() sources {
	return sources{ids: map[string]scheduler.SourceID{}, names: []string{""}}
}

// place says "In[3] line 2", or nothing when it is not known.
func (s *sources) place(w scheduler.Where) string {
	if w.Source == 0 || int(w.Source) >= len(s.names) {
		return ""
	}
	return profiler.PlaceText(s.names[w.Source], w.Line)
}

// Source returns the number of a cell or file, such as In[3] or heat.py.
func (r *Runtime) Source(name string) scheduler.SourceID {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id, ok := r.sources.ids[name]; ok || name == "" {
		return id
	}
	id := scheduler.SourceID(len(r.sources.names))
	r.sources.ids[name] = id
	r.sources.names = append(r.sources.names, name)
	r.rec.Source(profiler.Source{ID: uint32(id), Name: name})
	return id
}

// SourceText tells the text of a cell or file, so that the viewer can show it.
//
// The recorder is called without the mutex: it has a lock of its own, and texts may be long.
func (r *Runtime) SourceText(id scheduler.SourceID, text string) {
	r.mu.Lock()
	name := ""
	if int(id) < len(r.sources.names) {
		name = r.sources.names[id]
	}
	r.mu.Unlock()
	if name != "" {
		r.rec.Source(profiler.Source{ID: uint32(id), Name: name, Text: text})
	}
}

// SourceName returns the name of a source; empty when it is not known.
func (r *Runtime) SourceName(id scheduler.SourceID) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if int(id) < len(r.sources.names) {
		return r.sources.names[id]
	}
	return ""
}

// Place says "In[3] line 2"; empty when it is not known.
func (r *Runtime) Place(w scheduler.Where) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sources.place(w)
}
