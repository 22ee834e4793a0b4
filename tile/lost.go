package tile

import "fmt"

// LostError is what everything that is asked of a device fails with once it cannot work any more. What it has not told
// the end of may have failed for that reason alone, without having to do with the cause.
type LostError struct {
	Device string
	Err    error // that ended it
}

// Error says which device is lost, why, and what is left.
func (e *LostError) Error() string {
	return fmt.Sprintf("%s is lost: %v. Arrays whose values are elsewhere stay valid", e.Device, e.Err)
}

// Unwrap returns the cause.
func (e *LostError) Unwrap() error { return e.Err }
