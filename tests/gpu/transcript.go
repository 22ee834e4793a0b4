package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"weft/cuda/driver"
)

// patience is how long a scene may take.
const patience = 40 * time.Second

// session is a device that a case asks, and where the answers go.
type session struct {
	*driver.Device
	w io.Writer
}

// scene is a sequence of calls. Each is played in a process of its own: a fault ends a context, and a wrong handle a
// process.
type scene struct {
	name string
	play func(s *session)
}

func scenes() []scene {
	return []scene{
		{"modules", modules},
		{"launches", launches},
		{"memory", memory},
		{"events", events},
		{"bits", bitTables},
		{"no function", func(s *session) { s.launchHandle("0", 0) }},
		{"wild function", func(s *session) { s.launchHandle("0xdead0000", 0xdead0000) }},
		{"null read", accident("ld.global.u32 %r1, [16];")},
		{"wild write", accident("mov.u64 %l2, 0x7ff000000000; st.global.u32 [%l2], %r1;")},
		{"beyond", accident("ld.param.u64 %l2, [p]; add.u64 %l2, %l2, 0x4000000000; st.global.u32 [%l2], %r1;")},
		{"misaligned", accident("ld.param.u64 %l2, [p]; ld.global.u32 %r1, [%l2+2]; st.global.u32 [%l2], %r1;")},
		{"trap", accident("trap;")},
	}
}

// transcript plays all scenes, or the one that is named.
func transcript(w io.Writer, args []string) error {
	if len(args) == 0 {
		return playAll(w)
	}
	for _, c := range scenes() {
		if c.name == args[0] {
			d, err := driver.Open(0)
			if err != nil {
				return err
			}
			c.play(&session{d, w})
			return nil // the context may be gone; the process's end gives all back
		}
	}
	return fmt.Errorf("transcript: no scene %q", args[0])
}

func playAll(w io.Writer) error {
	if r := driver.Probe(); r.Problem != "" {
		return fmt.Errorf("no transcript: %s", r)
	} else {
		fmt.Fprintf(w, "# %s\n", strings.ReplaceAll(r.String(), "\n", "\n# "))
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, c := range scenes() {
		fmt.Fprintf(w, "\n== %s\n", c.name)
		var said bytes.Buffer
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		cmd := exec.CommandContext(ctx, self, "transcript", c.name)
		cmd.Stdout, cmd.Stderr = w, &said
		err := cmd.Run()
		late := ctx.Err() != nil
		cancel()
		var exit *exec.ExitError
		switch {
		case err == nil:
		case late:
			fmt.Fprintf(w, "process -> still there after %v\n", patience)
		case errors.As(err, &exit) && died(exit) != "":
			fmt.Fprintf(w, "process -> %s\n", died(exit))
		default:
			return fmt.Errorf("transcript: scene %q: %w\n%s", c.name, err, said.String())
		}
	}
	return nil
}

// died says how a process was ended; "" where it ended by itself. Go's runtime turns a fault in C into exit status 2.
func died(e *exec.ExitError) string {
	if s, ok := e.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return s.Signal().String()
	}
	if e.ExitCode() == 2 {
		return "segmentation fault"
	}
	return ""
}

// said writes a call and the code that it returned, and reports whether that was 0.
func (s *session) said(err error, call string, args ...any) bool {
	fmt.Fprintf(s.w, "%s -> %s\n", fmt.Sprintf(call, args...), answer(err))
	return err == nil
}

func answer(err error) string {
	var e *driver.Error
	switch {
	case err == nil:
		return "0"
	case errors.As(err, &e):
		text := fmt.Sprintf("%d %s", e.Code, e.Name)
		if e.Log != "" {
			first, _, _ := strings.Cut(strings.TrimSpace(e.Log), "\n")
			text += " | " + first
		}
		return text
	}
	return err.Error()
}

// truth writes a call that answers yes or no.
func (s *session) truth(yes bool, err error, call string, args ...any) {
	if err != nil {
		s.said(err, call, args...)
		return
	}
	fmt.Fprintf(s.w, "%s -> %v\n", fmt.Sprintf(call, args...), map[bool]string{true: "0", false: "600 CUDA_ERROR_NOT_READY"}[yes])
}
