package workspace

import (
	"weft/profiler"
	"weft/viz/graph"
	"weft/viz/report"
)

// memoryRow is a memory as Python gets it; bytes.
type memoryRow struct {
	Name    string `json:"name"`
	Live    int64  `json:"live"`
	Peak    int64  `json:"peak"`
	Total   int64  `json:"total"` // 0: only the machine's memory bounds it
	Mapped  int64  `json:"mapped"`
	Buffers int    `json:"buffers"`
}

// anchor says what the memories hold at the end of a trace that has just been taken.
func (m *Machine) anchor(t *profiler.Trace) {
	live := map[string]int64{}
	for _, s := range m.rt.Stats().Memories {
		live[memoryLane(s.Name)] = s.Live
	}
	t.Anchor(live)
}

// memoryLane is the name of a memory's lane.
func memoryLane(name string) string { return name + " memory" }

// memory says what each memory holds, and draws what it held during a cell.
func (m *Machine) memory(argument string) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	totals := map[string]int64{}
	rows := []memoryRow{}
	for _, s := range m.rt.Stats().Memories {
		totals[memoryLane(s.Name)] = s.Total
		rows = append(rows, memoryRow{s.Name, s.Live, s.Peak, s.Total, s.Mapped, s.Buffers})
	}
	t := m.rt.Recorder().Snapshot() // of everything, since a cell begins with what others have taken
	m.anchor(t)
	plot := report.NewMemoryPlot(t, "memory of "+c.name, totals)
	if c.name != "everything" {
		plot.Since = c.name
	}
	plot.Clip(c.mark.Start, min(c.mark.End, m.rt.Now()))
	svg, picture := "", ""
	if len(plot.Rows) > 0 {
		svg = plot.SVG()
		picture = graph.ThemedPicture("memory in use over time", svg)
	}
	return asJSON(map[string]any{"cell": c.name, "memories": rows, "svg": svg, "html": picture})
}
