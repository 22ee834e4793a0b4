//go:build extension

package main

// #include "values.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"os"

	"weft/kernel"
	"weft/workspace"
)

// surface is what the user sees of the process: a kernel's notebooks, or a terminal.
type surface struct{}

var _ workspace.Surface = surface{}

func (surface) Log(format string, args ...any) { logf(format, args...) }
func (surface) Kernel() bool                   { return jupyter.kernel != nil }
func (surface) Line(shown bool)                { C.weft_line = cbool(shown) }

// Output is where the main shell's request in hand shows things.
func (surface) Output() workspace.Output {
	if e := jupyter.evaluator; e != nil {
		if out := e.mainOutput(); out != nil {
			return output{out}
		}
	}
	return nil
}

// output is a cell's as a Workspace shows things below it.
type output struct{ *kernel.Output }

// Display shows data by MIME type, or replaces what was shown under the same id.
func (o output) Display(id string, data map[string]string, again bool) error {
	bundle := kernel.Data{}
	for mime, text := range data {
		quoted, err := json.Marshal(text)
		if err != nil {
			return err
		}
		bundle[mime] = quoted
	}
	shown := kernel.DisplayData{Data: bundle, Metadata: json.RawMessage("{}"), Transient: kernel.Transient{DisplayID: id}}
	if again {
		return o.Emit(kernel.UpdateDisplayData(shown))
	}
	return o.Emit(shown)
}

// logf writes to the kernel's log, or to stderr where there is no kernel.
func logf(format string, args ...any) {
	if jupyter.kernel != nil {
		jupyter.kernel.Logf(format, args...)
		return
	}
	fmt.Fprintf(os.Stderr, "weft: "+format+"\n", args...)
}
