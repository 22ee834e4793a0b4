package debug

import (
	"testing"

	"weft/internal/datadriven"
)

func TestParse(t *testing.T) {
	datadriven.Run(t, "testdata/parse.txt", func(t *testing.T, c *datadriven.Case) string {
		switch c.Cmd {
		case "parse":
			s, err := Parse(c.String("text", ""))
			if err != nil {
				return "error: " + err.Error()
			}
			again, err := Parse(s.String())
			if err != nil || again != s {
				t.Errorf("%s: %q does not read back: %v", c.Pos, s, err)
			}
			return s.String()
		case "help":
			return Help()
		}
		t.Fatalf("%s: unknown command %q", c.Pos, c.Cmd)
		return ""
	})
}

// Every row must change a setting that its own get can see, or String would
// forget the key.
func TestEveryKeyIsComplete(t *testing.T) {
	samples := map[string]string{"": "", "DIR": "d", "N": "3", "NAME": "sort", "RxC": "2x3", "ref|cpu": "ref", "base|v3|v4": "v3"}
	for _, k := range keys {
		value, ok := samples[k.kind]
		if !ok {
			t.Errorf("%s: this test has no sample for values of the kind %q", k.name, k.kind)
			continue
		}
		var s Settings
		if _, given := k.get(s); given {
			t.Errorf("%s: given in the zero Settings", k.name)
		}
		if err := k.set(&s, value); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
		if got, given := k.get(s); !given || k.kind != "" && got != value {
			t.Errorf("%s: set %q, got %q (given: %v)", k.name, value, got, given)
		}
	}
}
