package ptx

import (
	"fmt"
	"slices"
	"strings"

	"weft/tile"
)

// threadsOf returns how many threads a block of a kernel has at most.
func threadsOf(p *tile.Program, v Variant) int16 {
	switch {
	case !p.Threads:
		return Threads
	case p.Bound > 0:
		return p.Bound
	}
	return max(v.Threads, blockClasses[0])
}

// directives returns the directives of a kernel's text, a line each.
func directives(p *tile.Program, v Variant) string {
	text := fmt.Sprintf(".maxntid %d, 1, 1\n", threadsOf(p, v))
	switch {
	case p.Resident > 0:
		text += fmt.Sprintf(".minnctapersm %d\n", p.Resident)
	case p.Sure: // the assembler spills registers otherwise, so that multiprocessors have room for more blocks at once
		text += ".minnctapersm 1\n"
	}
	if p.Registers > 0 {
		text += fmt.Sprintf(".maxnreg %d\n", p.Registers)
	}
	return text
}

// Lines. Those of a kernel's text name its files by their positions among its own, since the files of a module are
// numbered when it is put together:
//
//	.loc {0} 7 0       in the kernel's text
//	.file 2 "In[3]"    in a module, of which it is the second file,
//	.loc 2 7 0         and what the first line is there

// ownFile is a file as a kernel's text names it.
func ownFile(n int) string { return fmt.Sprintf("\t.loc {%d} ", n) }

// line says which line an instruction comes from, where that is another one than before.
func (e *emitter) line(v int) {
	s := e.p.Source
	if !e.p.Lines || s == nil || v >= len(s.Lines) || s.Lines[v] == 0 || int(s.In[v]) >= len(s.Files) {
		return
	}
	text := fmt.Sprintf("%s%d 0\n", ownFile(int(s.In[v])), s.Lines[v])
	if text != e.lined {
		e.lined = text
		e.body.WriteString(text)
	}
}

// filesOf returns the files that lines of a kernel are in.
func filesOf(p *tile.Program) []string {
	if !p.Lines || p.Source == nil {
		return nil
	}
	return p.Source.Files
}

// numbered returns a kernel's text with the numbers that its files have in a module.
func (k *Kernel) numbered(files []string) string {
	if len(k.files) == 0 {
		return k.whole()
	}
	var pairs []string
	for i, name := range k.files {
		pairs = append(pairs, ownFile(i), fmt.Sprintf("\t.loc %d ", 1+slices.Index(files, name)))
	}
	return strings.NewReplacer(pairs...).Replace(k.whole())
}

// moduleFiles returns the files that kernels name, each once.
func moduleFiles(kernels []*Kernel) (files []string) {
	for _, k := range kernels {
		for _, name := range k.files {
			if !slices.Contains(files, name) {
				files = append(files, name)
			}
		}
	}
	return files
}

// fileLines declares the files of a module. The language has no way to write a quotation mark in a name, and texts are
// ASCII: bytes of other characters are as addresses of the web have them, %C3%BC.
func fileLines(files []string) string {
	var b strings.Builder
	for i, name := range files {
		fmt.Fprintf(&b, ".file %d \"%s\"\n", i+1, fileName(name))
	}
	if len(files) > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

func fileName(name string) string {
	var b strings.Builder
	for _, c := range []byte(strings.NewReplacer("\"", "'", "\n", " ", "\\", "/").Replace(name)) {
		if c < ' ' || c > '~' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
