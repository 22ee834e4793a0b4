package graph

import (
	"testing"

	"weft/viz/layered"
)

// The label of a line stands beside it, also where the line is nearly level, and where another line comes back the same
// way, not over that.
func TestLabelsStandBesideLines(t *testing.T) {
	there := []layered.Point{{X: 0, Y: 0}, {X: 110, Y: 36}}
	back := []layered.Point{{X: 112, Y: 36}, {X: -2, Y: 0}}
	s := &still{p: &layered.Picture{Lines: [][]layered.Point{there, back}}}
	var taken []layered.Rect
	for edge, line := range s.p.Lines {
		at, ok := s.placeFor(edge, labelPlaces(line, 60, 0))
		if !ok {
			t.Fatalf("edge %d has no place", edge)
		}
		for y := at.Y; y <= at.Y+at.Height; y++ {
			for other := range s.p.Lines {
				if x, ok := across(s.p.Lines[other], y); ok && at.X < x && x < at.X+at.Width {
					t.Errorf("the label of edge %d at %v lies over edge %d at (%v, %v)", edge, at, other, x, y)
				}
			}
		}
		for _, r := range taken {
			if overlap(at, r) {
				t.Errorf("labels at %v and %v overlap", at, r)
			}
		}
		taken = append(taken, at)
		s.taken = taken
	}
}
