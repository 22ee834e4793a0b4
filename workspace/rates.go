package workspace

import (
	"weft/cpu"
	"weft/profiler"
	"weft/scheduler"
	"weft/viz/report"
)

// rates are how fast the lines of a trace of a cell moved bytes, as its profile by lines says it.
func (m *Machine) rates(c cell, t *profiler.Trace) report.LineRates {
	return report.NewLineRates(t, report.RateOptions{Limit: float64(m.space.copied.Load()), Caches: cpu.CacheBytes(), Ops: m.lineOps(c)})
}

// lineRates returns a function that says it by the places of ops.
func (m *Machine) lineRates(c cell) func(scheduler.Where) string {
	rates := m.rates(c, m.trace(c))
	return func(w scheduler.Where) string { return rates[place(w)] }
}

// spreads returns a function that names the lines of what was fused into an op; nothing for a single operation.
func (m *Machine) spreads() func(*scheduler.Op) string {
	t := m.rt.Recorder().Tables()
	known := map[uint64]string{} // by a hash of the parts' lines: loops have many ops of the same ones
	return func(op *scheduler.Op) string {
		if len(op.Parts) == 0 {
			return ""
		}
		hash := uint64(14695981039346656037)
		lines := make([]profiler.Where, len(op.Parts))
		for i, part := range op.Parts {
			lines[i] = place(part.Where)
			hash = (hash ^ (uint64(lines[i].Source)<<32 | uint64(lines[i].Line))) * 1099511628211
		}
		text, ok := known[hash]
		if !ok {
			text = t.PlacesName(&profiler.Form{Where: place(op.Where), Parts: profiler.PartsOf(lines)})
			known[hash] = text
		}
		return text
	}
}
