package flags

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Settings is what the flags ask for. Defaults() asks for nothing.
type Settings struct {
	CPUs         int    // workers; 0 leaves the choice to the runtime
	GPUs         int    // -1 leaves the choice to the runtime
	Emulate      bool   // the GPUs are emulated on the processor
	SysMem       int64  // MB of main memory for arrays; 0 leaves the choice to the runtime
	FBMem        int64  // MB of memory of each GPU; 0 leaves the choice to the runtime
	Window       int    // operations that are planned together; 0 leaves the choice to the runtime
	Profile      bool   // leave a profile when the program ends
	Dataflow     bool   // leave the dataflow graph
	Event        bool   // leave the event graph
	DeferScalars bool   // full reductions and elements are arrays that are not waited for
	NumPy        Switch // whether "import numpy" in user code gives weft

	// Ignored lists the flags of Legate, with their values, that mean nothing here.
	Ignored []string
}

// Switch is a flag that may be given either way.
type Switch uint8

// The states of a Switch.
const (
	Default Switch = iota // not given
	On
	Off
)

// String is the state's name, as in JSON.
func (s Switch) String() string { return [...]string{"default", "on", "off"}[s] }

// Defaults returns the settings of an empty command line.
func Defaults() Settings { return Settings{GPUs: -1} }

// Words returns the shortest command line that gives these settings.
func (s Settings) Words() []string {
	var words []string
	for i := range table {
		if f := &table[i]; f.get != nil {
			if value, given := f.get(&s); given {
				words = append(words, "--"+f.name)
				if f.value != "" {
					words = append(words, value)
				}
			}
		}
	}
	return words
}

// String is Words on one line.
func (s Settings) String() string { return strings.Join(s.Words(), " ") }

// Title says the settings as people do: 4 GPUs, emulated. It is empty where nothing is asked for.
func (s Settings) Title() string {
	var parts []string
	count := func(n int, one string) {
		if n == 1 {
			parts = append(parts, "1 "+one)
		} else {
			parts = append(parts, strconv.Itoa(n)+" "+one+"s")
		}
	}
	if s.CPUs != 0 {
		count(s.CPUs, "CPU")
	}
	if s.GPUs >= 0 {
		count(s.GPUs, "GPU")
	}
	if s.Emulate {
		parts = append(parts, "emulated")
	}
	rest := s
	rest.CPUs, rest.GPUs, rest.Emulate = 0, -1, false
	for _, word := range rest.Words() {
		if name, flag := strings.CutPrefix(word, "--"); flag {
			parts = append(parts, name)
		} else {
			parts[len(parts)-1] += " " + word
		}
	}
	return strings.Join(parts, ", ")
}

// Available says whether this machine has what the settings ask for. found is asked for its GPUs, only where the
// settings want some: how many can be used, and what is said of them in the text of the error.
func (s Settings) Available(found func() (gpus int, text string)) error {
	if s.GPUs <= 0 || s.Emulate {
		return nil
	}
	switch n, text := found(); {
	case n == 0:
		return fmt.Errorf("--gpus %d: %s. Add --emulate to the flags to run on emulated GPUs, or leave --gpus out", s.GPUs, text)
	case n < s.GPUs:
		return fmt.Errorf("--gpus %d: this machine has %d: %s. Ask for at most %d, or add --emulate to the flags to run on emulated GPUs", s.GPUs, n, text, n)
	}
	return nil
}

// JSON returns the settings as an object for other languages; "gpus" is -1 and the other
// numbers are 0 where nothing was asked for.
func (s Settings) JSON() string {
	ignored := s.Ignored
	if ignored == nil {
		ignored = []string{}
	}
	text, err := json.Marshal(struct {
		CPUs         int      `json:"cpus"`
		GPUs         int      `json:"gpus"`
		Emulate      bool     `json:"emulate"`
		SysMem       int64    `json:"sysmem"`
		FBMem        int64    `json:"fbmem"`
		Window       int      `json:"window"`
		Profile      bool     `json:"profile"`
		Dataflow     bool     `json:"dataflow"`
		Event        bool     `json:"event"`
		DeferScalars bool     `json:"defer-scalars"`
		NumPy        string   `json:"numpy"`
		Ignored      []string `json:"ignored"`
	}{s.CPUs, s.GPUs, s.Emulate, s.SysMem, s.FBMem, s.Window, s.Profile, s.Dataflow, s.Event, s.DeferScalars, s.NumPy.String(), ignored})
	if err != nil {
		panic("BUG: settings of plain numbers and strings do not encode: " + err.Error())
	}
	return string(text)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
