package core

import "weft/scheduler"

// node is the core's side of a Task.
//
// Its Task is part of it, and the driver's log keeps that: uses are let go at completion, so that a logged task keeps
// no other nodes alive.
type node struct {
	scheduler.Task
	uses  []use
	next  []*node          // what waits for it
	wait  int              // how many of After are not completed
	ahead int              // and of these, how many have not begun on an ordered device either
	mark  scheduler.TaskID // the last task that found this one among its dependences
	state state
	doom  *Failure // it must not run: it was cancelled, or what it needs is not there
	gives int64    // of a free: bytes that no instance has taken yet
	whole bool     // it is all of its op

	// Where the slices begin: most tasks have few of each.
	fewAfter [3]scheduler.TaskID
	fewNext  [2]*node
}

// runNode is a run of a whole op, freeNode a free, with room for what most of them have.
type runNode struct {
	node
	args [3]scheduler.Arg
}

type freeNode struct {
	node
	use [1]use
}

// The states are in the order in which a task goes through them, which Cancel relies on. doc.go draws them.
type state uint8

const (
	planned   state = iota
	enabled         // it may start, which Next is to say
	handedOut       // Next has said so
	begun           // an ordered device has it; see ahead.go
	completed
)
