package driver

import (
	"weft/scheduler"
	"weft/tile"
)

// A device that is a Preparer compiles kernels, which takes tens of milliseconds each. It is told of those of a plan
// together, before the first of its tasks starts; and with one GPU, an op that costs less than that, and reads what the
// host has, runs on the CPUs meanwhile (scheduler/core/small.go).
//
//	plan       o1 cold, on the CPUs     o2 cold, on the GPU     o3 compiled, on the GPU
//	prepares   the kernels of o1, for its next turn, and of o2
//
// Which op is cold depends on how far the compiler is, and is the one thing in a plan that does. So nothing runs on the
// CPUs for that reason where a key of WEFT_DEBUG is set: a search for faults needs the same plan each time.

// coldBytes is what ops cost at most, in the unit of core.Options.Inline, that run on the CPUs while kernels are
// compiled and are not done: some 4 milliseconds of one core. A kernel takes 12 to 40; one that is kept takes 1, and is
// not cold.
const coldBytes = 16 << 20

// preparerOf returns what compiles ahead, or nil.
func preparerOf(dev tile.Device) tile.Preparer {
	p, _ := dev.(tile.Preparer)
	return p
}

// cold reports whether the first launch of an op on the machine's GPU would wait for a compiler.
func (r *Runtime) cold(op *scheduler.Op) bool {
	d := r.compiling()
	if d == nil {
		return false
	}
	made := d.compile(op.Program)
	return made.err == nil && d.preparer.Cold(made.exe)
}

// compiling returns the machine's GPU, if it compiles; nil where it is lost.
func (r *Runtime) compiling() *device {
	for _, d := range r.devices {
		if d.kind == scheduler.GPU && d.preparer != nil && d.lostBy == "" {
			return d
		}
	}
	return nil
}

// markOf is the label of a run that says why it is where it is; 0 where there is nothing to say.
func (r *Runtime) markOf(t *scheduler.Task) uint32 {
	if t.Cold {
		return r.meanwhile
	}
	return 0
}

// prepares has devices make kernels of what a plan is going to launch there, and of what of it is cold. Those that are
// kept are among them: modules are kept whole.
func (r *Runtime) prepares(plan *scheduler.Plan) {
	for _, d := range r.devices {
		if d.preparer == nil || d.lostBy != "" {
			continue
		}
		var launches []*tile.Launch
		last := (*scheduler.Op)(nil)
		for _, t := range plan.Tasks {
			if t.Kind != scheduler.Run || t.Op == last || r.devices[t.Device] != d && !(t.Cold && d == r.compiling()) {
				continue
			}
			last = t.Op // a device's tiles of an op are alike
			if made := d.compile(t.Op.Program); made.err == nil && d.preparer.Unmade(made.exe) {
				launches = append(launches, outline(t, made))
			}
		}
		if launches != nil {
			d.preparer.Prepare(launches)
		}
	}
}

// outline is a launch like that of a task, or of one of its op on another device, whose memory may not be there yet.
// Instances begin at multiples of what a device's buffers do; a buffer's name is that of the instance.
func outline(t *scheduler.Task, made compiled) *tile.Launch {
	l := launchOf(t, made, make([]tile.Binding, 0, len(t.Args)), func(inst *scheduler.Instance) tile.Buffer {
		return tile.Buffer{Handle: uint64(inst.ID) << 40, Size: max(1, inst.Hi-inst.Lo)}
	})
	if t.Cold {
		l.Shape, l.Origin = t.Op.Shape, scheduler.Origin(len(t.Op.Shape))
	}
	return &l
}
