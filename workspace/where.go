package workspace

import (
	"weft/profiler"
	"weft/scheduler"
)

// WhereOf is the place that crosses from C as one number: the source above, the line in the lower 32 bits. Everything
// behind this function has places in two numbers; they become text where they are drawn.
func WhereOf(packed uint64) scheduler.Where {
	return scheduler.Where{Source: scheduler.SourceID(packed >> 32), Line: int32(uint32(packed))}
}

// place is a place as records have it, and opPlace one of a record as ops have it.
func place(w scheduler.Where) profiler.Where {
	return profiler.Where{Source: uint32(w.Source), Line: w.Line}
}

func opPlace(w profiler.Where) scheduler.Where {
	return scheduler.Where{Source: scheduler.SourceID(w.Source), Line: w.Line}
}

// RecordPlace is that place as records have it.
func RecordPlace(packed uint64) profiler.Where { return place(WhereOf(packed)) }
