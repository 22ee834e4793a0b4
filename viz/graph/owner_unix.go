//go:build unix

package graph

import (
	"io/fs"
	"os"
	"syscall"
)

// owned says that a file belongs to the user that we run as.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
