package flags

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/datadriven"
)

// TestFlags runs the cases of testdata. Commands: "parse" (a command line), "load" (lines
// of NAME=words for the environment and one "$ words" for the command line), "split".
func TestFlags(t *testing.T) {
	datadriven.Run(t, "testdata/flags.txt", func(t *testing.T, c *datadriven.Case) string {
		switch c.Cmd {
		case "parse":
			s, err := Parse(strings.Fields(c.Input))
			return show(s, err)
		case "load":
			env := map[string]string{}
			var args []string
			for _, line := range strings.Split(c.Input, "\n") {
				if words, ok := strings.CutPrefix(line, "$"); ok {
					args = strings.Fields(words)
				} else if name, value, ok := strings.Cut(line, "="); ok {
					env[name] = value
				}
			}
			s, err := Load(args, func(name string) string { return env[name] })
			return show(s, err)
		case "split":
			flags, rest, err := Split(strings.Fields(c.Input))
			if err != nil {
				return "error: " + err.Error()
			}
			return fmt.Sprintf("flags: %s\nrest: %s", strings.Join(flags, " "), strings.Join(rest, " "))
		}
		return "unknown command " + c.Cmd
	})
}

func show(s Settings, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	text := s.String()
	if text == "" {
		text = "(nothing)"
	}
	for _, word := range s.Ignored {
		text += "\nignored: " + word
	}
	return text
}

// Every set of settings that a command line can give is given by its own Words.
func TestWordsRoundTrip(t *testing.T) {
	for _, line := range []string{
		"", "--cpus 4", "--gpus 0", "--gpus 2 --emulate --fbmem 100", "--sysmem 4000 --window 1 --profile --dataflow --event", "--no-numpy", "--numpy",
	} {
		s, err := Parse(strings.Fields(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		again, err := Parse(s.Words())
		if err != nil || again.JSON() != s.JSON() {
			t.Errorf("%q gives %s; its words %q give %s (%v)", line, s.JSON(), s.Words(), again.JSON(), err)
		}
	}
}

func TestJSONHasEverySetting(t *testing.T) {
	var object map[string]any
	if err := json.Unmarshal([]byte(Defaults().JSON()), &object); err != nil {
		t.Fatal(err)
	}
	for _, f := range table {
		if f.get == nil || f.name == "no-numpy" {
			continue
		}
		if _, ok := object[f.name]; !ok {
			t.Errorf("JSON has no %q; add it to Settings.JSON", f.name)
		}
	}
}

// What a flag's row says must hold: its help is there, its zero is refused or understood.
func TestTable(t *testing.T) {
	var names []string
	for _, f := range table {
		if f.about == "" || f.allowed == "" || f.set == nil {
			t.Errorf("--%s: row is incomplete", f.name)
		}
		if slices.Contains(names, f.name) {
			t.Errorf("--%s stands twice in the table", f.name)
		}
		names = append(names, f.name)
		if legateSwitches[f.name] || legateValues[f.name] {
			t.Errorf("--%s is a flag of ours; take it out of the table of Legate's", f.name)
		}
		if !strings.Contains(Help(), "--"+f.name) {
			t.Errorf("help does not mention --%s", f.name)
		}
		err := source{}.apply(&Settings{}, []string{"--" + f.name + "=bogus"})
		if err == nil || !strings.Contains(err.Error(), "--"+f.name) || !strings.Contains(err.Error(), f.allowed) {
			t.Errorf("--%s=bogus: got error %v; it must name the flag and the allowed values", f.name, err)
		}
	}
}

func TestTitle(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "--gpus 4": "4 GPUs", "--gpus 1 --cpus 2": "2 CPUs, 1 GPU", "--gpus 2 --emulate --fbmem 64": "2 GPUs, emulated, fbmem 64", "--profile": "profile",
	} {
		s, err := Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Title(); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
