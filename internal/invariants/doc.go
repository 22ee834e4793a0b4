// Package invariants is the switch for checks that cost too much to be always on.
//
//	if invariants.Enabled {
//		invariants.Check(writer < reader, 4, "task %v starts before its writer %v", reader, writer)
//	}
//
// Enabled is a constant that only "go build -tags invariants" makes true, so
// that the compiler removes the guarded block, arguments included, from every
// other build. The number is that of the invariant in the doc.go of the package
// that states it; a failed check panics with "BUG: inv 4: task t17 starts before
// its writer t12". Such a panic means that weft is wrong, never its user.
//
// It must not know what is checked, nor which packages do.
package invariants
