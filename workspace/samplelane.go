package workspace

import (
	"sync"

	"weft/profiler"
	"weft/viz/report"
)

// sampleLane is the timeline's lane of what the program's thread did between the records of the runtime, as profiles by
// lines have sampled it. It is there from the first profile on.
type sampleLane struct {
	mu   sync.Mutex // queries come without the interpreter's lock
	lane *profiler.Lane
}

// record puts the samples of a profile that has ended onto the lane.
func (s *sampleLane) record(rec *profiler.Recorder, samples []report.Sample) {
	if len(samples) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lane == nil {
		s.lane = rec.Lane(profiler.LaneInfo{Name: "python", Kind: "program"})
	}
	kinds := map[report.Spending]profiler.Kind{report.Python: profiler.Python, report.Calling: profiler.Call, report.Recording: profiler.Recording}
	for i := range samples {
		one := &samples[i]
		name := one.Name
		if one.Does == report.Recording { // tells the runtime what is to be done, or waits for it
			name = "in weft"
		}
		s.lane.Put(profiler.Record{
			Start: one.Start, End: one.End, Kind: kinds[one.Does],
			Label: rec.Label(profiler.Label{Name: name, Where: one.Where, Detail: one.Module}),
		})
	}
	s.lane.Publish()
}
