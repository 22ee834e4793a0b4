package driver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"weft/scheduler"
	"weft/tile"
)

// library plays another library on a fake GPU: it has memory there, and is told to do things that it does later, at the
// latest when it is waited for.
type library struct {
	memory  map[uint64][]byte // that it has allocated
	exposed map[uint64]bool   // by handle
	todo    []func()
	settled []uint64 // the streams that were waited for
	waited  func()   // called at the start of each wait, if there is one
	broken  error    // what waits fail with

	lingers bool            // what it had the address of becomes free when leave is called
	leaving []tile.Buffer   // those
	then    []func()        // to call then
	lacked  chan<- struct{} // told of each call of Leaving that finds some
}

func (f *fake) Leaving(then func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.guest.leaving) == 0 {
		return false
	}
	f.guest.then = append(f.guest.then, then)
	if f.guest.lacked != nil {
		f.guest.lacked <- struct{}{}
	}
	return true
}

// lingering keeps a buffer that is freed, if the library has its address.
func (f *fake) lingering(b tile.Buffer) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.guest.lingers || !f.guest.exposed[b.Handle] {
		return false
	}
	f.guest.leaving = append(f.guest.leaving, b)
	return true
}

// leave frees what the library had.
func (f *fake) leave() {
	f.mu.Lock()
	gone, then := f.guest.leaving, f.guest.then
	f.guest.leaving, f.guest.then = nil, nil
	f.mu.Unlock()
	for _, b := range gone {
		f.inner.Free(f.host(b))
		f.forget(b)
	}
	for _, tell := range then {
		tell()
	}
}

// lend allocates memory of the library's.
func (f *fake) lend(n int) (address uint64, bytes []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	address = f.last<<20 | uint64(uintptr(unsafe.Pointer(f)))<<44
	if f.guest.memory == nil {
		f.guest.memory, f.guest.exposed = map[uint64][]byte{}, map[uint64]bool{}
	}
	f.guest.memory[address] = make([]byte, n)
	return address, f.guest.memory[address]
}

func (f *fake) Adopt(address uint64, n int64) (tile.Buffer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.guest.memory[address]
	if m == nil {
		return tile.Buffer{}, fmt.Errorf("%#x: %w", address, tile.ErrElsewhere)
	}
	if int64(len(m)) < n {
		return tile.Buffer{}, fmt.Errorf("%d bytes are beyond the allocation", n)
	}
	f.buffers[address] = tile.Buffer{Host: unsafe.Pointer(&m[0]), Size: n}
	return tile.Buffer{Handle: address, Size: n}, nil
}

func (f *fake) Expose(b tile.Buffer) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.guest.exposed == nil {
		f.guest.memory, f.guest.exposed = map[uint64][]byte{}, map[uint64]bool{}
	}
	f.guest.exposed[b.Handle] = true
	return b.Handle
}

func (f *fake) Settle(stream uint64) error {
	if f.guest.waited != nil {
		f.guest.waited()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.guest.broken != nil {
		return f.guest.broken
	}
	for _, do := range f.guest.todo {
		do()
	}
	f.guest.todo, f.guest.settled = nil, append(f.guest.settled, stream)
	return nil
}

// later has the library do something in its time.
func (f *fake) later(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.guest.todo = append(f.guest.todo, do)
}

func put(bytes []byte, at int, v float64) {
	binary.LittleEndian.PutUint64(bytes[at*8:], math.Float64bits(v))
}

// shared is a store of the random test: what its elements should be, and where a library has it, if one does.
type shared struct {
	array
	model   []float64
	gpu     *fake
	bytes   []byte // at the address
	release func()
}

// Whatever ops, reads and guests do in turn, everybody finds what a sequential program would: on one or two GPUs, some
// of them too small for all, whose queues run ahead or not.
func TestGuestsAgainstASequentialProgram(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		o := gpus(1 + r.IntN(2))
		if r.IntN(3) == 0 {
			o = gpus(0)
			for i := range 2 {
				o.Devices = append(o.Devices, newFake(fmt.Sprintf("gpu%d", i), 2, 1400, false, o.Epoch))
				o.Kinds = append(o.Kinds, scheduler.GPU)
			}
		}
		if r.IntN(2) == 0 {
			o = ordered(o)
		}
		o.Core.NoFusion, o.Core.Renew = r.IntN(2) == 0, 1
		if r.IntN(2) == 0 {
			o.InlineBytes = -1
		}
		s := start(t, o)
		var libraries []*fake
		for _, d := range o.Devices[1:] {
			libraries = append(libraries, d.(*fake))
		}
		const n = 40
		backs := 0
		var stores []*shared
		for i := range 5 {
			x := &shared{array: s.empty(n), model: make([]float64, n)}
			if i < 2 {
				x.gpu = libraries[r.IntN(len(libraries))]
				var at uint64
				at, x.bytes = x.gpu.lend(n * 8)
				for k := range n {
					x.model[k] = float64(k + i)
					x.gpu.later(func() { put(x.bytes, k, float64(k+i)) })
				}
				if err := s.Adopt(x.id, at, 7, false, func() { backs++ }); err != nil {
					t.Fatal(err)
				}
			} else {
				s.fill(x.array, 0)
			}
			stores = append(stores, x)
		}
		part := func(x *shared) (array, []float64, int) {
			from, step := r.IntN(n/2), 1+r.IntN(2)
			return x.array.slice(from, 10, step), x.model[from:], step
		}
		for range 60 {
			x, y := stores[r.IntN(len(stores))], stores[r.IntN(len(stores))]
			switch r.IntN(7) {
			case 0, 1: // x = y + z, of slices that may overlap
				z := stores[r.IntN(len(stores))]
				to, mx, sx := part(x)
				a, my, sy := part(y)
				b, mz, sz := part(z)
				made := make([]float64, 10)
				for k := range made {
					made[k] = my[k*sy] + mz[k*sz]
				}
				sum := s.empty(10)
				half := []tile.Scalar{tile.FloatScalar(tile.Float64, 0.5)}
				s.add(sum, a, b)
				s.do(scaleProgram, sum, 10, half, sum)
				s.do(addProgram, to, 10, nil, sum, sum)
				s.do(scaleProgram, to, 10, half, to)
				s.Free(sum.id)
				for k := range made {
					mx[k*sx] = made[k] * 0.5
				}
			case 2:
				to, m, step := part(x)
				v := float64(r.IntN(9))
				s.fill(to, v)
				for k := range 10 {
					m[k*step] = v
				}
			case 3: // the program reads
				from, m, step := part(x)
				want := make([]float64, 10)
				for k := range want {
					want[k] = m[k*step]
				}
				s.want(from, want...)
			case 4: // a library is told to write
				if x.bytes != nil {
					k, v, bytes := r.IntN(n), float64(r.IntN(99)), x.bytes
					x.gpu.later(func() { put(bytes, k, v) })
					x.model[k] = v
				}
			case 5: // and reads, behind what it was told before
				if x.bytes != nil {
					x.gpu.Settle(7)
					if got := floats(x.bytes); fmt.Sprint(got) != fmt.Sprint(x.model) {
						t.Fatalf("seed %d: a guest finds %v, want %v", seed, got, x.model)
					}
				}
			case 6: // it gets the array, or lets go of it
				if x.release != nil {
					x.release()
					x.bytes, x.release = nil, nil
				} else if x.bytes == nil {
					g, err := s.Expose(x.id, nil)
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					x.gpu = g.Device.(*fake)
					x.bytes, x.release = x.gpu.host(tile.Buffer{Handle: g.Address}).Bytes()[:n*8], g.Release
				}
			}
		}
		for _, x := range stores {
			s.want(x.array, x.model...)
			if x.release != nil {
				x.release()
			}
			s.Free(x.id)
		}
		if err := s.Sync(nil); err != nil {
			t.Fatal(err)
		}
		if backs != 2 {
			t.Errorf("seed %d: %d of 2 guests' arrays were given back", seed, backs)
		}
		if len(s.mapped) != 0 {
			t.Errorf("seed %d: %d stores are still held", seed, len(s.mapped))
		}
	}
}

func TestWhatGuestsAreRefused(t *testing.T) {
	o, _ := cpuFake(1, 0)
	s := start(t, o)
	a := s.iota(4)
	if _, err := s.Expose(a.id, nil); !errors.Is(err, ErrNoGuests) {
		t.Errorf("without GPUs: %v", err)
	}
	if err := s.Adopt(s.empty(4).id, 1<<20, 7, false, nil); !errors.Is(err, ErrNoGuests) {
		t.Errorf("without GPUs: %v", err)
	}
	o = gpus(1)
	gpu, other := o.Devices[1].(*fake), newFake("gpu1", 1, 0, false, o.Epoch)
	defer other.Close()
	s = start(t, o)
	far, _ := other.lend(32)
	near, _ := gpu.lend(16)
	for at, words := range map[uint64]string{far: "weft runs on gpu0; let it have that GPU, too, by --gpus", near: "beyond the allocation"} {
		if err := s.Adopt(s.empty(4).id, at, 7, false, nil); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v lacks %q", err, words)
		}
	}
	a = s.filled(4)
	_, release, err := s.Map(a.view(), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Expose(a.id, nil); err == nil || !strings.Contains(err.Error(), "copy the array") {
		t.Errorf("NumPy has the memory: %v", err)
	}
	release()
	g, err := s.Expose(a.id, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Map(a.view(), true, nil); err == nil || !strings.Contains(err.Error(), "gpu0's, which other libraries use") {
		t.Errorf("a guest has the memory: %v", err)
	}
	if _, _, ok := s.Open(a.id, false); ok {
		t.Error("what a guest has is opened for the host")
	}
	g.Release()
	s.want(a, 1, 1, 1, 1)
	if _, release, err = s.Map(a.view(), true, nil); err != nil {
		t.Errorf("when the guest has left: %v", err)
	}
	release()
	gpu.before = func(*tile.Launch) error { return errors.New("broken") }
	s.fill(a, 2)
	if _, err := s.Expose(a.id, nil); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("an array that has no value: %v", err)
	}
	gpu.before = nil
	s.fill(a, 3)
	s.want(a, 3, 3, 3, 3)
}

// Of several threads that meet a guest which has let go, the first ends the home. The others find the value.
func TestThreadsEndAHome(t *testing.T) {
	const threads = 4
	for k := range 20 {
		o := ordered(gpus(1))
		gpu := o.Devices[1].(*fake)
		s := start(t, o)
		a := s.iota(40)
		g, err := s.Expose(a.id, nil)
		if err != nil {
			t.Fatal(err)
		}
		bytes := gpu.host(tile.Buffer{Handle: g.Address}).Bytes()
		gpu.later(func() { put(bytes, 7, 3) })
		g.Release()
		var meet, ended sync.WaitGroup
		var met atomic.Int64
		meet.Add(threads)
		gpu.guest.waited = func() { // all are in the wait before one goes on
			if met.Add(1) <= threads {
				meet.Done()
				meet.Wait()
			}
		}
		for i := range threads {
			ended.Add(1)
			go func() {
				defer ended.Done()
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("a panic: %v", p)
					}
				}()
				if i == 0 && k%2 == 0 {
					if err := s.Submit(s.op(scaleProgram, a, 40, []tile.Scalar{tile.FloatScalar(tile.Float64, 1)}, a)); err != nil {
						t.Error(err)
					}
				} else if got, err := s.read(a.slice(7, 1, 1)); err != nil || got[0] != 3 {
					t.Errorf("read %v, %v; want what the guest wrote last", got, err)
				}
			}()
		}
		ended.Wait()
		gpu.guest.waited = nil
		s.want(a.slice(6, 3, 1), 6, 3, 8)
	}
}

// An op on guests' memory is refused where what they were told to do cannot be waited for.
func TestAWaitForGuestsThatFails(t *testing.T) {
	o := gpus(1)
	gpu := o.Devices[1].(*fake)
	s := start(t, o)
	a, b := s.iota(40), s.empty(40)
	g, err := s.Expose(a.id, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Release()
	gpu.guest.broken = errors.New("a stream has failed")
	op := s.op(scaleProgram, b, 40, []tile.Scalar{tile.FloatScalar(tile.Float64, 2)}, a)
	if err := s.Submit(op); !errors.Is(err, gpu.guest.broken) {
		t.Errorf("the op gets %v", err)
	}
	if _, err := s.read(a); !errors.Is(err, gpu.guest.broken) {
		t.Errorf("the read gets %v", err)
	}
	gpu.guest.broken = nil
	s.do(scaleProgram, b, 40, []tile.Scalar{tile.FloatScalar(tile.Float64, 2)}, a)
	s.want(b.slice(3, 2, 1), 6, 8)
}

// Memory that a guest has had is waited for, with no lock, where tasks or another guest lack it; nothing fails for want
// of what is going to be there.
func TestWhatGuestsHadIsWaitedFor(t *testing.T) {
	for _, exposes := range []bool{false, true} {
		o := gpus(0)
		gpu := newFake("gpu0", 2, 1000, false, o.Epoch)
		o.Devices, o.Kinds = append(o.Devices, gpu), append(o.Kinds, scheduler.GPU)
		o.Core.NoFusion, o.Core.Renew, o.InlineBytes = true, 1, -1
		s := start(t, o)
		a := s.iota(80)
		g, err := s.Expose(a.id, nil)
		if err != nil {
			t.Fatal(err)
		}
		lacked := make(chan struct{}, 100)
		gpu.guest.lingers, gpu.guest.lacked = true, lacked
		g.Release()
		s.want(a.slice(3, 1, 1), 3)
		s.Free(a.id)
		done := make(chan error)
		b := s.iota(80)
		go func() {
			var err error
			if exposes {
				_, err = s.Expose(b.id, nil)
			} else {
				_, err = s.read(b.slice(4, 1, 1))
			}
			done <- err
		}()
		select {
		case <-lacked:
		case err := <-done:
			t.Fatalf("exposes %v: ended with %v, and the memory is still the guest's", exposes, err)
		}
		s.NewStore(8) // no thread has the runtime's mutex
		gpu.leave()
		if err := <-done; err != nil {
			t.Errorf("exposes %v: %v", exposes, err)
		}
		s.want(b.slice(4, 2, 1), 4, 5)
		gpu.guest.lingers = false
	}
}

// A home neither leaves a memory that is full, nor moves when the array is assigned into.
func TestHomesStay(t *testing.T) {
	o := gpus(0)
	gpu := newFake("gpu0", 2, 1000, false, o.Epoch)
	o.Devices, o.Kinds = append(o.Devices, gpu), append(o.Kinds, scheduler.GPU)
	o.Core.NoFusion, o.Core.Renew, o.InlineBytes = false, 1, -1
	s := start(t, o)
	a := s.iota(40)
	g, err := s.Expose(a.id, nil)
	if err != nil {
		t.Fatal(err)
	}
	bytes := gpu.host(tile.Buffer{Handle: g.Address}).Bytes()
	var others []array
	for range 4 {
		others = append(others, s.iota(40))
	}
	for i := range others {
		s.add(others[i], others[i], others[(i+1)%4])
	}
	s.want(others[3].slice(0, 2, 1), 0, 3)
	sum := s.empty(38)
	s.add(sum, a.slice(0, 38, 1), a.slice(2, 38, 1))
	s.do(scaleProgram, a.slice(1, 38, 1), 38, []tile.Scalar{tile.FloatScalar(tile.Float64, 2)}, sum)
	s.Free(sum.id)
	if got := fmt.Sprint(floats(bytes)[:4]); got != "[0 4 8 12]" {
		t.Errorf("the guest finds %s", got)
	}
	g.Release()
}
