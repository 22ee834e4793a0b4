package driver

import (
	"fmt"
	"os"
	"path/filepath"

	"weft/scheduler"
)

// form is what a pass has left of a plan, as text.
//
// Forms are gathered while the core plans (core.Options.Form), and written when the plan is there, under one number.
type form struct{ pass, text string }

// dump writes a plan as DIR/0001_plan.txt, what each pass left before as DIR/0001_01_split.txt, 0001_02_fuse.txt and so
// on, and the template that the plan comes from, if any, as DIR/0001_template.txt. A plan that cannot be written is
// told by the next call that waits, because no caller is there to return it to.
func (r *Runtime) dump(plan *scheduler.Plan) {
	r.dumped++
	err := os.MkdirAll(r.opt.Dump, 0o755)
	write := func(name, text string) {
		if err == nil {
			err = os.WriteFile(filepath.Join(r.opt.Dump, fmt.Sprintf("%04d_%s.txt", r.dumped, name)), []byte(text), 0o644)
		}
	}
	if r.dumped == 1 {
		write("handover", r.handOver.String()+"\n")
	}
	for i, f := range r.left {
		if f.text != "" {
			write(fmt.Sprintf("%02d_%s", i+1, f.pass), f.text)
		}
	}
	write("plan", plan.String())
	if plan.Template != nil {
		write("template", plan.Template.String())
	}
	if err != nil && r.wrong == nil {
		r.wrong = fmt.Errorf("driver: the plan could not be dumped: %w", err)
	}
}
