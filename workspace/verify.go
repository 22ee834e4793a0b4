package workspace

import (
	"fmt"

	"weft/scheduler"
	"weft/scheduler/verify"
)

// violation is one of a verification as Python gets it.
type violation struct {
	Invariant int    `json:"invariant"`
	Op        string `json:"op"`
	Task      string `json:"task"`
	Other     string `json:"other"`
	Text      string `json:"text"`
}

// verification is what Python gets.
type verification struct {
	Cell       string         `json:"cell"`
	Text       string         `json:"text"`
	Tasks      map[string]int `json:"tasks"`
	Conflicts  int            `json:"conflicts"`
	Reads      int            `json:"reads"`
	Fused      int            `json:"fused"`
	Unchecked  int            `json:"unchecked"`
	Small      int64          `json:"small"` // operations that were computed at once
	Wrong      int            `json:"wrong"`
	Violations []violation    `json:"violations"`
}

// verify looks back at a cell, or at everything, and says whether it ran in an order that no value can
// tell from that of the program.
func (m *Machine) verify(argument string) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	v, err := m.rt.Verify(verify.Span{FirstOp: c.mark.FirstOp, LastOp: c.mark.LastOp, FirstTask: c.mark.FirstTask, LastTask: c.mark.LastTask}, nil)
	if err != nil {
		return "", err
	}
	told := verification{
		Cell: c.name, Text: c.name + ": " + v.Text, Tasks: map[string]int{}, Conflicts: v.Conflicts, Reads: v.Reads, Fused: v.Fused,
		Unchecked: v.Older + v.Scattered + v.Uncertain + v.Skipped, Wrong: v.Wrong, Violations: []violation{},
	}
	if n := m.space.notes.between(c.firstNote, c.lastNote); n > 0 {
		told.Small = n
		told.Text += fmt.Sprintf("\n  not checked: %s, which ran at once on the program's thread, in its order", smallText(n))
	}
	for kind, n := range v.Tasks {
		told.Tasks[scheduler.TaskKind(kind).String()] = n
	}
	name := func(id scheduler.TaskID) string {
		if id == 0 {
			return ""
		}
		return id.String()
	}
	for _, x := range v.Violations {
		op := ""
		if x.Op != 0 {
			op = x.Op.String()
		}
		told.Violations = append(told.Violations, violation{x.Invariant, op, name(x.Task), name(x.Other), x.Text})
	}
	return asJSON(told)
}
