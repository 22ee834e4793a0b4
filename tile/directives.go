package tile

import (
	"fmt"
	"strings"
)

// Directives are what a device's compiler is told of a program of threads; 0 where nothing is said.
type Directives struct {
	Bound     int16 // threads that a block has at most: a launch of larger ones is refused by all devices
	Resident  int16 // blocks that a multiprocessor should have room for at once
	Registers int16 // that a thread should have at most
	Lines     bool  // machine code tells which lines of Source it comes from
}

// maxResidentBlocks is more than any multiprocessor has.
const maxResidentBlocks = 64

// MaxRegisters is how many registers a thread may have.
const MaxRegisters = 255

// directives is the table of those that are numbers, in the order of the text: what each is called, and the most it is.
var directives = [...]struct {
	name string
	most int
	of   func(d *Directives) *int16
}{
	{"bound", MaxBlockThreads, func(d *Directives) *int16 { return &d.Bound }},
	{"resident", maxResidentBlocks, func(d *Directives) *int16 { return &d.Resident }},
	{"registers", MaxRegisters, func(d *Directives) *int16 { return &d.Registers }},
}

// String returns what stands behind "threads".
func (d Directives) String() string {
	var b strings.Builder
	for _, row := range directives {
		if n := *row.of(&d); n != 0 {
			fmt.Fprintf(&b, " %s %d", row.name, n)
		}
	}
	if d.Lines {
		b.WriteString(" lines")
	}
	return b.String()
}

// ParseDirectives reads what String prints.
func ParseDirectives(text string) (Directives, error) {
	d, rest, err := parseDirectives(strings.Fields(text))
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%q among directives; want bound, resident and registers with a number each, and lines, in this order", rest[0])
	}
	return d, err
}

// parseDirectives reads what String prints, and returns the words behind it.
func parseDirectives(f []string) (d Directives, rest []string, err error) {
	for _, row := range directives {
		if len(f) < 2 || f[0] != row.name {
			continue
		}
		n, err := number(f[1], 1, row.most)
		if err != nil {
			return d, nil, fmt.Errorf("%s: %w", row.name, err)
		}
		*row.of(&d), f = int16(n), f[2:]
	}
	if len(f) > 0 && f[0] == "lines" {
		d.Lines, f = true, f[1:]
	}
	return d, f, nil
}

// check reports which of them is no number that its text form has.
func (d *Directives) check() error {
	for _, row := range directives {
		if n := int(*row.of(d)); n < 0 || n > row.most {
			return fmt.Errorf("directive %s %d; want 1 to %d, or 0 for none", row.name, n, row.most)
		}
	}
	return nil
}
