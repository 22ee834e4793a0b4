package workspace

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sync"

	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/viz/label"
)

// variables are the names by which the program knows arrays, by store. They are told at the ends of cells and where a
// picture is asked for, and stay when the variables are gone: pictures are of what was.
type variables struct {
	mu    sync.Mutex
	names map[scheduler.StoreID]string
}

// mostNames bounds what is remembered; beyond, all is forgotten but what is told then.
const mostNames = 1 << 16

// told answers the query that names stores: JSON of names by number.
func (m *Machine) told(argument string) (string, error) {
	var names map[scheduler.StoreID]string
	if err := json.Unmarshal([]byte(argument), &names); err != nil {
		return "", fmt.Errorf("names: %w", err)
	}
	v := &m.variables
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.names == nil || len(v.names) > mostNames {
		v.names = map[scheduler.StoreID]string{}
	}
	for id, name := range names {
		v.names[id] = name
	}
	return "", nil
}

// assigned is a line that gives a name to what it computes.
var assigned = regexp.MustCompile(`^([A-Za-z_]\w*)\s*(?::[^=]*)?=[^=]`)

// storeNames are the names of the stores that ops use: those of variables; and of what has none any more, such as a
// function's local arrays and the earlier turns of a loop, the name that the line has assigned it to.
func (m *Machine) storeNames(ops []driver.OpInfo, lines func(scheduler.Where) string) map[scheduler.StoreID]string {
	called := map[scheduler.StoreID]string{}
	assign := func(op *scheduler.Op) {
		if found := assigned.FindStringSubmatch(lines(op.Where)); found != nil {
			for _, u := range op.Uses {
				if u.Access.Writes() {
					called[u.View.Store] = found[1]
				}
			}
		}
	}
	for _, op := range ops {
		if len(op.Parts) == 0 {
			assign(op.Op)
		}
		for i, part := range op.Parts {
			if i+1 == len(op.Parts) || op.Parts[i+1].Where != part.Where { // the last one of its line
				assign(part)
			}
		}
	}
	m.variables.tell(called, m.space.notes.known)
	return called
}

// carried is the name of the operations that copy into an array's new buffer what a step does not write.
const carried = "carry"

func carriedTitle(line string, called map[scheduler.StoreID]string, op driver.OpInfo) string {
	if line == "" {
		return ""
	}
	for _, u := range op.Uses {
		if name := called[u.View.Store]; name != "" {
			return "unchanged part of " + name
		}
	}
	return "unchanged part of the array"
}

// lineTitles returns a function that says what operations of a line are called.
func (m *Machine) lineTitles() func(scheduler.Where) string {
	t := m.rt.Recorder().Tables()
	known := map[scheduler.Where]string{}
	return func(w scheduler.Where) string {
		text, ok := known[w]
		if !ok {
			text = label.OfLine(t.LineText(place(w)))
			known[w] = text
		}
		return text
	}
}
