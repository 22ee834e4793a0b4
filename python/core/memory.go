//go:build extension

package main

import (
	"weft/viz"
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

// memory says what each memory holds, and draws what it held during a cell.
func (m *machine) memory(argument string) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	totals := map[string]int64{}
	rows := []memoryRow{}
	for _, s := range m.rt.Stats().Memories {
		totals[s.Name+" memory"] = s.Total
		rows = append(rows, memoryRow{s.Name, s.Live, s.Peak, s.Total, s.Mapped, s.Buffers})
	}
	t := m.rt.Recorder().Snapshot() // of everything, since a cell begins with what others have taken
	plot := viz.NewMemoryPlot(t, "memory of "+c.name, totals)
	plot.Clip(c.mark.Start, min(c.mark.End, m.rt.Now()))
	svg := ""
	if len(plot.Rows) > 0 {
		svg = plot.SVG()
	}
	return asJSON(map[string]any{"cell": c.name, "memories": rows, "svg": svg})
}
