//go:build extension

package main

// #include <stdlib.h>
// #include "values.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"

	"weft/install/flags"
)

// leaveLost goes on without the GPUs whose contexts have ended: CUDA gives a process no second one. It returns what the user is to be told.
// Arrays are carried over; those whose values were on a lost GPU alone go on raising its error.
func (b *binding) leaveLost() (said string, err error) {
	var causes []error
	for _, gpu := range b.machine.gpus {
		if cause := gpu.Lost(); cause != nil {
			causes = append(causes, cause)
			b.lost = append(b.lost, gpu.Ordinal())
		}
	}
	if err := b.restart(b.settings.flags); err != nil {
		return "", errors.Join(append(causes, err)...)
	}
	return fmt.Sprintf("%v. From here on the work is done by: %s", errors.Join(causes...), strings.Join(b.machine.names, ", ")), nil
}

// wantsLost is the error of flags that ask for a GPU which this process has lost.
func (b *binding) wantsLost(s flags.Settings) error {
	for _, ordinal := range b.lost {
		if !s.Emulate && ordinal < s.GPUs {
			return fmt.Errorf("--gpus %d: gpu%d was lost, and CUDA gives a process no second context: restart the kernel to use it again, or ask for at most %d", s.GPUs, ordinal, ordinal)
		}
	}
	return nil
}

//export goAnyLost
func goAnyLost() C.int {
	if the.machine != nil {
		for _, gpu := range the.machine.gpus {
			if gpu.Lost() != nil {
				return 1
			}
		}
	}
	return 0
}

//export goLeaveLost
func goLeaveLost(said **C.char, e *C.weft_error) (rc C.int) {
	defer caught("leaving a lost GPU", &rc, e)
	text, err := the.leaveLost()
	if err != nil {
		return fail(err, e)
	}
	*said = C.CString(text)
	return C.WEFT_OK
}
