package invariants

import "fmt"

// Check panics unless ok holds. Guard it with Enabled, or its arguments are
// computed in every build.
func Check(ok bool, number int, format string, args ...any) {
	if Enabled && !ok {
		panic(Broken(number, format, args...))
	}
}

// Broken is the text of the panic for a broken invariant. Code that notices one
// without a costly check panics with it in every build.
func Broken(number int, format string, args ...any) string {
	return fmt.Sprintf("BUG: inv %d: ", number) + fmt.Sprintf(format, args...)
}
