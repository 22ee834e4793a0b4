package tiletest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"weft/tile"
)

// Answers are what the reference has made of trials, for a test that runs the kit on several devices: they are asked
// the same, and the reference computes elementary functions in 256 bits. The zero value knows none; it is for one
// goroutine.
type Answers struct {
	known map[[sha256.Size]byte][][]byte // by what the reference sees of a trial; a buffer that it left as it was is nil
}

// Run is the function Run, with these answers.
func (a *Answers) Run(t *testing.T, open func() tile.Device, only ...string) {
	run(t, a, open, only)
}

// to returns the buffers after a trial: ask has the reference run it.
func (a *Answers) to(tr *trial, ask func() [][]byte) [][]byte {
	if a == nil {
		return ask()
	}
	if a.known == nil {
		a.known = map[[sha256.Size]byte][][]byte{}
	}
	key := tr.key()
	kept, ok := a.known[key]
	if !ok {
		kept = ask()
		for i := range kept {
			if bytes.Equal(kept[i], tr.memory[i]) {
				kept[i] = nil
			}
		}
		a.known[key] = kept
	}
	after := make([][]byte, len(kept))
	for i := range kept {
		if after[i] = kept[i]; kept[i] == nil {
			after[i] = tr.memory[i]
		}
	}
	return after
}

// key is a digest of all that a launch depends on.
func (tr *trial) key() (key [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintf(h, "%v\nproduct %v uniforms", tr, tr.product)
	for _, u := range tr.uniforms {
		fmt.Fprintf(h, " %v %x", u.Type, u.Bits)
	}
	for _, m := range tr.memory {
		_ = binary.Write(h, binary.LittleEndian, int64(len(m))) // a hash takes all
		h.Write(m)
	}
	h.Sum(key[:0])
	return key
}
