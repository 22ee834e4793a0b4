package invariants

import "testing"

// Run it both ways: go test . and go test -tags invariants .
func TestCheck(t *testing.T) {
	Check(true, 4, "never seen")
	defer func() {
		got, want := recover(), any(nil)
		if Enabled {
			want = "BUG: inv 4: task t17 starts before its writer t12"
		}
		if got != want {
			t.Errorf("panic was %v, want %v", got, want)
		}
	}()
	Check(false, 4, "task %s starts before its writer %s", "t17", "t12")
}
