package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// flag is one row: a name without its dashes, what its value looks like ("" for a switch),
// what it does, which values are allowed, and how its value goes into and comes out of
// Settings. get is nil for flags that leave no trace.
type flag struct {
	name    string
	value   string
	about   string
	allowed string
	set     func(s *Settings, text string) error
	get     func(s *Settings) (text string, given bool)
}

// errValue says that a value is not among the allowed ones; the caller words the error.
var errValue = errors.New("value is not allowed")

// The largest values that make sense; above them there is a slip of the finger.
const (
	maxCPUs   = 4096
	maxGPUs   = 1024
	maxMB     = 1 << 30
	maxWindow = 1 << 20
)

// table has all flags, in the order of the help text.
var table = [...]flag{
	{
		"cpus", "N", "run on N CPU workers", fmt.Sprintf("a number from 1 to %d", maxCPUs),
		func(s *Settings, text string) error { return integer(&s.CPUs, text, 1, maxCPUs) },
		func(s *Settings) (string, bool) { return number(int64(s.CPUs)), s.CPUs != 0 },
	},
	{
		"gpus", "N", "run on N GPUs; 0 is none", fmt.Sprintf("a number from 0 to %d", maxGPUs),
		func(s *Settings, text string) error { return integer(&s.GPUs, text, 0, maxGPUs) },
		func(s *Settings) (string, bool) { return number(int64(s.GPUs)), s.GPUs >= 0 },
	},
	toggle("emulate", "make the GPUs of --gpus out of the CPU, each with a memory of its own", func(s *Settings) *bool { return &s.Emulate }),
	{
		"sysmem", "MB", "use at most this much main memory for arrays", fmt.Sprintf("megabytes, a number from 1 to %d", maxMB),
		func(s *Settings, text string) error { return integer(&s.SysMem, text, 1, maxMB) },
		func(s *Settings) (string, bool) { return number(s.SysMem), s.SysMem != 0 },
	},
	{
		"fbmem", "MB", "use at most this much memory of each GPU", fmt.Sprintf("megabytes, a number from 1 to %d", maxMB),
		func(s *Settings, text string) error { return integer(&s.FBMem, text, 1, maxMB) },
		func(s *Settings) (string, bool) { return number(s.FBMem), s.FBMem != 0 },
	},
	toggle("profile", "leave a profile when the program ends", func(s *Settings) *bool { return &s.Profile }),
	toggle("dataflow", "leave a picture of the dataflow graph", func(s *Settings) *bool { return &s.Dataflow }),
	toggle("event", "leave a picture of the event graph", func(s *Settings) *bool { return &s.Event }),
	{
		"window", "N", "plan N operations together; 1 runs each by itself", fmt.Sprintf("a number from 1 to %d", maxWindow),
		func(s *Settings, text string) error { return integer(&s.Window, text, 1, maxWindow) },
		func(s *Settings) (string, bool) { return number(int64(s.Window)), s.Window != 0 },
	},
	toggle("defer-scalars", "full reductions and elements are arrays without dimensions, which nobody waits for, instead of NumPy's scalars",
		func(s *Settings) *bool { return &s.DeferScalars }),
	{
		"numpy", "", `"import numpy" in cells and in the script gives weft (the default of the kernel and of weft run)`, switchValues,
		func(s *Settings, text string) error { return either(&s.NumPy, text, On, Off) },
		func(s *Settings) (string, bool) { return "", s.NumPy == On },
	},
	{
		"no-numpy", "", `"import numpy" gives NumPy`, switchValues,
		func(s *Settings, text string) error { return either(&s.NumPy, text, Off, On) },
		func(s *Settings) (string, bool) { return "", s.NumPy == Off },
	},
	only("launcher", "none", "how programs on several nodes are started"),
	only("nodes", "1", "number of nodes"),
	only("ranks-per-node", "1", "processes on each node"),
}

const switchValues = "nothing, or 1, true, yes, on, 0, false, no, off"

// toggle makes the row of a switch.
func toggle(name, about string, field func(*Settings) *bool) flag {
	return flag{name, "", about, switchValues,
		func(s *Settings, text string) error {
			var v Switch
			if err := either(&v, text, On, Off); err != nil {
				return err
			}
			*field(s) = v == On
			return nil
		},
		func(s *Settings) (string, bool) { return "", *field(s) },
	}
}

// only makes the row of a flag that has one value today.
func only(name, value, about string) flag {
	return flag{name, value, about + "; only " + value + " today", value,
		func(_ *Settings, text string) error {
			if text != value {
				return fmt.Errorf("--%s %s: programs on several nodes are not available yet; allowed is %s, or leave the flag out", name, text, value)
			}
			return nil
		}, nil}
}

// integer reads a number between low and high.
func integer[T int | int64](dst *T, text string, low, high T) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < int64(low) || n > int64(high) {
		return errValue
	}
	*dst = T(n)
	return nil
}

// either reads what may stand behind the equals sign of a switch.
func either(dst *Switch, text string, yes, no Switch) error {
	switch strings.ToLower(text) {
	case "", "1", "t", "true", "y", "yes", "on":
		*dst = yes
	case "0", "f", "false", "n", "no", "off":
		*dst = no
	default:
		return errValue
	}
	return nil
}

func find(name string) *flag {
	for i := range table {
		if table[i].name == name {
			return &table[i]
		}
	}
	return nil
}

// usage is how a flag is written: "--cpus N".
func (f *flag) usage() string {
	if f.value == "" {
		return "--" + f.name
	}
	return "--" + f.name + " " + f.value
}

// Help returns the table for people, a line for each flag.
func Help() string {
	var b strings.Builder
	for i := range table {
		fmt.Fprintf(&b, "  %-20s %s\n", table[i].usage(), table[i].about)
	}
	return b.String()
}
