package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTakeOptions(t *testing.T) {
	for _, c := range []struct {
		line, others, port string
		quiet              bool
		wrong              string
	}{
		{line: "a --port 80 b", others: "a b", port: "80"},
		{line: "--port=80 --quiet -", others: "-", port: "80", quiet: true},
		{line: "a -- --quiet --port", others: "a --quiet --port"},
		{line: "--port -- a", others: "a", port: "--"}, // a value may be any word
		{line: "--port", wrong: "try: --port needs a value; want --port N"},
		{line: "--quiet=yes", wrong: `try: --quiet takes no value, got "yes"`},
		{line: "--port no", wrong: "try: --port: not a port"},
		{line: "--poort 1", wrong: "try: unknown option --poort; usage: weft try [OPTIONS]; options: --port N, --quiet"},
	} {
		var port string
		var quiet bool
		try := command{name: "try", args: "[OPTIONS]", options: []option{
			{"--port", "N", "", func(text string) error {
				if port = text; text == "no" {
					return errors.New("not a port")
				}
				return nil
			}},
			{"--quiet", "", "", isSet(&quiet)},
		}}
		others, err := try.takeOptions(strings.Fields(c.line))
		if c.wrong != "" {
			var usage *usageError
			if !errors.As(err, &usage) || err.Error() != c.wrong {
				t.Errorf("%s: got error %v, want %q with exit status 2", c.line, err, c.wrong)
			}
			continue
		}
		if err != nil || strings.Join(others, " ") != c.others || port != c.port || quiet != c.quiet {
			t.Errorf("%s: got %q, port %q, quiet %v, error %v", c.line, others, port, quiet, err)
		}
	}
}

// Each command explains itself, in each of the ways in which people ask, and does nothing else then.
func TestHelp(t *testing.T) {
	var all strings.Builder
	if err := dispatch(nil, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		if !strings.Contains(all.String(), "  weft "+c.name) || !strings.Contains(all.String(), c.about) {
			t.Errorf("weft help does not mention %s:\n%s", c.name, all.String())
		}
		if c.helps {
			continue
		}
		for _, words := range [][]string{{c.name, "--help"}, {c.name, "-h"}, {c.name, "x", "--help"}, {"help", c.name}} {
			var said strings.Builder
			if err := dispatch(words, &said); err != nil || !strings.HasPrefix(said.String(), "usage: weft "+c.name) {
				t.Errorf("%q: got error %v and\n%s", words, err, said.String())
			}
			for _, o := range c.options {
				if !strings.Contains(said.String(), fmt.Sprintf("  %-20s %s\n", o.usage(), o.about)) {
					t.Errorf("%q does not explain %s:\n%s", words, o.name, said.String())
				}
			}
		}
	}
	if asksHelp([]string{"--user", "--", "--help"}) {
		t.Error("what stands behind -- is not install's own")
	}
	if err := dispatch([]string{"help", "nothing"}, &all); err == nil || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("help of a command that there is not: %v", err)
	}
}

// A kernel that cannot run is not installed; what was installed once can be removed.
func TestInstallRefusesMissingGPUs(t *testing.T) {
	for _, c := range []struct {
		line  string
		env   map[string]string
		wrong []string
		name  string
	}{
		{line: "--gpus 4", wrong: []string{"--gpus 4", "--emulate", "--force"}},
		{env: map[string]string{"LEGATE_CONFIG": "--gpus 2"}, wrong: []string{"--gpus 2", "--emulate"}},
		{line: "--gpus many", wrong: []string{`--gpus: got "many"`}},
		{line: "--gpus 0", name: "weft-0-gpus"},
		{line: "--gpus 4 --emulate", name: "weft-4-gpus-emulated"},
	} {
		in := &installation{}
		in.spec.Env = c.env
		err := in.takeFlags(strings.Fields(c.line))
		if len(c.wrong) == 0 && (err != nil || in.spec.Name != c.name) {
			t.Errorf("%s: got the name %q, error %v", c.line, in.spec.Name, err)
		}
		for _, text := range c.wrong {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s %v: got error %v, want one that names %q", c.line, c.env, err, text)
			}
		}
	}
	for _, in := range []*installation{{remove: true}, {force: true}} {
		if err := in.takeFlags([]string{"--gpus", "4"}); err != nil || in.spec.Name != "weft-4-gpus" {
			t.Errorf("remove %v, force %v: got the name %q, error %v", in.remove, in.force, in.spec.Name, err)
		}
	}
}

// The forms are told apart by their names, and those that are not text by their row.
func TestForms(t *testing.T) {
	var binary, seen []string
	for _, f := range forms {
		if slices.Contains(seen, f.option) || f.write == nil || f.about == "" {
			t.Errorf("%+v: a row of its own, with a writer and a word for people", f)
		}
		seen = append(seen, f.option)
		if f.binary {
			binary = append(binary, f.option)
		}
	}
	if !slices.Equal(binary, []string{"--perfetto"}) {
		t.Errorf("binary: %q", binary)
	}
}
