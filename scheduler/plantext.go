package scheduler

import (
	"fmt"
	"strconv"
	"strings"
)

// String prints the plan: programs, ops, new instances and tasks. Equal streams on equal
// machines give equal texts.
//
//	inst i1 s1 on m0 [0,80)
//	task t1 run o1 color 0 on d0 tile (5) at (0) args r i1+0 w i2+0
//	task t2 copy halo i1 -> i3 [32,40) on d1 for o2 after t1
//	task t3 free i1 after t1 t2
//	total 1 runs, 1 copies of 8 bytes (8 halo), 1 frees
//
// A copy of rows prints as [32,40) x5/100: five runs of bytes, a hundred bytes apart.
func (p *Plan) String() string {
	var b strings.Builder
	var names ProgramNames
	for _, op := range p.Ops {
		names.Print(&b, op.Program)
	}
	for _, op := range p.Ops {
		op.print(&b, names.Name(op.Program))
	}
	for _, s := range p.Splits {
		b.WriteString(s.String() + "\n")
	}
	for _, f := range p.Fits {
		b.WriteString(f.String() + "\n")
	}
	tiles := map[OpID]int{}
	for _, t := range p.Tasks {
		if t.Kind == Run {
			tiles[t.Op.ID]++
		}
	}
	for _, op := range p.Ops {
		if why := p.Limits.Whole(op); why != "" && tiles[op.ID] == 1 {
			fmt.Fprintf(&b, "%v %s\n", op.ID, why)
		}
	}
	for _, inst := range p.Instances {
		fmt.Fprintf(&b, "inst %v %v on %v [%d,%d)\n", inst.ID, inst.Store, inst.Memory, inst.Lo, inst.Hi)
	}
	var count [TaskKinds]int
	var moved [len(causes)]int64
	var all int64
	for _, t := range p.Tasks {
		b.WriteString("task ")
		t.print(&b)
		b.WriteByte('\n')
		count[t.Kind]++
		if t.Kind == Copy {
			moved[t.Cause] += t.Bytes()
			all += t.Bytes()
		}
	}
	fmt.Fprintf(&b, "total %d runs, %d copies of %d bytes", count[Run], count[Copy], all)
	sep := " ("
	for cause, n := range moved {
		if n > 0 {
			fmt.Fprintf(&b, "%s%d %v", sep, n, Cause(cause))
			sep = ", "
		}
	}
	if all > 0 {
		b.WriteString(")")
	}
	fmt.Fprintf(&b, ", %d frees\n", count[Free])
	return b.String()
}

// String prints the task: t1 run o1 color 0 on d0 tile (5) at (0) args r i1+0 w i2+0.
func (t *Task) String() string {
	var b strings.Builder
	t.print(&b)
	return b.String()
}

// print does without fmt: plans of tests have millions of tasks, and are held against each other as texts.
func (t *Task) print(b *strings.Builder) {
	say := func(words ...string) {
		for _, w := range words {
			b.WriteString(w)
		}
	}
	say(t.ID.String(), " ", t.Kind.String())
	switch t.Kind {
	case Run:
		say(" ", t.Op.ID.String(), " color ", strconv.Itoa(int(t.Color)), " on ", t.Device.String(), " tile ", Tuple(t.Shape), " at ", Tuple(t.Origin))
		if t.Block != nil {
			say(" block ", Tuple(t.Block))
		}
		say(" args")
		for _, a := range t.Args {
			say(" ", a.Access.String(), " ", a.Instance.ID.String(), "+", strconv.FormatInt(a.Offset, 10))
		}
		if t.Zeros {
			say(" zeros")
		}
		if t.Cold {
			say(" cold")
		}
		if t.Lacks != nil {
			fmt.Fprintf(b, " lacks %d on %v", t.Lacks.Needs, t.Lacks.Memory)
		}
	case Copy:
		say(" ", t.Cause.String(), " ", t.Src.ID.String(), " -> ", t.Dst.ID.String(), " ", t.Part().String(), " on ", t.Device.String())
		if t.Op != nil {
			say(" for ", t.Op.ID.String())
		}
	case Free:
		if t.Cause != NoCause {
			say(" ", t.Cause.String())
		}
		say(" ", t.Src.ID.String())
	}
	if len(t.After) > 0 {
		say(" after")
		for _, id := range t.After {
			say(" ", id.String())
		}
	}
}
