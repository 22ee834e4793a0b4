package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

var rewrite = flag.Bool("rewrite", false, "write down in differs.txt in what the fake driver differs from the GPU")

// TestTranscript compares what the fake driver answers with what a GPU did. differs.txt names the questions that it
// answers otherwise, so that these become fewer: neither may another one differ, nor may one of these be answered as
// the GPU does and stay there.
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
	order, fake := answers(string(out))
	text, err := os.ReadFile("transcript.txt")
	if err != nil {
		t.Fatal(err)
	}
	asked, gpu := answers(string(text))
	for _, q := range order {
		if _, there := gpu[q]; !there {
			asked = append(asked, q)
		}
	}
	var differs []string
	for _, q := range asked {
		if fake[q] != gpu[q] {
			differs = append(differs, q)
		}
	}
	if *rewrite {
		if err := os.WriteFile("differs.txt", []byte(strings.Join(append(differs, ""), "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	known, err := os.ReadFile("differs.txt")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for l := range strings.Lines(string(known)) {
		listed[strings.TrimSpace(l)] = true
	}
	for _, q := range asked {
		switch differ := slices.Contains(differs, q); {
		case differ && !listed[q]:
			got, want := apart(fake[q], gpu[q])
			t.Errorf("%s: the fake driver answers\n%s\nwant, as the GPU does,\n%s", q, got, want)
		case !differ && listed[q]:
			t.Errorf("%s: is answered as the GPU does; take it out of differs.txt", q)
		}
	}
}

// apart returns the first lines in which two answers differ.
func apart(a, b string) (string, string) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return as[i], bs[i]
		}
	}
	return fmt.Sprintf("%d lines", len(as)), fmt.Sprintf("%d lines", len(bs))
}

// answers are the questions of a transcript, by scene and in their order, and what was answered to each: the rest of
// its line, and the lines below it. A question that a scene asks again has a number.
func answers(text string) (order []string, all map[string]string) {
	all = map[string]string{}
	scene, question := "", ""
	times := map[string]int{}
	for l := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(l) == "" || l[0] == '#':
		case strings.HasPrefix(l, "== "):
			scene = strings.TrimSpace(l[3:])
		case l[0] == ' ':
			all[question] += l
		default:
			asked, answer, _ := strings.Cut(l, " -> ")
			question = scene + ": " + asked
			if times[question]++; times[question] > 1 {
				question = fmt.Sprintf("%s (%d)", question, times[question])
			}
			order = append(order, question)
			all[question] = answer
		}
	}
	return order, all
}
