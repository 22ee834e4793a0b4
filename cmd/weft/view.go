package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"weft/profiler"
	"weft/viz/label"
	"weft/viz/live"
)

// viewing is what the options of "weft view" have set.
type viewing struct {
	port      int
	memory    int64
	noBrowser bool
}

func viewCommand() command {
	v := &viewing{}
	return command{
		name: "view", args: "run.weftprof [other.weftprof] [OPTIONS]", about: "open a profile in the browser, or two to compare them",
		options: []option{
			{"--port", "N", "of this machine, where the page is served; any free one by default", v.setPort},
			{"--memory", "SIZE", "for profiles of gigabytes: keep so much of them, such as 8GB, in detail", v.setMemory},
			{"--no-browser", "", "print the page's address, and do not open it", isSet(&v.noBrowser)},
		},
		run: v.run,
	}
}

func (v *viewing) setPort(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("got %q; want a number from 0 (any free port) to 65535", text)
	}
	v.port = n
	return nil
}

func (v *viewing) setMemory(text string) error {
	n, err := memorySize(text)
	if err != nil {
		return fmt.Errorf("got %q; %w", text, err)
	}
	v.memory = n
	return nil
}

// run serves a profile, or two that are compared, to the browser until Ctrl-C.
func (v *viewing) run(files []string) error {
	if len(files) < 1 || len(files) > 2 {
		return usagef("view: got %d profiles %q; want one, such as run.weftprof, or two to compare", len(files), files)
	}
	// Read before the server starts, so that a wrong file is an error here and not a page.
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	o := live.ServeOptions{
		Addr:   net.JoinHostPort("127.0.0.1", strconv.Itoa(v.port)),
		Title:  filepath.Base(files[0]),
		Exe:    func() string { return exe },
		Memory: v.memory,
	}
	long := v.memory > 0
	for _, file := range files {
		info, err := os.Stat(file)
		long = long || err == nil && info.Size() >= longProfile
	}
	if long {
		return viewPieces(o, files, !v.noBrowser)
	}
	var traces [2]*profiler.Trace
	for i, file := range files {
		t, err := profiler.ReadFile(file)
		if err != nil {
			return err // what it unpacks to may be too much: it says so
		}
		traces[i] = t
	}
	o.Trace = func() (*profiler.Trace, error) { return traces[0], nil }
	o.Second, o.SecondTitle = traces[1], filepath.Base(files[len(files)-1])
	return serveProfile(o, files, !v.noBrowser)
}

// memorySize reads a size as people write it.
func memorySize(text string) (int64, error) {
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}} {
		digits, found := strings.CutSuffix(strings.ToUpper(text), unit.name)
		if n, err := strconv.ParseFloat(digits, 64); found && err == nil && n > 0 && n*unit.bytes < 1<<60 {
			return int64(n * unit.bytes), nil
		}
	}
	return 0, errors.New("want a number of MB, GB or TB, such as 8GB")
}

// longProfile is how long a profile's file is that is shown while it is read.
const longProfile = 16 << 20

// viewPieces serves profiles that take a while to read. What else there is to see of the first one reads it once more.
func viewPieces(o live.ServeOptions, files []string, browser bool) error {
	debug.SetGCPercent(25) // the records hold no pointers, so that looking through them more often costs little, and memory more
	for i, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		reader, err := profiler.NewReader(bufio.NewReaderSize(f, 1<<20))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if o.Memory > 0 { // which is for the records; the tables have what they have without it
			reader.Memory = max(o.Memory, profiler.DefaultMemory)
		}
		if i > 0 {
			o.SecondPieces, o.SecondTitle = piecesOf(file, reader), filepath.Base(file)
			continue
		}
		o.Pieces = piecesOf(file, reader)
		if info, err := f.Stat(); err == nil && info.Size() >= tooLong {
			o.Long = file
		}
	}
	texts, err := profiler.ReadTexts(files[0])
	if err != nil {
		return err
	}
	if o.Palette, err = label.PaletteOf(texts); err != nil {
		return err
	}
	o.Trace = sync.OnceValues(func() (*profiler.Trace, error) { return profiler.ReadFile(files[0]) })
	return serveProfile(o, files, browser)
}

// piecesOf hands over a profile as it is read.
func piecesOf(file string, reader *profiler.Reader) func(context.Context, func(*profiler.Increment)) error {
	return func(ctx context.Context, add func(*profiler.Increment)) error {
		var inc profiler.Increment
		for ctx.Err() == nil {
			err := reader.Next(&inc)
			if err == io.EOF {
				break
			}
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			add(&inc)
		}
		if reader.Cut {
			return fmt.Errorf("the profile %s ends early: the run crashed or still goes on", filepath.Base(file))
		}
		return nil
	}
}

// serveProfile serves until Ctrl-C.
func serveProfile(o live.ServeOptions, files []string, browser bool) error {
	server, err := live.Listen(o)
	if err != nil {
		return err
	}
	fmt.Println("showing", strings.Join(files, " and "), "at", server.URL())
	fmt.Println("press Ctrl-C to end")
	if browser {
		openBrowser(server.LaunchURL())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return server.Serve(ctx)
}

// openBrowser asks the desktop to show a page. Where that fails, the address has been printed.
func openBrowser(url string) {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	if path, err := exec.LookPath(opener); err == nil {
		if err := exec.Command(path, url).Start(); err != nil {
			fmt.Fprintln(os.Stderr, "weft: cannot start a browser:", err)
		}
	}
}
