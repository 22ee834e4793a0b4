package arrays_test

import (
	"testing"
	"unsafe"

	"weft/arrays"
	"weft/cpu"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/tile"
)

// meddler lets another call run while one waits for a value, as Python's threads do.
type meddler struct {
	*direct
	during func() // of the next wait
	before func() // the next op is submitted: that waits, too
}

func (m *meddler) Submit(op *scheduler.Op) error {
	if f := m.before; f != nil {
		m.before = nil
		f()
	}
	return m.direct.Submit(op)
}

func (m *meddler) Read(v scheduler.View, dst []byte, stop <-chan struct{}) error {
	err := m.direct.Read(v, dst, stop)
	if f := m.during; f != nil {
		m.during = nil
		f()
	}
	return err
}

// What a wait finds is not remembered of an array that was written in the wait.
func TestWritesWhileACallWaits(t *testing.T) {
	writes := map[string]func(t *testing.T, c *arrays.Context, mask *arrays.Array){
		"an op": func(t *testing.T, c *arrays.Context, mask *arrays.Array) {
			if err := c.SetItem(mask, arrays.Int(0), arrays.Int(0)); err != nil {
				t.Error(err)
			}
		},
		"a mapping": func(t *testing.T, _ *arrays.Context, mask *arrays.Array) {
			p, release, err := mask.Map(true, nil)
			if err != nil {
				t.Fatal(err)
			}
			*(*int64)(p) = 0
			release()
		},
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			rt := &meddler{direct: newDirect(t)}
			c := arrays.New(rt)
			mask := call(t, c, "add", call(t, c, "zeros", 5, "int64"), 1)
			rt.during = func() { write(t, c, mask) }
			// The write comes between the count, which is 5, and the positions, which are 4.
			if at, err := c.Call("flatnonzero", mask); err == nil {
				t.Errorf("%d positions in an array that changes while it is looked at", at.Size())
			}
			for range 2 { // found anew, then known
				if got := call(t, c, "flatnonzero", mask).String(); got != "[1 2 3 4]" {
					t.Errorf("%s after the write, wanted [1 2 3 4]", got)
				}
			}
			write(t, c, mask) // ends what is known
			if got := call(t, c, "flatnonzero", mask).String(); got != "[1 2 3 4]" {
				t.Errorf("%s after the second write, wanted [1 2 3 4]", got)
			}
		})
	}
}

// What is found while an op waits that writes the array is not remembered.
func TestFactsWhileAWriteWaits(t *testing.T) {
	rt := &meddler{direct: newDirect(t)}
	c := arrays.New(rt)
	mask := call(t, c, "add", call(t, c, "zeros", 5, "int64"), 1)
	rt.before = func() {
		if got := call(t, c, "flatnonzero", mask).String(); got != "[0 1 2 3 4]" {
			t.Errorf("%s before the write, wanted all", got)
		}
	}
	if err := c.SetItem(mask, arrays.Int(0), arrays.Int(0)); err != nil {
		t.Fatal(err)
	}
	if got := call(t, c, "flatnonzero", mask).String(); got != "[1 2 3 4]" {
		t.Errorf("%s after the write, wanted [1 2 3 4]", got)
	}
	at := call(t, c, "add", call(t, c, "zeros", 5, "int64"), 1)
	rt.before = func() { call(t, c, "take", mask, at) }
	if err := c.InPlace(arrays.Add, at, arrays.Int(9)); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Call("take", mask, at); err == nil {
		t.Errorf("%v at indices out of bounds", got)
	}
}

// A mapping is waited for without Python's lock, while another thread calls. With -race, what they share is seen for
// certain.
func TestMappingsBesideCalls(t *testing.T) {
	rt, err := driver.New(driver.Options{
		Devices: []tile.Device{cpu.New(cpu.Options{Workers: 1, Dense: dense})}, Kinds: []scheduler.DeviceKind{scheduler.CPU},
		Interrupted: arrays.ErrInterrupted,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}()
	c := arrays.New(rt)
	c.Exact = true
	mapped := call(t, c, "arange", 3)
	const turns = 3000
	done := make(chan error)
	go func() {
		for range turns {
			p, release, err := mapped.Map(true, nil)
			if err != nil {
				done <- err
				return
			}
			if got := unsafe.Slice((*int64)(p), 3)[2]; got != 2 {
				t.Errorf("%d is mapped, wanted 2", got)
			}
			release()
		}
		done <- nil
	}()
	for range turns {
		mask := call(t, c, "arange", 4)
		at := call(t, c, "flatnonzero", mask)
		if at.Size() != 3 {
			t.Fatalf("%d are not zero, wanted 3", at.Size())
		}
		at.Free()
		mask.Free()
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
