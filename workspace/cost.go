package workspace

import (
	"encoding/json"
	"time"
)

// cellCost is a cell's cost as Python gets it, in the metadata of its reply.
type cellCost struct {
	Wall       float64            `json:"wall_seconds"`
	Operations int64              `json:"operations"`
	Fused      int64              `json:"fused_operations"`
	Tasks      int64              `json:"tasks"`
	Pending    int                `json:"pending_tasks"`
	Copies     int64              `json:"copies"`
	Moved      int64              `json:"moved_bytes"`
	Waits      int64              `json:"waits"`
	Fallbacks  int64              `json:"fallbacks"`
	Busy       map[string]float64 `json:"busy_seconds"` // by device
}

// EndCell notes that the cell of a shell ends, and returns what it cost as JSON, nothing if it did not use the runtime.
// What the eager tier has computed for it has been taken by then.
func (s *Workspace) EndCell(shell string) string {
	c := &s.cells
	c.mu.Lock()
	defer c.mu.Unlock()
	open := c.take(shell)
	c.ended++
	if open == nil || c.rt == nil {
		return ""
	}
	if open.shell == "" {
		s.progress.end(c.rt)
	}
	c.measureWhenQuiet()
	open.mark = c.rt.EndCell(open.mark)
	open.lastNote = s.notes.count()
	if len(c.done) == maxCells {
		c.done = append(c.done[:0], c.done[1:]...)
	}
	c.done = append(c.done, *open)
	spent := c.rt.Totals().Since(open.before)
	spent.Operations += open.lastNote - open.firstNote
	fallbacks := c.fallbacks - open.fallbacksBefore
	if spent.Operations == 0 && spent.Waits == 0 && fallbacks == 0 {
		return ""
	}
	cost := cellCost{
		Wall: time.Since(open.begun).Seconds(), Operations: spent.Operations, Fused: spent.Fused, Tasks: spent.Tasks,
		Pending: spent.Pending, Copies: spent.Copies, Moved: spent.Moved, Waits: spent.Waits, Fallbacks: fallbacks,
		Busy: map[string]float64{},
	}
	for _, d := range spent.Busy {
		cost.Busy[d.Device] = float64(d.Time) / 1e9
	}
	text, err := json.Marshal(cost)
	if err != nil {
		return "" // numbers and names: it cannot be
	}
	return string(text)
}
