package ptx

import (
	"strings"
	"testing"

	"weft/tile"
)

// saying is a program of threads with directives, whose instructions come from lines of two files.
func saying(name string, d tile.Directives, files ...string) *tile.Program {
	b := tile.NewThreads(name)
	b.Direct(d)
	m := b.Array(tile.Update, tile.Float32, 1, "a")
	i := b.Cast(tile.Int64, b.Thread(tile.TidX))
	v := b.Element(m, i)
	for line, file := range files {
		b.File(file)
		b.Line(line + 7)
		v = b.Do(tile.Mul, v, v)
		v = b.Do(tile.Add, v, v)
	}
	b.Put(m, v, i)
	return b.Program()
}

func emitted(t *testing.T, p *tile.Program, v Variant) *Kernel {
	t.Helper()
	if err := tile.Check(p); err != nil {
		t.Fatal(err)
	}
	k, err := Emit(p, v)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestDirectives looks at what stands in front of a kernel's body.
func TestDirectives(t *testing.T) {
	for _, c := range []struct {
		d       tile.Directives
		threads int16
		want    string
	}{
		{tile.Directives{}, 256, "\n.maxntid 256, 1, 1\n{"},
		{tile.Directives{Bound: 96}, 256, "\n.maxntid 96, 1, 1\n{"},
		{tile.Directives{Registers: 40}, 128, "\n.maxntid 128, 1, 1\n.maxnreg 40\n{"},
		{tile.Directives{Bound: 512, Resident: 2, Registers: 32}, 128, "\n.maxntid 512, 1, 1\n.minnctapersm 2\n.maxnreg 32\n{"},
	} {
		k := emitted(t, saying("f", c.d), Variant{Threads: c.threads})
		text := Module(Target{}, k)
		if !strings.Contains(text, c.want) {
			t.Errorf("%+v: want %q in\n%s", c.d, c.want, text)
		}
	}
}

// TestLines wants the files of a module to be numbered over all of its kernels, and a line to be said where it changes.
func TestLines(t *testing.T) {
	lines := tile.Directives{Lines: true}
	one := emitted(t, saying("f", lines, "In[1]", "a\\b \"ü\".py"), Variant{Threads: 128})
	two := emitted(t, saying("g", lines, "In[2]", "In[1]"), Variant{Threads: 128})
	none := emitted(t, saying("h", tile.Directives{}, "In[3]"), Variant{Threads: 128})
	text := Module(Target{}, one, none, two)
	var got []string
	for line := range strings.Lines(text) {
		if word := strings.TrimSpace(line); strings.HasPrefix(word, ".file") || strings.HasPrefix(word, ".loc") {
			got = append(got, word)
		}
	}
	want := []string{`.file 1 "In[1]"`, `.file 2 "a/b '%C3%BC'.py"`, `.file 3 "In[2]"`, ".loc 1 7 0", ".loc 2 8 0", ".loc 3 7 0", ".loc 1 8 0"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("lines are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestTextsAreASCII wants what NVIDIA's assembler reads of names that are not.
func TestTextsAreASCII(t *testing.T) {
	text := Module(Target{}, emitted(t, saying("π", tile.Directives{Lines: true}, "ü.py"), Variant{Threads: 128}))
	for i, c := range []byte(text) {
		if c >= 0x80 {
			t.Fatalf("byte %#x behind %q", c, text[max(0, i-40):i])
		}
	}
	if !strings.Contains(text, `program "\u03c0"`) || !strings.Contains(text, `"%C3%BC.py"`) {
		t.Errorf("names are not in\n%s", text)
	}
}
