package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/scheduler"
	"weft/scheduler/core"
	"weft/scheduler/region"
	"weft/scheduler/verify"
	"weft/tile"
)

// Config says what a stream runs on.
type Config struct {
	Name    string
	Machine scheduler.Machine
	Options core.Options
	Failing bool // some tasks and allocations fail
	Cancel  bool // the program cancels now and then
	Yields  bool // GPUs' memories yield now and then, while tasks run
	Warm    int  // the kernels of ops whose number this divides are there; those of others never, where Options.Meanwhile asks; 0: all are
	Forms   bool // ops that differ in nothing but stores, offsets and uniforms share their form

	broken func(*scheduler.Task) bool // for tests: these tasks do nothing, and say that they did
}

// errFailed is what tasks fail with that chance has chosen.
var errFailed = errors.New("chance made it fail")

// simulator plays the driver for one stream.
type simulator struct {
	*rand.Rand
	*computer
	cfg       Config
	core      *core.Core
	checker   *verify.Checker
	oracle    *oracle
	taints    taints
	memory    map[scheduler.InstanceID]tile.Buffer
	occupancy occupancy
	lost      map[scheduler.StoreID]bool // stores that the host could not fill: there was no room
	ready     []*scheduler.Task
	running   []flight // in the order in which they were given to their devices
	over      []landed // in the order in which they ended
	now       int64
	cancelled bool
	told      int // reads that returned a failure
	trace     verify.Trace
	rows      map[scheduler.TaskID]int // of the trace
	inOrder   int                      // tasks that ran in order
	forms     map[string]*scheduler.Form
	short     int // of those, for want of room
}

// options are the core's, with its view of the compiler.
func (c *Config) options() core.Options {
	o := c.Options
	if c.Warm > 0 {
		o.Cold = func(op *scheduler.Op) bool { return int(op.ID)%c.Warm != 0 }
	}
	return o
}

// Run runs a stream and returns what went wrong. The same arguments give the same answer.
func Run(seed uint64, stream scheduler.Stream, cfg Config) error {
	_, err := trace(seed, stream, cfg)
	return err
}

// trace is Run, and returns what a driver would have logged.
func trace(seed uint64, stream scheduler.Stream, cfg Config) (_ verify.Trace, err error) {
	planner, err := core.New(cfg.Machine, cfg.options())
	if err != nil {
		return verify.Trace{}, err
	}
	comp := newComputer()
	defer comp.dev.Close()
	s := &simulator{
		Rand: rand.New(rand.NewPCG(seed, 200)), computer: comp, cfg: cfg, core: planner,
		checker: verify.NewChecker(planner.Look.Completed), oracle: newOracle(comp), memory: map[scheduler.InstanceID]tile.Buffer{},
		rows: map[scheduler.TaskID]int{}, forms: map[string]*scheduler.Form{},
		occupancy: newOccupancy(cfg.Machine), lost: map[scheduler.StoreID]bool{},
	}
	s.taints = taints{map[scheduler.InstanceID]*taint{}, func(t *scheduler.Task) bool { return s.fails(seed, t) }}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	for i, step := range stream {
		if err := s.step(step); err != nil {
			return s.trace, fmt.Errorf("step %d (%s %v): %w", i+1, step.Verb, step.Store, err)
		}
	}
	return s.trace, s.finish()
}

// chance decides by the seed and a thing's number, whatever the order of events.
func chance(seed uint64, salt, number, of uint64) bool {
	return rand.New(rand.NewPCG(seed^salt, number)).Uint64N(of) == 0
}

// fails reports whether chance makes a task fail: by itself, or because one of the
// instances that it uses cannot be allocated.
func (s *simulator) fails(seed uint64, t *scheduler.Task) bool {
	switch {
	case t.Lacks != nil:
		return true
	case !s.cfg.Failing || t.Kind == scheduler.Free:
		return false
	}
	bad := chance(seed, 1, uint64(t.ID), 25)
	each(t, func(inst *scheduler.Instance) { bad = bad || chance(seed, 2, uint64(inst.ID), 25) })
	return bad
}

func each(t *scheduler.Task, fn func(*scheduler.Instance)) {
	if t.Src != nil {
		fn(t.Src)
	}
	if t.Dst != nil {
		fn(t.Dst)
	}
	for _, a := range t.Args {
		fn(a.Instance)
	}
}

// skips reports whether a step uses a store that could not be filled. The program got an error
// then, and has no array.
func (s *simulator) skips(step scheduler.Step) bool {
	if step.Op != nil && slices.ContainsFunc(step.Op.Uses, func(u scheduler.Use) bool { return s.lost[u.View.Store] }) {
		for _, u := range step.Op.Uses {
			s.lost[u.View.Store] = s.lost[u.View.Store] || u.Access.Writes()
		}
		return true
	}
	return s.lost[step.Store] && step.Verb != "release"
}

// step does what the program does next.
func (s *simulator) step(step scheduler.Step) error {
	if s.skips(step) {
		return nil
	}
	switch step.Verb {
	case "store":
		if id := s.core.NewStore(step.Bytes); id != step.Store {
			return fmt.Errorf("the core calls it %v", id)
		}
		if err := s.oracle.store(step.Store, step.Bytes); err != nil {
			return err
		}
	case "host":
		if bytes, _ := s.core.Look.Bytes(step.Store); s.core.Look.Crowded(bytes) {
			if err := s.flush(); err != nil {
				return err
			}
		}
		inst, err := s.core.Host.Written(step.Store)
		if err := s.planned(s.core.Look.Planned()); err != nil { // what makes room, even if it is not enough
			return err
		}
		if errors.As(err, new(*scheduler.NoRoom)) {
			s.lost[step.Store] = true
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.wait(s.core.Host.Room(inst)); err != nil {
			return err
		}
		b, err := s.buffer(inst)
		if err != nil {
			return err
		}
		for i := range s.oracle.bytes(step.Store) {
			s.oracle.bytes(step.Store)[i] = byte(s.IntN(64)) // keeps floats away from NaN
		}
		copy(b.Bytes(), s.oracle.bytes(step.Store))
		s.logHost(inst, inst.Lo, inst.Hi, true)
		if err := s.checker.HostWrite(inst, inst.Lo, inst.Hi); err != nil {
			return err
		}
	case "op":
		op := *step.Op
		if s.cfg.Forms {
			op.Form = s.form(&op)
		}
		full, err := s.core.Submit(&op)
		if err != nil {
			return fmt.Errorf("%w: %w", errMalformed, err)
		}
		if err := s.oracle.op(&op); err != nil {
			return err
		}
		if full {
			return s.planned(s.core.Flush(true))
		}
	case "release":
		s.core.Release(step.Store)
		s.oracle.release(step.Store)
	case "flush":
		if err := s.flush(); err != nil {
			return err
		}
		return s.advance(func() bool { return s.IntN(3) > 0 })
	case "read", "claim":
		return s.host(step)
	}
	if s.cfg.Cancel && s.IntN(30) == 0 {
		if err := s.flush(); err != nil {
			return err
		}
		s.cancelled = true
		s.core.Cancel(0, ^scheduler.OpID(0), errFailed)
		return nil
	}
	if s.IntN(4) == 0 {
		return s.advance(func() bool { return s.IntN(4) > 0 })
	}
	return nil
}

func (s *simulator) flush() error { return s.planned(s.core.Flush(false)) }

func (s *simulator) planned(p *scheduler.Plan) error {
	for _, t := range p.Tasks {
		s.rows[t.ID] = len(s.trace.Tasks)
		s.trace.Tasks = append(s.trace.Tasks, verify.Ran{Task: t, Planned: s.now})
	}
	s.taints.plan(p)
	if err := s.checker.Plan(p); err != nil || !p.InOrder {
		return err
	}
	for i, t := range p.Tasks {
		if s.IntN(20) == 0 { // the calling thread cannot
			s.core.InOrder.Spread(i)
			return nil
		}
		if !s.core.InOrder.Turn(i) {
			continue
		}
		s.inOrder++
		if err := s.checker.Start(t); err != nil {
			return err
		}
		s.trace.Tasks[s.rows[t.ID]].Start = s.now
		s.now++
		failed, err := s.perform(t)
		if err != nil {
			return err
		}
		s.core.InOrder.Ended(i, failed)
		if err := s.logged(t, failed); err != nil {
			return err
		}
	}
	return nil
}

// form returns what an op shares with others like it.
func (s *simulator) form(op *scheduler.Op) *scheduler.Form {
	key := fmt.Sprint(op.Kind, op.Name, op.Shape, op.Reduced, op.Program)
	for _, u := range op.Uses {
		key += fmt.Sprint(u.View.Type, u.View.Shape, u.View.Strides, u.Access)
	}
	f := s.forms[key]
	if f == nil {
		f = new(scheduler.Form)
		s.forms[key] = f
	}
	return f
}

func (s *simulator) logHost(inst *scheduler.Instance, lo, hi int64, write bool) {
	s.trace.Host = append(s.trace.Host, verify.HostAccess{Instance: *inst, Lo: lo, Hi: hi, Write: write, At: s.now, After: s.core.Look.LastTask()})
}

// host lets the program read bytes, or write them.
func (s *simulator) host(step scheduler.Step) error {
	if err := s.flush(); err != nil {
		return err
	}
	write := step.Verb == "claim"
	inst, after, err := s.core.Host.Need(step.Store, step.Lo, step.Hi, write)
	if err != nil {
		return err
	}
	if err := s.planned(s.core.Look.Planned()); err != nil {
		return err
	}
	if err := s.wait(after); err != nil {
		return err
	}
	bytes := region.Interval{Lo: step.Lo, Hi: step.Hi}
	tn := s.taints.of(inst)
	failure := s.core.Host.Failure(step.Store, step.Lo, step.Hi, true)
	switch full := new(scheduler.NoRoom); {
	case errors.As(failure, &full) && s.cfg.Machine.Memories[full.Memory].Capacity > 0:
		s.short++
		s.checker.Short()
		return nil
	case failure == nil && s.short == 0 && len(tn.must.Common(bytes, nil)) > 0:
		return fmt.Errorf("bytes %v of %v are told to be good, but come from a task that failed", bytes, inst.ID)
	case failure != nil && s.short == 0 && len(tn.may.Common(bytes, nil)) == 0 && !s.cancelled:
		return fmt.Errorf("bytes %v of %v are told to have failed (%v), but do not depend on a task that did", bytes, inst.ID, failure)
	case failure != nil:
		s.told++
		return nil
	}
	b, err := s.buffer(inst)
	if err != nil {
		return err
	}
	have, want := b.Bytes()[step.Lo:step.Hi], s.oracle.bytes(step.Store)[step.Lo:step.Hi]
	// Once memory was short, it may be what was there before an update that never began.
	if err := firstDifference(have, want, step.Lo); err != nil && s.short == 0 {
		return err
	}
	s.logHost(inst, step.Lo, step.Hi, false)
	if err := s.checker.HostRead(inst, step.Lo, step.Hi); err != nil {
		return err
	}
	if write {
		s.logHost(inst, step.Lo, step.Hi, true)
		for i := range have {
			have[i] = byte(s.IntN(64))
			want[i] = have[i]
		}
		return s.checker.HostWrite(inst, step.Lo, step.Hi)
	}
	return nil
}

// wait runs tasks until those that are named are completed.
func (s *simulator) wait(after []scheduler.TaskID) error {
	err := s.advance(func() bool {
		for len(after) > 0 && s.core.Look.Completed(after[0]) {
			after = after[1:]
		}
		return len(after) > 0
	})
	if err == nil && len(after) > 0 {
		err = fmt.Errorf("BUG: inv 4: nothing runs, but %v is not completed", after)
	}
	return err
}

// finish runs everything that is left.
func (s *simulator) finish() error {
	if err := s.flush(); err != nil {
		return err
	}
	if err := s.advance(func() bool { return true }); err != nil {
		return err
	}
	if tasks, bytes := s.core.Look.Pending(); tasks != 0 || bytes != 0 {
		return fmt.Errorf("BUG: inv 4: nothing runs, but %d tasks with %d bytes are pending", tasks, bytes)
	}
	if r := verify.LookBack(s.trace, verify.Whole); r.Wrong > 0 {
		return fmt.Errorf("looking back: %w", r.Violations[0])
	}
	return nil
}

// advance starts and ends tasks as long as the caller wants more and there are some.
func (s *simulator) advance(more func() bool) error {
	for {
		for again := true; again; { // what has begun lets others begin
			s.ready = append(s.ready, s.core.Next()...)
			var err error
			if again, err = s.start(); err != nil {
				return err
			}
		}
		if !more() || len(s.running) == 0 && len(s.over) == 0 && len(s.ready) == 0 {
			return nil
		}
		if err := s.end(); err != nil {
			return err
		}
		if err := s.yield(); err != nil {
			return err
		}
	}
}

// yield has arrays leave a GPU's memory, as a driver asks for that finds no place there although there is room.
func (s *simulator) yield() error {
	gpus := len(s.cfg.Machine.Memories) - 1
	if !s.cfg.Yields || gpus == 0 || s.core.Look.Unflushed() || s.IntN(3) > 0 {
		return nil
	}
	mem := 1 + s.IntN(gpus)
	if !s.core.Yield(scheduler.MemoryID(mem), 1+s.Int64N(2000)) {
		return nil
	}
	return s.planned(s.core.Look.Planned())
}

// perform does what a task does, to real bytes.
func (s *simulator) perform(t *scheduler.Task) (failed, err error) {
	if t.Kind == scheduler.Free {
		if b, ok := s.memory[t.Src.ID]; ok {
			s.dev.Free(b)
			s.occupancy.free(t.Src)
			delete(s.memory, t.Src.ID)
		}
		return nil, nil
	}
	if s.taints.fails(t) {
		return errFailed, nil
	}
	if err := s.reserve(t); err != nil { // of a task that runs in order
		return nil, err
	}
	if s.cfg.broken != nil && s.cfg.broken(t) {
		return nil, nil
	}
	if t.Kind == scheduler.Copy {
		from, to := s.memory[t.Src.ID].Bytes(), s.memory[t.Dst.ID].Bytes()
		for i := range t.Part().N {
			x := t.Part().Tooth(i)
			copy(to[x.Lo-t.Dst.Lo:x.Hi-t.Dst.Lo], from[x.Lo-t.Src.Lo:])
		}
		return nil, nil
	}
	var at []tile.Binding
	for _, a := range t.Args {
		at = append(at, tile.Binding{Buffer: s.memory[a.Instance.ID], Offset: a.Offset})
	}
	return nil, s.run(t.Op, t.Shape, t.Origin, t.Block, at)
}
