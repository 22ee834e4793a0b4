package scheduler

import (
	"fmt"
	"slices"
)

// Why says why an op was not fused with the group that it depends on.
type Why uint8

// The reasons.
const (
	Together  Why = iota // it was
	Apart                // it depends on nothing in the window
	Kind                 // one of the two is a matrix product, a routine, or has control flow
	Shape                // the index spaces differ
	Elements             // one reads or writes other elements of a store than the other writes at the same point
	Reduction            // one needs the result of a whole reduction, or other axes are reduced
	Visible              // what the group writes is still visible, and a reduction writes nothing else
	Size                 // the program would become too long
	Gathered             // one gathers from what the other writes
	Cleared              // it reads zeros, which nothing has to write
)

var whys = [...]string{
	"fused", "depends on nothing", "is a matrix product, a routine or control flow, or depends on one", "has another index space",
	"uses other elements than are written there at the same point", "needs a whole reduction first, or reduces other axes",
	"is a reduction, and what is written before it stays visible", "would make the program too long",
	"gathers from what is written there, or writes what is gathered from",
	"reads zeros there, which nothing has to write",
}

// ParseWhy is the inverse of Why.String.
func ParseWhy(text string) (Why, error) {
	if k := slices.Index(whys[:], text); k >= 0 {
		return Why(k), nil
	}
	return 0, fmt.Errorf("got the reason %q, want one of %q", text, whys)
}

// String returns the reason as it stands in plans.
func (w Why) String() string { return whys[w] }

// Split tells why an op runs apart from the op that it depends on.
type Split struct {
	Op, From OpID
	Why      Why
}

// String returns the text of plans: o14 apart from o12: uses other elements than ...
func (s Split) String() string { return fmt.Sprintf("%v apart from %v: %v", s.Op, s.From, s.Why) }
