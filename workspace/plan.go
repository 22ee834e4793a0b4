package workspace

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/units"
	"weft/scheduler"
	"weft/scheduler/driver"
)

// plan says what became of a cell's operations: which run as one pass over memory, in how many
// tiles, which do not and why, and what had to be copied.
//
//	In[3]: 12 operations in 2 passes over 5.8 MB, 8 tasks, no copies
//	o11  add+...+copy (6)  (498,498)  4 tasks  3.8 MB  In[3] line 4
//	       o6 add, o7 add, o8 add, o9 add, o10 multiply, o11 copy
//	       tiles of (125,498)
//	o12  sum  (500,500)  1 task  2.0 MB  In[3] line 5
//	       whole: work like on 1.9 MiB of operands; two tiles should have 1 MiB each
//	       apart from o11: uses other elements than are written there at the same point
//	3 small operations at once, when the program asked for them: few elements are computed sooner than they are planned
//	       add, multiply (2)  In[3] line 7
func (m *Machine) plan(argument string) (string, error) {
	c, err := m.chosen(argument)
	if err != nil {
		return "", err
	}
	type sum struct {
		tasks int
		bytes int64
	}
	runs, brought := map[scheduler.OpID]sum{}, map[scheduler.OpID]sum{}
	tiles := map[scheduler.OpID][]int{} // the largest extents
	var copies [256]sum                 // by cause
	memories := m.rt.Stats().Memories
	left := make([]sum, len(memories)) // buffers that made room
	ran, copied := sum{}, sum{}
	for _, t := range m.tasks(c) {
		switch t.Kind {
		case scheduler.Run:
			s := runs[t.Op.ID]
			runs[t.Op.ID] = sum{s.tasks + 1, s.bytes + t.Bytes()}
			ran = sum{ran.tasks + 1, ran.bytes + t.Bytes()}
			if largest := tiles[t.Op.ID]; largest == nil {
				tiles[t.Op.ID] = slices.Clone(t.Shape)
			} else {
				for axis, n := range t.Shape {
					largest[axis] = max(largest[axis], n)
				}
			}
		case scheduler.Copy:
			s := &copies[t.Cause]
			s.tasks++
			s.bytes += t.Bytes()
			copied.tasks++
			copied.bytes += t.Bytes()
			if t.Op != nil {
				s := brought[t.Op.ID]
				brought[t.Op.ID] = sum{s.tasks + 1, s.bytes + t.Bytes()}
			}
		case scheduler.Free:
			if t.Cause == scheduler.Spill {
				s := &left[t.Src.Memory]
				s.tasks++
				s.bytes += t.Bytes()
			}
		}
	}
	var b strings.Builder
	ops := m.ops(c)
	asked := 0
	for _, op := range ops {
		asked += max(1, len(op.Parts))
	}
	fmt.Fprintf(&b, "%s: %s in %s over %s, %s, %s\n", c.name, units.Count(asked, "operation"), units.Count(len(ops), "pass"), units.Size(ran.bytes), units.Count(ran.tasks, "task"), copiedText(copied.tasks, copied.bytes))
	for _, op := range ops {
		run := runs[op.ID]
		fmt.Fprintf(&b, "%-5v  %s  %s  %s  %s  %s\n", op.ID, op.Name, units.Shape(op.Shape), units.Count(run.tasks, "task"), units.Size(run.bytes), m.rt.Place(op.Where))
		if len(op.Parts) > 0 {
			var parts []string
			for _, part := range op.Parts {
				parts = append(parts, fmt.Sprintf("%v %s", part.ID, part.Name))
			}
			fmt.Fprintf(&b, "         %s\n", strings.Join(parts, ", "))
		}
		var how []string
		if run.tasks > 1 {
			how = append(how, "tiles of "+units.Shape(tiles[op.ID]))
		} else if why := m.rt.WhyWhole(op.Op); why != "" && run.tasks == 1 {
			how = append(how, why)
		}
		if f, ok := m.rt.Fit(op.ID); ok {
			how = append(how, f.Why())
		}
		if s := brought[op.ID]; s.tasks > 0 {
			how = append(how, copiedText(s.tasks, s.bytes))
		}
		if len(how) > 0 {
			fmt.Fprintf(&b, "         %s\n", strings.Join(how, ", "))
		}
		if s, ok := m.split(op); ok {
			fmt.Fprintf(&b, "         apart from %v: %v\n", s.From, s.Why)
		}
	}
	for cause, s := range copies {
		if s.tasks > 0 {
			fmt.Fprintf(&b, "%v: %s\n", scheduler.Cause(cause), copiedText(s.tasks, s.bytes))
		}
	}
	for mem, s := range left {
		if s.tasks > 0 {
			fmt.Fprintf(&b, "%s was full: %s of %s left it\n", memories[mem].Name, units.Count(s.tasks, "buffer"), units.Size(s.bytes))
		}
	}
	b.WriteString(m.smallPlan(c))
	return asJSON(map[string]string{"cell": c.name, "text": b.String()})
}

// split returns why an op is a pass of its own: what is known of the first part that opened one.
func (m *Machine) split(op driver.OpInfo) (scheduler.Split, bool) {
	for _, part := range op.Parts {
		if s, ok := m.rt.Split(part.ID); ok {
			return s, true
		}
	}
	return m.rt.Split(op.ID)
}

func copiedText(n int, bytes int64) string {
	switch n {
	case 0:
		return "no copies"
	case 1:
		return "1 copy of " + units.Size(bytes)
	}
	return fmt.Sprintf("%d copies of %s", n, units.Size(bytes))
}
