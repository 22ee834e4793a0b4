package core

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"weft/internal/datadriven"
	"weft/scheduler"
	"weft/scheduler/fuse"
	"weft/scheduler/verify"
	"weft/tile"
)

// script is the state behind one file of testdata: a core that the commands of the file
// talk to. See the files for examples.
type script struct {
	core    *Core
	afresh  *Core // of template: is asked for the same, and remembers no templates
	checker *verify.Checker
	handed  map[scheduler.TaskID]*scheduler.Task
	under   map[scheduler.TaskID]*scheduler.Task // that have begun, as the checker knows
	known   []*tile.Program
	forms   strings.Builder // of the passes of the last plans
}

// known are the programs that the files use by name.
func known() []*tile.Program {
	var list []*tile.Program
	build := func(name string, rank int, fn func(*tile.Builder)) {
		b := tile.NewBuilder(name, rank)
		fn(b)
		list = append(list, b.Program())
	}
	for rank := 1; rank <= 2; rank++ {
		build(fmt.Sprintf("copy%d", rank), rank, func(b *tile.Builder) { b.Store(b.Load(tile.Float64)) })
		build(fmt.Sprintf("add%d", rank), rank, func(b *tile.Builder) {
			x := b.Load(tile.Float64)
			b.Store(b.Do(tile.Add, x, b.Load(tile.Float64)))
		})
		build(fmt.Sprintf("fill%d", rank), rank, func(b *tile.Builder) { b.Store(b.Const(tile.FloatScalar(tile.Float64, 1))) })
		build(fmt.Sprintf("all%d", rank), rank, func(b *tile.Builder) { b.Store(b.Uniform(tile.Float64)) })
		build(fmt.Sprintf("scale%d", rank), rank, func(b *tile.Builder) {
			b.Store(b.Do(tile.Mul, b.Load(tile.Float64), b.Uniform(tile.Float64)))
		})
		build(fmt.Sprintf("sum%d", rank), rank, func(b *tile.Builder) { b.Reduce(tile.Sum, b.Load(tile.Float64)) })
	}
	for rank := 1; rank <= 4; rank++ {
		build(fmt.Sprintf("product%d", rank), rank, func(b *tile.Builder) {
			x := b.Load(tile.Float64)
			b.Reduce(tile.Sum, b.Do(tile.Mul, x, b.Load(tile.Float64)))
		})
	}
	return list
}

// commands is the language of the files.
var commands = map[string]func(*script, *testing.T, *datadriven.Case) string{
	"machine":  (*script).machine,
	"plan":     (*script).plan,
	"fuse":     (*script).fuse,
	"template": (*script).template,
	"parse":    (*script).parse,
	"windows":  (*script).windows,
	"submit":   (*script).submit,
	"next":     (*script).next,
	"begun":    (*script).begun,
	"done":     (*script).done,
	"finish":   (*script).finish,
	"cancel":   (*script).cancel,
	"failure":  (*script).failure,
	"passes":   (*script).passes,
	"forms":    (*script).form,
}

func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T) func(*testing.T, *datadriven.Case) string {
		s := &script{known: known()}
		return func(t *testing.T, c *datadriven.Case) string {
			run := commands[c.Cmd]
			if run == nil {
				t.Fatalf("%s: unknown command %q", c.Pos, c.Cmd)
			}
			return run(s, t, c)
		}
	})
}

// machine cpus=Q gpus=N [ordered=1] [fbmem=B] [sysmem=B] [calls=cpu|gpu] [lacks=ROUTINE] [mintile=B] [balance=K]
// [window=W] [fuse=1] [renew=B] [small=B] [grid=RxC] starts afresh.
func (s *script) machine(t *testing.T, c *datadriven.Case) string {
	m := scheduler.Machine{
		Devices:  []scheduler.Device{{Kind: scheduler.CPU, Queues: c.Int("cpus", 1), Calls: c.Has("calls")}},
		Memories: []scheduler.Memory{{Name: "host", Capacity: int64(c.Int("sysmem", 0))}},
	}
	for i := range c.Int("gpus", 0) {
		m.Devices = append(m.Devices, scheduler.Device{Kind: scheduler.GPU, Memory: scheduler.MemoryID(i + 1), Queues: 1, Calls: c.String("calls", "") == "gpu", Grids: c.Has("grids"), Ordered: c.Has("ordered")})
		if c.Has("lacks") {
			m.Devices[i+1].Lacks = func(p *tile.Program) string {
				if p.Routine == c.String("lacks", "") {
					return "it is not for GPUs"
				}
				return ""
			}
		}
		m.Memories = append(m.Memories, scheduler.Memory{Name: fmt.Sprintf("gpu%d", i), Capacity: int64(c.Int("fbmem", 0))})
	}
	var grid [2]int
	if c.Has("grid") {
		if _, err := fmt.Sscanf(c.String("grid", ""), "%dx%d", &grid[0], &grid[1]); err != nil {
			t.Fatalf("%s: grid: %v", c.Pos, err)
		}
	}
	o := Options{Grid: grid, MinTile: int64(c.Int("mintile", 1)), Balance: c.Int("balance", 1), Window: c.Int("window", 0), NoFusion: c.Int("fuse", 0) == 0, Renew: int64(c.Int("renew", 0)), Small: int64(c.Int("small", 0))}
	o.Form = func(pass, text string) {
		if text != "" {
			fmt.Fprintf(&s.forms, "%s:\n%s", pass, regexp.MustCompile("(?m)^").ReplaceAllString(strings.TrimSuffix(text, "\n"), "  ")+"\n")
		}
	}
	core, err := New(m, o)
	if err != nil {
		return err.Error()
	}
	o.NoTemplates, o.Form = true, nil
	if s.afresh, err = New(m, o); err != nil {
		return err.Error()
	}
	s.core, s.checker, s.handed, s.under = core, verify.NewChecker(core.Look.Completed), map[scheduler.TaskID]*scheduler.Task{}, map[scheduler.TaskID]*scheduler.Task{}
	return ""
}

// apply does the steps of a stream and returns what was planned on the way.
func (s *script) apply(t *testing.T, c *datadriven.Case) string {
	stream, err := scheduler.ParseOps(c.Input, s.known...)
	if err != nil {
		return err.Error() + "\n"
	}
	var out strings.Builder
	for _, step := range stream {
		switch step.Verb {
		case "store":
			if id := s.core.NewStore(step.Bytes); id != step.Store {
				t.Fatalf("%s: the core calls %v %v", c.Pos, step.Store, id)
			}
		case "host":
			_, err = s.core.Host.Written(step.Store)
		case "op":
			var full bool
			if full, err = s.core.Submit(step.Op); full {
				out.WriteString("full\n")
			}
		case "release":
			s.core.Release(step.Store)
		case "flush":
			out.WriteString(s.show(t, s.core.Flush(false)))
		case "read", "claim":
			out.WriteString(s.show(t, s.core.Flush(false)))
			var inst *scheduler.Instance
			var after []scheduler.TaskID
			if inst, after, err = s.core.Host.Need(step.Store, step.Lo, step.Hi, step.Verb == "claim"); err == nil {
				out.WriteString(s.show(t, s.core.Look.Planned()))
				fmt.Fprintf(&out, "%s %v in %v after %v\n", step.Verb, step.Store, inst.ID, after)
			}
		}
		if err != nil {
			return out.String() + err.Error() + "\n"
		}
	}
	return out.String()
}

// show prints a plan without its ops, which stand in the input already.
func (s *script) show(t *testing.T, p *scheduler.Plan) string {
	if err := s.checker.Plan(p); err != nil {
		t.Error(err)
	}
	var out strings.Builder
	for line := range strings.Lines(p.String()) {
		if strings.HasPrefix(line, "inst") || strings.Contains(line, " whole: ") || strings.Contains(line, " in small tiles: ") || strings.Contains(line, " on a CPU: ") || strings.HasPrefix(line, "task") || strings.HasPrefix(line, "total") && len(p.Tasks) > 0 {
			out.WriteString(line)
		}
	}
	return out.String()
}

// plan does the steps and flushes.
func (s *script) plan(t *testing.T, c *datadriven.Case) string {
	out := s.apply(t, c)
	return out + s.show(t, s.core.Flush(false))
}

// forms [full] does the steps, flushes, and prints what each pass has left, and each step within one.
func (s *script) form(t *testing.T, c *datadriven.Case) string {
	out := s.apply(t, c)
	s.forms.Reset()
	if err := s.checker.Plan(s.core.Flush(c.Has("full"))); err != nil {
		t.Error(err)
	}
	return out + s.forms.String()
}

// fuse [tasks] does the steps, flushes, and prints what became of the ops, programs included.
func (s *script) fuse(t *testing.T, c *datadriven.Case) string {
	out := s.apply(t, c)
	p := s.core.Flush(false)
	if err := s.checker.Plan(p); err != nil {
		t.Error(err)
	}
	text := p.String()
	if i := strings.Index(text, "task "); i >= 0 && !c.Has("tasks") {
		text = text[:i]
	}
	return out + text
}

// template [plan] does the steps, flushes, and prints the template: whether the window was captured or replayed by it,
// and on demand the plan, which is the same where each window is planned afresh.
func (s *script) template(t *testing.T, c *datadriven.Case) string {
	out := s.apply(t, c)
	p := s.core.Flush(false)
	if err := s.checker.Plan(p); err != nil {
		t.Error(err)
	}
	on := *s
	on.core, on.checker = s.afresh, verify.NewChecker(s.afresh.Look.Completed)
	on.apply(t, c)
	if want := s.afresh.Flush(false).String(); p.String() != want {
		t.Errorf("%s: the plan is\n%swanted\n%s", c.Pos, p, want)
	}
	switch {
	case p.Template == nil:
		out += "no template\n"
	case p.Replayed:
		out += "replayed\n" + p.Template.String()
	default:
		out += "captured\n" + p.Template.String()
	}
	if c.Has("plan") {
		out += "----\n" + p.String()
	}
	return out
}

// parse reads a template and prints it.
func (s *script) parse(t *testing.T, c *datadriven.Case) string {
	read, err := fuse.ParseTemplate(c.Input, s.known...)
	if err != nil {
		return err.Error()
	}
	if again, err := fuse.ParseTemplate(read.String()); err != nil || again.String() != read.String() {
		t.Errorf("%s: the template does not read back: %v", c.Pos, err)
	}
	return read.String()
}

// windows does the steps, and shows what is planned each time that the window is full, and what
// waits then.
func (s *script) windows(t *testing.T, c *datadriven.Case) string {
	stream, err := scheduler.ParseOps(c.Input, s.known...)
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	for _, step := range stream {
		full := false
		switch step.Verb {
		case "store":
			s.core.NewStore(step.Bytes)
		case "release":
			s.core.Release(step.Store)
		case "op":
			if full, err = s.core.Submit(step.Op); err != nil {
				return err.Error()
			}
		default:
			t.Fatalf("%s: windows does not know %q", c.Pos, step.Verb)
		}
		if !full {
			continue
		}
		p := s.core.Flush(true)
		if err := s.checker.Plan(p); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(&out, "full at %v:", s.core.Look.LastOp())
		for _, op := range p.Ops {
			fmt.Fprintf(&out, " %v %s,", op.ID, op.Name)
		}
		fmt.Fprintf(&out, " %d wait\n", s.core.Look.Waiting())
	}
	return out.String()
}

// submit does the steps.
func (s *script) submit(t *testing.T, c *datadriven.Case) string { return s.apply(t, c) }

// next shows what may start.
func (s *script) next(t *testing.T, c *datadriven.Case) string {
	var ids []string
	for _, task := range s.core.Next() {
		id := task.ID.String()
		if len(task.Behind) > 0 {
			id += fmt.Sprintf(" behind %v", task.Behind)
		}
		ids = append(ids, id)
		s.handed[task.ID] = task
	}
	tasks, bytes := s.core.Look.Pending()
	return fmt.Sprintf("start %s\npending %d tasks, %d bytes", strings.Join(ids, " "), tasks, bytes)
}

// begun t=N says that a queue has a task.
func (s *script) begun(t *testing.T, c *datadriven.Case) string {
	id := scheduler.TaskID(c.Int("t", 0))
	if err := s.checker.Start(s.handed[id]); err != nil {
		t.Error(err)
	}
	s.under[id] = s.handed[id]
	s.core.Begun(id)
	return ""
}

// done t=N [error=text] completes a task, and shows what it has failed with.
func (s *script) done(t *testing.T, c *datadriven.Case) string {
	var err error
	if text := c.String("error", ""); text != "" {
		err = errors.New(text)
	}
	id := scheduler.TaskID(c.Int("t", 0))
	delete(s.handed, id)
	failure := s.core.Done(id, err)
	if task := s.under[id]; task != nil {
		delete(s.under, id)
		if err := s.checker.End(task, failure); err != nil {
			t.Error(err)
		}
	}
	if failure != nil && !errors.Is(failure, err) {
		return failure.Error()
	}
	return ""
}

// finish runs everything in the order of IDs and shows that order.
func (s *script) finish(t *testing.T, c *datadriven.Case) string {
	var out []string
	for {
		for _, task := range s.core.Next() {
			s.handed[task.ID] = task
		}
		if len(s.handed) == 0 {
			return strings.Join(out, " ")
		}
		var first *scheduler.Task
		for _, task := range s.handed {
			if first == nil || task.ID < first.ID {
				first = task
			}
		}
		delete(s.handed, first.ID)
		s.core.Done(first.ID, nil)
		out = append(out, first.ID.String())
	}
}

func (s *script) cancel(t *testing.T, c *datadriven.Case) string {
	s.core.Cancel(0, ^scheduler.OpID(0), errors.New("cancelled"))
	return ""
}

// failure s=N lo= hi= shows the failure of bytes; without s, the first that was not told yet.
func (s *script) failure(t *testing.T, c *datadriven.Case) string {
	err := error(nil)
	if c.Has("s") {
		err = s.core.Host.Failure(scheduler.StoreID(c.Int("s", 0)), int64(c.Int("lo", 0)), int64(c.Int("hi", 0)), true)
	} else {
		err = s.core.Host.Untold()
	}
	return fmt.Sprint(err)
}

func (s *script) passes(t *testing.T, c *datadriven.Case) string {
	var out strings.Builder
	for _, p := range passes {
		name := p.name
		if p.within != "" {
			name = p.within + "/" + name
		}
		fmt.Fprintf(&out, "%s: %s\n", name, p.why)
	}
	return out.String()
}
