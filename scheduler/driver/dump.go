package driver

import (
	"fmt"
	"os"
	"path/filepath"

	"weft/scheduler"
)

// dump writes a plan as DIR/0001_plan.txt. A plan that cannot be written is told on the
// trace, because no caller is there to return it to.
func (r *Runtime) dump(plan *scheduler.Plan) {
	r.dumped++
	path := filepath.Join(r.opt.Dump, fmt.Sprintf("%04d_plan.txt", r.dumped))
	err := os.MkdirAll(r.opt.Dump, 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(plan.String()), 0o644)
	}
	if err != nil && r.wrong == nil {
		r.wrong = fmt.Errorf("driver: the plan could not be dumped: %w", err)
	}
}
