package fuse

import "testing"

// Whatever the text, ParseTemplate returns an error or a template that prints and reads back.
func FuzzParseTemplate(f *testing.F) {
	program := "program p\n  program p rank 1\n  param p0 in float64\n  param p1 out float64\n  v0 = load float64 p0\n  store p1 v0\n"
	use := "  use r 0.0 float64 (10) at 0 by (8)\n  use w 1.1 float64 (10) at 0 by (8)"
	f.Add("keep 0\nkeep 7\ndrop (2,4)\napart 1 from 0: has another index space\n")
	f.Add(program + "fuse (0,1) map copy+copy shape (10) program p\n" + use + " renewed\n  axes 1 (0)\n")
	f.Add(program + "fuse (0,1) reduce copy+sum shape (10) reduced (0) program p\n" + use + "\n")
	f.Add(program + "fuse (0,1) map x shape (9223372036854775807) program p\n" + use + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		read, err := ParseTemplate(text)
		if err != nil {
			return
		}
		again, err := ParseTemplate(read.String())
		if err != nil || again.String() != read.String() {
			t.Fatalf("%q reads back as %q, error %v", read.String(), again.String(), err)
		}
	})
}
