package tiletest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"weft/tile"
)

// RandomThreads compares a launch of threads that the seed makes up: on the device, and on the reference in an order
// of its own. What CUDA leaves undefined is defined here: who is active, and what becomes of threads that others wait
// for in vain.
func RandomThreads(t *testing.T, seed uint64, dev tile.Device) {
	t.Helper()
	b := newBench(t, dev)
	b.compareThreads(seed, true, anyThreads)
	b.close()
}

// RandomThreadsThatEnd does so where no thread fails, for devices that may not know of all that are waited for in vain.
func RandomThreadsThatEnd(t *testing.T, seed uint64, dev tile.Device) {
	t.Helper()
	b := newBench(t, dev)
	b.compareThreads(seed, false, anyThreads)
	b.close()
}

// RandomThreadsGuarded does so with guards, for devices that have them. Of races it compares only whether there are
// any, as which thread fails depends on who comes first. It reports whether the launch failed.
func RandomThreadsGuarded(t *testing.T, seed uint64, dev tile.Device) (failed bool) {
	t.Helper()
	b := newBench(t, dev)
	failed = b.compareThreads(seed, true, guardedThreads)
	b.close()
	return failed
}

// RandomThreadAlone does so for blocks of one thread.
func RandomThreadAlone(t *testing.T, seed uint64, dev tile.Device) {
	t.Helper()
	b := newBench(t, dev)
	b.compareThreads(seed, true, oneThread)
	b.close()
}

func (b *bench) compareThreads(seed uint64, failing bool, kind threadsKind) (failed bool) {
	b.Helper()
	r := source(seed)
	return b.compareTrial(seed, r, randomThreads(r, kind), failing, kind == guardedThreads)
}

// compareTrial compares a launch that r made up of the seed; failing ones only if asked to, and races by whether there
// are any.
func (b *bench) compareTrial(seed uint64, r *rand.Rand, tr *threadsTrial, failing, guarded bool) (failed bool) {
	b.Helper()
	run := func(dev tile.Device) (string, [][]byte) {
		exe, err := dev.Compile(tr.program)
		if err != nil {
			b.Fatalf("%v\n%v", err, tr.program)
		}
		memory, err := tr.on(b, dev, exe)
		if err != nil {
			return err.Error(), nil
		}
		return "", memory
	}
	failure, want := run(b.ref)
	if failure != "" && !failing {
		return true
	}
	b.ref.Order = func(n int) []int { return r.Perm(n) }
	defer func() { b.ref.Order = nil }()
	for _, dev := range []tile.Device{b.ref, b.dev} {
		text, got := run(dev)
		name := dev.Info().Name
		if dev == tile.Device(b.ref) {
			name = "the reference in another order"
		}
		if guarded && (text != "") == (failure != "") && (races(text) || races(failure)) {
			continue
		}
		if text != failure {
			b.Errorf("seed %d: %s failed with %q, the reference with %q\n%v\n%+v", seed, name, text, failure, tr.program, tr.grid)
			return true
		}
		for i := range got {
			t := tr.program.Params[i].Type
			for k := 0; k < len(got[i]); k += t.Size() {
				w, g := decode(t, want[i][k:]), decode(t, got[i][k:])
				if (tolerance{}).distance(w, g) > 0 {
					b.Errorf("seed %d: p%d at %d is %v on %s, %v on the reference\n%v\n%+v", seed, i, k/t.Size(), g, name, w, tr.program, tr.grid)
					return true
				}
			}
		}
	}
	return failure != ""
}

// races reports whether a failure is a race, or what one may be told as: a read before another thread's write.
func races(failure string) bool {
	return strings.Contains(failure, "race on ") || strings.Contains(failure, "nothing has written it")
}

// on runs the launch, and returns the parameters, or its error.
func (tr *threadsTrial) on(b *bench, dev tile.Device, exe tile.Executable) ([][]byte, error) {
	b.Helper()
	l := &tile.Launch{Exe: exe, Program: tr.program, Grid: tr.grid}
	for i, m := range tr.memory {
		binding := tile.Binding{Buffer: b.alloc(dev, m), Shape: tr.shapes[i], Strides: make([]int64, len(tr.shapes[i]))}
		step := int64(tr.program.Params[i].Type.Size())
		for k := len(binding.Shape) - 1; k >= 0; k-- {
			binding.Strides[k] = step
			step *= int64(binding.Shape[k])
		}
		l.Args = append(l.Args, binding)
		defer dev.Free(binding.Buffer)
	}
	c := b.wait(func(done func(tile.Completion)) { dev.Launch(b.queueOf(dev), l, done) })
	if c.Err != nil {
		return nil, c.Err
	}
	var all [][]byte
	for i := range l.Args {
		all = append(all, b.download(dev, l.Args[i].Buffer, len(tr.memory[i])))
	}
	return all, nil
}
