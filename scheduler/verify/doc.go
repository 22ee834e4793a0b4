// Package verify is the oracle of package scheduler/core: the slow, obvious twin of its passes, which follows what
// tasks really did and finds every use of a byte at the wrong time.
//
//	while a program runs    NewChecker, then Plan, Start, End, HostRead and HostWrite as it happens
//	afterwards              LookBack over what a log has kept
//
// It must not know package scheduler/core, nor what that decides by: it looks at ops, tasks and instances alone, so
// that a mistake in how the core computes footprints, dependences or valid bytes cannot hide in here as well.
package verify
