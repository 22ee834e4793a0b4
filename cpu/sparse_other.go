//go:build !linux

package cpu

import "unsafe"

// sparse is false where the system cannot be asked.
func sparse(unsafe.Pointer, int64) bool { return false }

// clearPages is false: what else a system does then is its own.
func clearPages([]byte) bool { return false }
