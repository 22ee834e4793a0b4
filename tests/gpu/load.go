package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"weft/cuda/driver"
)

// load gives each .ptx file of a folder to the driver's compiler.
func load(w io.Writer, args []string) error {
	if len(args) != 1 {
		return errors.New("load: want one folder")
	}
	files, err := filepath.Glob(filepath.Join(args[0], "*.ptx"))
	if err != nil || len(files) == 0 {
		return errors.Join(fmt.Errorf("load: no .ptx in %s", args[0]), err)
	}
	d, err := driver.Open(0)
	if err != nil {
		return err
	}
	defer d.Close()
	var refused int
	var took []time.Duration
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		start := time.Now()
		m, log, err := d.LoadModule(string(text))
		took = append(took, time.Since(start))
		if err != nil {
			refused++
			fmt.Fprintf(w, "%s: %v\n%s\n", filepath.Base(file), err, log)
			continue
		}
		if err := m.Unload(); err != nil {
			return err
		}
	}
	slices.Sort(took)
	fmt.Fprintf(w, "%d texts, %d refused; compiled in %v (median), %v (longest)\n", len(files), refused, took[len(took)/2], took[len(took)-1])
	if refused > 0 {
		return fmt.Errorf("load: %d of %d texts were refused", refused, len(files))
	}
	return nil
}
