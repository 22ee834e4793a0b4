package workspace

import (
	"fmt"

	"weft/profiler"
	"weft/scheduler"
)

// lineAct is what a line of the program did again and again, for the advice that Python gives on it.
type lineAct struct {
	Place    string `json:"place"`
	Name     string `json:"name"`     // of the function
	Calls    int64  `json:"calls"`    // that were computed at once
	Elements int64  `json:"elements"` // of the newest one's result; -1 where it is no longer known
}

// lineReads is how often a line read or wrote single elements, and asked for a number, while that was counted.
type lineReads struct {
	Place  string `json:"place"`
	Reads  int    `json:"reads"`
	Writes int    `json:"writes"`
	Values int    `json:"values"`
}

// acts tells what the lines of the program did so far: from the counts that the eager tier keeps anyway, and those of
// elements that were made between counting on and counting off.
func (m *Machine) acts(string) (string, error) {
	places := m.places()
	answer := struct {
		Acts  []lineAct   `json:"acts"`
		Reads []lineReads `json:"reads"`
	}{[]lineAct{}, []lineReads{}}
	newest := m.space.notes.newest()
	for _, t := range m.space.notes.tallied(m.displays) {
		if t.where == (scheduler.Where{}) {
			continue
		}
		act := lineAct{Place: places(t.where), Name: t.name, Calls: t.n, Elements: -1}
		if n, known := newest[smallSite{t.where, t.name}]; known {
			act.Elements = n
		}
		answer.Acts = append(answer.Acts, act)
	}
	for _, n := range m.space.options.Program.Counted(false) {
		where := opPlace(n.Where)
		if n.Where != (profiler.Where{}) && !m.displays(where) {
			answer.Reads = append(answer.Reads, lineReads{places(where), n.Reads, n.Writes, n.Values})
		}
	}
	return asJSON(answer)
}

// newest is how many elements the newest result of each function at each line has, of the operations that are
// remembered.
func (s *notes) newest() map[smallSite]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	sizes := map[smallSite]int64{}
	for i := max(0, s.all-NotesKept); i < s.all; i++ {
		r := s.row(i)
		name, _ := s.named(r.What)
		sizes[smallSite{WhereOf(r.Where), name}] = int64(r.Elements)
	}
	return sizes
}

// counting begins or ends the counts of elements by line, which a profile by lines makes as well. They go on until all
// that began them have ended.
func (s *Workspace) counting(on string) (string, error) {
	if on != "on" && on != "off" {
		return "", fmt.Errorf("counting: want on or off, got %q", on)
	}
	s.options.Program.Counting(on == "on")
	return "", nil
}
