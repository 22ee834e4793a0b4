package driver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// deviceFiles are what the driver reaches the GPUs through.
var deviceFiles = []string{"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia[0-9]*"}

// forbidden says which of the files that match patterns may not be opened by this user, and what to do; "" where there
// is none. The driver itself says only that there is no device.
func forbidden(patterns []string, open func(name string) error) string {
	var files []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil { // the pattern is malformed, which none is
			continue
		}
		for _, f := range found {
			if errors.Is(open(f), fs.ErrPermission) {
				files = append(files, f)
			}
		}
	}
	if files == nil {
		return ""
	}
	return fmt.Sprintf("; this user may not open %s: ls -l shows which group may", strings.Join(files, ", "))
}

// openBoth opens a file for reading and writing, and closes it.
func openBoth(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
