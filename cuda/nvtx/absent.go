//go:build !(cgo && linux)

package nvtx

import (
	"errors"
	"os"
)

// Tool is what there is none of on this system.
type Tool struct{}

// Open fails where a tool is there, which this binary cannot load.
func Open() (*Tool, error) {
	if os.Getenv("NVTX_INJECTION64_PATH") == "" {
		return nil, nil
	}
	return nil, errors.New("NVTX_INJECTION64_PATH is set, but this binary was built without cgo on Linux and cannot load a tool")
}

func (t *Tool) Overlapping() bool   { return false }
func (t *Tool) Begin(string) uint64 { return 0 }
func (t *Tool) End(uint64)          {}
