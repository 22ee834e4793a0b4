package scheduler

import (
	"fmt"

	"weft/internal/units"
)

// Threshold is what decides that an op is too small to be cut.
type Threshold struct {
	Colors int   // most tiles of an op
	Tile   int64 // what each should cost, in the unit of Options.Inline
	Inline int64 // up to this a window runs in order
}

// Whole says why an op is not cut, or nothing where its size is not the reason.
//
//	whole: work like on 12 KiB of operands; two tiles should have 2 MiB each
//	whole: work like on 1 MiB of operands; up to 2.5 MiB a window runs in order
func (t Threshold) Whole(op *Op) string {
	work, why := op.Work(), ""
	switch {
	case t.Colors < 2 || op.Kind == Call || work == 0:
		return ""
	case work/t.Tile < 2:
		why = fmt.Sprintf("two tiles should have %s each", units.Size(t.Tile))
	case work <= t.Inline:
		why = fmt.Sprintf("up to %s a window runs in order", units.Size(t.Inline))
	default:
		return ""
	}
	return fmt.Sprintf("whole: work like on %s of operands; %s", units.Size(work), why)
}
