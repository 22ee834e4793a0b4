package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/units"
	"weft/scheduler"
	"weft/viz/label"
)

// FusedLine is a line of the program with so many of the operations that run as one pass.
type FusedLine struct {
	where      scheduler.Where
	Place      string `json:"place"` // that, as people read it
	Text       string `json:"text,omitempty"`
	Rate       string `json:"rate,omitempty"` // of all its passes
	Operations int    `json:"operations"`
}

// fusedLines are the lines whose operations a node's ops compute, in the order of the program; nil where each op is a
// single operation. Of ops that are alike, as those of a loop are, the operations of one count.
func fusedLines(ops []OpNode, members []int, p *pen) []FusedLine {
	at := map[scheduler.Where]int{} // in lines
	var lines []FusedLine
	for _, i := range members {
		seen := map[scheduler.Where]int{}
		for _, in := range ops[i].Inner {
			if seen[in.Where]++; seen[in.Where] > 1 {
				continue
			}
			if _, known := at[in.Where]; !known {
				at[in.Where] = len(lines)
				lines = append(lines, FusedLine{where: in.Where, Place: p.line(in.Where), Text: in.Line, Rate: in.Rate})
			}
		}
		for where, n := range seen {
			line := &lines[at[where]]
			line.Operations = max(line.Operations, n)
		}
	}
	slices.SortStableFunc(lines, func(a, b FusedLine) int {
		return cmp.Or(cmp.Compare(a.where.Source, b.where.Source), cmp.Compare(a.where.Line, b.where.Line))
	})
	return lines
}

// fusedText says which lines a node's pass computes:
//
//	3 operations in one pass:
//	2 of In[3] line 4: y = x * 2 + 1 (4.90 GB/s in a lane, 84% of the copy speed)
//	1 of In[3] line 5: z = np.sqrt(y)
func fusedText(lines []FusedLine) string {
	if len(lines) == 0 {
		return ""
	}
	all := 0
	var rows []string
	for _, l := range lines {
		all += l.Operations
		row := fmt.Sprintf("%d of %s", l.Operations, l.Place)
		if l.Text != "" {
			row += ": " + label.OneLine(l.Text, longestText)
		}
		if l.Rate != "" {
			row += " (" + l.Rate + ")"
		}
		rows = append(rows, row)
	}
	return fmt.Sprintf("%s in one pass:\n", units.Count(all, "operation")) + strings.Join(rows, "\n")
}
