package core

import (
	"errors"
	"runtime"
	"testing"
	"weak"

	"weft/scheduler"
	"weft/tile"
)

// A long loop must not keep its past alive, even though the newest task is kept, as a log
// does: every task knows its instances, and these know who wrote them.
func TestPastIsForgotten(t *testing.T) {
	c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{Window: 1})
	if err != nil {
		t.Fatal(err)
	}
	var program *tile.Program
	for _, p := range known() {
		if p.Name == "copy1" {
			program = p
		}
	}
	view := func(id scheduler.StoreID) scheduler.View {
		return scheduler.View{Store: id, Type: tile.Float64, Shape: []int{4}, Strides: []int64{8}}
	}
	from := c.NewStore(32)
	if _, err := c.Host.Written(from); err != nil {
		t.Fatal(err)
	}
	var first weak.Pointer[scheduler.Op]
	var newest *scheduler.Task
	for i := range 1000 {
		to := c.NewStore(32)
		op := &scheduler.Op{Name: "copy", Shape: []int{4}, Program: program, Uses: []scheduler.Use{{View: view(from)}, {View: view(to), Access: scheduler.Write}}}
		if i == 0 {
			first = weak.Make(op)
		}
		if _, err := c.Submit(op); err != nil {
			t.Fatal(err)
		}
		c.Release(from)
		from = to
		c.Flush(false)
		for tasks := c.Next(); len(tasks) > 0; tasks = c.Next() {
			for _, task := range tasks {
				if task.Kind == scheduler.Run {
					newest = task
				}
				c.Done(task.ID, nil)
			}
		}
	}
	runtime.GC()
	if first.Value() != nil {
		t.Error("the first op of 1000 is still reachable")
	}
	pages := 0
	for _, p := range c.stores.pages {
		if p != nil {
			pages++
		}
	}
	if pages > 2 {
		t.Errorf("%d pages of stores are kept for one store", pages)
	}
	runtime.KeepAlive(newest)
	runtime.KeepAlive(c)
}

// Readers that come and go must not pile up in the history of a store that is never written.
func TestHistoryStaysShort(t *testing.T) {
	c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{Window: 1})
	if err != nil {
		t.Fatal(err)
	}
	var program *tile.Program
	for _, p := range known() {
		if p.Name == "copy1" {
			program = p
		}
	}
	from, to := c.NewStore(8000), c.NewStore(8)
	if _, err := c.Host.Written(from); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		v := scheduler.View{Store: from, Type: tile.Float64, Offset: int64(i) * 8, Shape: []int{1}, Strides: []int64{8}}
		op := &scheduler.Op{Name: "copy", Shape: []int{1}, Program: program,
			Uses: []scheduler.Use{{View: v}, {View: scheduler.View{Store: to, Type: tile.Float64, Shape: []int{1}, Strides: []int64{8}}, Access: scheduler.Write}}}
		if _, err := c.Submit(op); err != nil {
			t.Fatal(err)
		}
		c.Flush(false)
		for tasks := c.Next(); len(tasks) > 0; tasks = c.Next() {
			for _, task := range tasks {
				c.Done(task.ID, nil)
			}
		}
	}
	if n := len(c.stores.get(uint32(from)).at[0].past.segments); n > 40 {
		t.Errorf("the history has %d segments, and no task is pending", n)
	}
}

// A program that catches errors for ever must not pile them up, and is still told of those
// that it has not caught.
func TestFailuresAreForgotten(t *testing.T) {
	c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{Window: 1})
	if err != nil {
		t.Fatal(err)
	}
	var program *tile.Program
	for _, p := range known() {
		if p.Name == "fill1" {
			program = p
		}
	}
	for i := range 1000 {
		to := c.NewStore(8)
		op := &scheduler.Op{Name: "fill", Shape: []int{1}, Program: program,
			Uses: []scheduler.Use{{View: scheduler.View{Store: to, Type: tile.Float64, Shape: []int{1}, Strides: []int64{8}}, Access: scheduler.Write}}}
		if _, err := c.Submit(op); err != nil {
			t.Fatal(err)
		}
		c.Flush(false)
		for _, task := range c.Next() {
			c.Done(task.ID, errors.New("broken"))
		}
		if i != 10 && c.Host.Failure(to, 0, 8, true) == nil {
			t.Fatal("the failure is not known")
		}
	}
	if n := len(c.running.unseen); n > manyFailures {
		t.Errorf("%d failures are kept, of which one was not told", n)
	}
	var f *Failure
	if err := c.Host.Untold(); !errors.As(err, &f) || f.Op != 11 {
		t.Errorf("the failure that was not told is %v; want that of o11", err)
	}
}

// Whatever the text, ParseOps returns an error or a stream that prints and reads back, and
// Submit an error or nothing.
func FuzzParseOps(f *testing.F) {
	f.Add("store s1 64\nhost s1\nop o1 map scale shape (8) program scale1 at 3:12\n  use r s1 float64 (8) at 0 by (8)\n  use w s1 float64 (8) at 0 by (8)\n  uniform float64 0.1\nflush\nread s1 0 64\nclaim s1 0 8\nrelease s1\n")
	f.Add("op o1 reduce \"my sum\" shape (2,4) reduced (0,1) program sum2\n  use r s1 float64 (2,4) at 0 by (32,8)\n  use w s1 float64 (1,1) at 0 by (8,8)\n")
	f.Add("program p\n  program p rank 1\n  param p0 out float64\nstore s1 8\n")
	f.Add("op o1 fill x shape (-1) reduced (-5,70) program fill1\n  use w s1 bool (9) at -9223372036854775808 by (-9223372036854775808)\n")
	f.Fuzz(func(t *testing.T, text string) {
		stream, err := scheduler.ParseOps(text, known()...)
		if err != nil {
			return
		}
		again, err := scheduler.ParseOps(stream.String(), known()...)
		if err != nil || again.String() != stream.String() {
			t.Fatalf("%q reads back as %q, error %v", stream.String(), again.String(), err)
		}
		c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 3}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{MinTile: 1})
		if err != nil {
			t.Fatal(err)
		}
		c.NewStore(64)
		for _, step := range stream {
			if step.Op != nil && len(step.Op.Uses) < 9 {
				_, _ = c.Submit(step.Op) // an error is as good as none; a panic is not
			}
		}
		c.Flush(false)
	})
}

// Of temporaries that come and go in one window, a bounded number of stores waits to be used again.
func TestStoresAtRestAreBounded(t *testing.T) {
	c, err := New(scheduler.Machine{Devices: []scheduler.Device{{Kind: scheduler.CPU, Queues: 1}}, Memories: []scheduler.Memory{{Name: "host"}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for range 2*storesAtRest + 5 {
			c.Release(c.NewStore(8))
		}
		c.Flush(false)
		if n := len(c.stores.idle); n != storesAtRest {
			t.Fatalf("%d stores are at rest, %d should be", n, storesAtRest)
		}
	}
}
