package tiletest

import (
	"bytes"
	"slices"
	"sync"

	"weft/tile"
)

// stages is memory outside of the Go heap that uploads and downloads pass through, kept for the next ones: mapping and
// unmapping pages for each took a tenth of the kit's time. What a device reads or writes after it has told the end of a
// copy is found out: memory that waits holds a pattern, which must be there when it is taken again.
type stages struct {
	ref *tile.Reference

	mu   sync.Mutex
	free []stage
}

// stage is a piece of that memory.
type stage struct {
	tile.Buffer
	used []byte // what the last copy used of it
}

const (
	leastStage = 64 << 10 // bytes, so that most copies fit what was mapped for another
	idleByte   = 0x5a     // not what outputs hold before a launch, see filler
)

// upload copies Go memory to a buffer of a device.
func (b *bench) upload(dev tile.Device, buf tile.Buffer, contents []byte) {
	b.Helper()
	stage := b.stage(len(contents))
	defer b.stages.give(stage)
	copy(stage.used, contents)
	b.transfer(dev, &tile.Transfer{Dst: buf, DstDev: dev, Src: stage.Buffer, Bytes: int64(len(contents))})
}

// download copies a buffer of a device to Go memory.
func (b *bench) download(dev tile.Device, buf tile.Buffer, n int) []byte {
	b.Helper()
	stage := b.stage(n)
	defer b.stages.give(stage)
	b.transfer(dev, &tile.Transfer{Dst: stage.Buffer, Src: buf, SrcDev: dev, Bytes: int64(n)})
	return append([]byte(nil), stage.used...)
}

// stage returns memory for a copy of n bytes.
func (b *bench) stage(n int) stage {
	b.Helper()
	s, waited := b.stages.take(n)
	if waited {
		if !idle(s.used) {
			b.Errorf("%d bytes of memory that a copy has passed through changed after its end", len(s.used))
		}
	} else {
		var err error
		if s.Buffer, err = b.ref.Alloc(int64(max(n, leastStage))); err != nil {
			b.Fatal(err)
		}
	}
	s.used = s.Bytes()[:n]
	return s
}

// take returns a stage that waits, if one is large enough.
func (s *stages) take(n int) (found stage, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.free, func(one stage) bool { return one.Size >= int64(n) })
	if at < 0 {
		return found, false
	}
	found = s.free[at]
	s.free = slices.Delete(s.free, at, at+1)
	return found, true
}

// give has a stage wait for the next copy.
func (s *stages) give(one stage) {
	if len(one.used) > 0 {
		one.used[0] = idleByte
		for n := 1; n < len(one.used); n *= 2 {
			copy(one.used[n:], one.used[:n])
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, one)
}

// idle reports whether memory holds the pattern.
func idle(m []byte) bool { return len(m) == 0 || m[0] == idleByte && bytes.Equal(m[1:], m[:len(m)-1]) }

// close gives all memory back.
func (s *stages) close() {
	for _, one := range s.free {
		s.ref.Free(one.Buffer)
	}
	s.free = nil
}
