package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/cuda/driver/fakecuda"
	"weft/tile"
)

// TestAssembler gives each form to NVIDIA's assembler: what the transcript asks a device must be right PTX.
func TestAssembler(t *testing.T) {
	ptxas := os.Getenv("WEFT_PTXAS")
	if ptxas == "" {
		var err error
		if ptxas, err = exec.LookPath("ptxas"); err != nil {
			t.Skip("no ptxas in PATH and WEFT_PTXAS is not set; the wheel nvidia-cuda-nvcc has one")
		}
	}
	dir := t.TempDir()
	for _, f := range forms() {
		file := filepath.Join(dir, "form.ptx")
		if err := os.WriteFile(file, []byte(f.module()), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(ptxas, "-arch=sm_90", "-O1", "-o", filepath.Join(dir, "form.cubin"), file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", f.text, err, out)
		}
	}
}

// TestKernels checks that what is measured stays inside its arrays.
func TestKernels(t *testing.T) {
	ref := tile.NewReference(0, time.Now(), nil)
	defer ref.Close()
	array := tile.Buffer{Handle: 1, Size: arrayBytes}
	for _, k := range kernels() {
		if _, err := k.launch(ref, []tile.Buffer{array, array, array, array}); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}

// TestTranscript compares what the fake driver answers with what a GPU did.
func TestTranscript(t *testing.T) {
	lib, err := fakecuda.Build()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "gpu")
	if out, err := exec.Command("go", "build", "-tags", "cuda", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(bin, "transcript")
	cmd.Env = append(os.Environ(), "WEFT_LIBCUDA="+lib)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := answers(string(out))
	real, err := os.ReadFile("transcript.txt")
	if os.IsNotExist(err) {
		t.Skipf("%d answers; no transcript.txt: no GPU has been asked yet (make gpu-pack, make gpu-results)", len(got))
	}
	if err != nil {
		t.Fatal(err)
	}
	want := answers(string(real))
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Fatalf("answer %d is another than the GPU's:\ngot  %s\nwant %s", i+1, line(got, i), line(want, i))
		}
	}
}

// answers are the lines of a transcript that say something, each behind its scene's name or its instruction.
func answers(text string) []string {
	var all []string
	scene, asked := "", ""
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\n ")
		switch {
		case l == "" || l[0] == '#':
			continue
		case strings.HasPrefix(l, "== "):
			scene = l[3:]
			continue
		case l[0] != ' ':
			asked = l
		}
		if l != asked {
			l = asked + ":" + l
		}
		all = append(all, scene+": "+l)
	}
	return all
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}
