package profiler

import (
	"strings"
	"testing"
)

func TestParts(t *testing.T) {
	lines := []Where{{2, 4}, {1, 3}, {1, 2}, {2, 4}, {1, 9}, {2, 4}, {0, 0}}
	parts := PartsOf(lines)
	if parts != "0:0 1:2 1:3 1:9 2:4x3" {
		t.Errorf("the parts of %v are %q", lines, parts)
	}
	if list := parts.Lines(); len(list) != 5 || list[4] != (LinePart{Where{2, 4}, 3}) {
		t.Errorf("the lines of %q are %v", parts, list)
	}
	trace := empty()
	trace.Sources = []Source{{ID: 1, Name: "In[2]"}, {ID: 2, Name: "f.py"}}
	for _, row := range []struct {
		parts Parts
		name  string
	}{
		{"1:2 1:3 1:5x2 2:4x3", "In[2] lines 2-3, 5, f.py line 4"}, {"1:2 1:3", "In[2] lines 2-3"}, {"1:7x9", "In[2] line 7"}, {"", "In[2] line 7"},
	} {
		if got := trace.PlacesName(&Form{Where: Where{1, 7}, Parts: row.parts}); got != row.name {
			t.Errorf("%q is called %q, wanted %q", row.parts, got, row.name)
		}
	}
	for _, wrong := range []Parts{"1", "1:", "1:2x0", "1:-2", "1:2  1:3", "x", "1:2x", "1:99999999999", Parts(strings.Repeat("1:2 ", maxPartLines) + "1:2")} {
		trace.Forms = []Form{{}, {Parts: wrong}}
		if err := trace.Check(); err == nil {
			t.Errorf("a form with the parts %.20q was taken", wrong)
		}
	}
	many := make([]Where, 2*maxPartLines)
	for i := range many {
		many[i] = Where{1, int32(i + 1)}
	}
	if n := len(PartsOf(many).Lines()); n != maxPartLines {
		t.Errorf("%d of %d lines are told, wanted %d", n, len(many), maxPartLines)
	}
}
