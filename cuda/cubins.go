package cuda

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"

	"weft/cuda/driver"
)

// Cubins keeps what the driver has compiled in a folder, for processes to come: a program that another one has run
// needs no compiler. All devices of a process share it.
//
//	weft/cubins/  3f0c...e1.cubin     a digest of what lies behind it, and that: the driver's image of a module
//	              87ab...02.cubin     the name is a digest of the text, the kind of device and the driver's release
//	              51d7...9a.program   empty: some kernel of the program with this digest is in one of the modules
//	              .new-4711           one that is being written, or whose writer has died
//
// A file is written under another name, and gets its own when it is whole. One that is not what its digest says, or
// that the driver does not take, is as good as none, and is written anew; files of other names are left alone. A folder
// that can't be written costs what compiling costs: that is said once.
type Cubins struct {
	dir   string
	limit int64       // bytes of all files
	say   func(error) // why nothing can be kept

	mu    sync.Mutex
	bytes int64 // of the files; -1 before they were counted
	said  bool
}

// CubinsLimit is the limit that fits: kernels take 5 to 50 kB.
const CubinsLimit = 256 << 20

// NewCubins keeps images in a folder of that many bytes at most. The folder is made when there is something to keep.
func NewCubins(dir string, limit int64, say func(error)) *Cubins {
	return &Cubins{dir: dir, limit: limit, say: say, bytes: -1}
}

var (
	cubinName = regexp.MustCompile(`^[0-9a-f]{64}\.(cubin|program)$`)
	newName   = regexp.MustCompile(`^\.new-[0-9]+$`)
)

// stale is how old a new file is at least whose writer has died.
const stale = time.Hour

// driverVersion tells a build of the driver from others, whose compilers may differ: the version of CUDA that it has,
// and where the system tells it, the release.
func driverVersion() string {
	release, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		release = nil // not on WSL, nor beside a driver that only pretends
	}
	return fmt.Sprintf("%d %s", driver.Probe().Version, release)
}

// cubinKey names what the driver makes of a text for a kind of device.
func cubinKey(text string, d driver.DeviceInfo, version string) string {
	return cubinDigest(text, d, version) + ".cubin"
}

// programKey names a program of which kernels are kept, in whatever modules, by the text of one of its kernels.
func programKey(text string, d driver.DeviceInfo, version string) string {
	return cubinDigest(text, d, version) + ".program"
}

func cubinDigest(text string, d driver.DeviceInfo, version string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s, compute capability %d.%d, driver %s\n%s", d.Name, d.Major, d.Minor, version, text)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// get returns an image that is kept, or nil; that of a program's name is empty. Those that were asked for last are
// given up last.
func (c *Cubins) get(key string) []byte {
	if c.trusted() != nil {
		return nil
	}
	path := filepath.Join(c.dir, key)
	all, err := os.ReadFile(path)
	if err != nil || len(all) < sha256.Size {
		return nil
	}
	digest, image := all[:sha256.Size], all[sha256.Size:]
	if sum := sha256.Sum256(image); !bytes.Equal(sum[:], digest) {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // in a folder that can't be written nothing is given up
	return image
}

// put keeps an image.
func (c *Cubins) put(key string, image []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.write(key, image); err != nil && !c.said {
		c.said = true
		c.say(fmt.Errorf("what is compiled for GPUs can't be kept in %s: %w", c.dir, err))
	}
}

// trusted says why the folder is not one to read machine code from.
func (c *Cubins) trusted() error {
	info, err := os.Stat(c.dir)
	if err != nil {
		return err
	}
	if owner, known := info.Sys().(*syscall.Stat_t); info.Mode().Perm()&0o022 != 0 || known && int(owner.Uid) != os.Geteuid() {
		return errors.New("others can write there, and it is machine code that is read from it")
	}
	return nil
}

func (c *Cubins) write(key string, image []byte) (err error) {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	if err := c.trusted(); err != nil {
		return err
	}
	f, err := os.CreateTemp(c.dir, ".new-")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(image)
	_, err = f.Write(append(sum[:], image...))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(c.dir, key))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if c.bytes >= 0 {
		c.bytes += int64(len(image)) + sha256.Size
	}
	if c.bytes < 0 || c.bytes > c.limit {
		return c.trim()
	}
	return nil
}

// trim counts the files and, where they are too many bytes, removes those that were used longest ago, down to three
// quarters of what is allowed.
func (c *Cubins) trim() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	c.bytes = 0
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil: // another process has removed it
		case newName.MatchString(e.Name()) && time.Since(info.ModTime()) > stale:
			err = os.Remove(filepath.Join(c.dir, e.Name()))
		case cubinName.MatchString(e.Name()) && info.Mode().IsRegular():
			files = append(files, info)
			c.bytes += info.Size()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if c.bytes <= c.limit {
		return nil
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if c.bytes <= c.limit/4*3 {
			break
		}
		if err := os.Remove(filepath.Join(c.dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		c.bytes -= f.Size()
	}
	return nil
}

// load makes a module of a text: of the image that is kept, or of one that is made and kept, or, where the driver makes
// none, of the text, whose error it then has. It reports whether there is an image that was to be kept.
func (d *Device) load(text string) (m *driver.Module, kept bool, err error) {
	if d.cubins == nil {
		m, _, err := d.dev.LoadModule(text)
		return m, false, err
	}
	key := cubinKey(text, d.dev.Info(), d.version)
	if image := d.cubins.get(key); image != nil {
		if m, err := d.dev.LoadImage(image); err == nil || d.note(err) != nil && d.usable() != nil {
			return m, err == nil, err
		}
	}
	if image, err := d.dev.Link(text); err == nil {
		if m, err := d.dev.LoadImage(image); err == nil {
			d.cubins.put(key, image)
			return m, true, nil
		}
	}
	m, _, err = d.dev.LoadModule(text)
	return m, false, err
}
