package main

import (
	"bufio"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// isStandard says whether -o names standard output: by a dash, or by not being given.
func isStandard(out string) bool { return out == "" || out == "-" }

// isTerminal says whether a file is a terminal, which a character device alone, such as /dev/null, need not be.
func isTerminal(file *os.File) bool {
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}

// deliver has something written to the file that -o names, or to standard output.
func deliver(out string, write func(io.Writer) error) error {
	file := os.Stdout
	if !isStandard(out) {
		var err error
		if file, err = os.Create(out); err != nil {
			return err
		}
		defer file.Close() // where it fails below; the second time it does nothing
	}
	buffered := bufio.NewWriter(file)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if file == os.Stdout {
		return nil
	}
	return file.Close()
}
