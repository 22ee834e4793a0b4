package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// RenderCommand is the hidden sub-command of cmd/weft that draws: its one argument is the
// format, DOT comes on stdin, the picture goes to stdout. Package viz/graphviz is its body.
const RenderCommand = "__render"

const (
	renderDeadline = 30 * time.Second // for calls that bring none; a picture takes 0.1 s, the first one on a busy machine some seconds
	maxPicture     = 64 << 20         // bytes
	maxComplaint   = 4 << 10          // bytes of stderr that are passed on
)

// Render draws DOT text as svg or png. It starts exe, a weft binary, as a child process and
// kills it when ctx ends or after half a minute. An error says what to do with the DOT text.
func Render(ctx context.Context, exe, dot, format string) (picture []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("viz/graph: drawing the graph as %s: %w. The graph's DOT text is there all the same; show it with any Graphviz, for example: dot -Tsvg graph.dot -o graph.svg", format, err)
		}
	}()
	if exe == "" {
		return nil, errors.New("the weft program, which draws, was not found; build it, or name it in WEFT_BINARY")
	}
	ctx, cancel := context.WithTimeout(ctx, renderDeadline)
	defer cancel()
	dir, cleanUp, err := renderDir()
	if err != nil {
		return nil, err
	}
	defer cleanUp()
	child := exec.CommandContext(ctx, exe, RenderCommand, format)
	child.Env = []string{"TMPDIR=" + dir, "HOME=" + dir, "GOMEMLIMIT=1GiB"}
	child.Dir = dir
	child.Stdin = strings.NewReader(dot)
	out, complaint := &bounded{max: maxPicture}, &bounded{max: maxComplaint}
	out.full = cancel // the rest of a picture that is too large is not wanted
	child.Stdout, child.Stderr = out, complaint
	child.WaitDelay = time.Second
	err = child.Run()
	switch {
	case out.over:
		return nil, fmt.Errorf("the picture has more than %d bytes", maxPicture)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("it took too long and was stopped (%w)", ctx.Err())
	case err != nil:
		said := strings.TrimSpace(complaint.buf.String())
		if said == "" {
			return nil, fmt.Errorf("the drawing process %s failed: %w", exe, err)
		}
		return nil, errors.New(said)
	case out.buf.Len() == 0:
		return nil, errors.New("graphviz drew nothing")
	}
	if format == "svg" {
		return styleSVG(out.buf.Bytes()), nil
	}
	return out.buf.Bytes(), nil
}

// bounded keeps the first max bytes that are written to it.
type bounded struct {
	buf  bytes.Buffer
	max  int
	over bool
	full func() // called when there is more, if not nil
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.max - b.buf.Len(); len(p) > room {
		b.buf.Write(p[:room])
		b.over = true
		if b.full != nil {
			b.full()
		}
		return len(p), nil
	}
	return b.buf.Write(p)
}

// renderDir returns the child's temporary directory, in which go-graphviz keeps the compiled
// module: machine code, so that no other user may be able to write there. It lies in the user's cache,
// which saves half a second per picture, or is made afresh where that is not safe or not possible.
func renderDir() (dir string, cleanUp func(), err error) {
	if cache, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(cache, "weft", "render")
		if os.MkdirAll(dir, 0o700) == nil && private(dir) && private(filepath.Dir(dir)) {
			return dir, func() {}, nil
		}
	}
	dir, err = os.MkdirTemp("", "weft-render-") // mode 0700
	if err != nil {
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

// private says that dir is a directory, no link, of ours that no other user can write.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && info.Mode().Perm()&0o022 == 0 && owned(info)
}
