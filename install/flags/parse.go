package flags

import (
	"fmt"
	"strings"
)

// source is where words come from.
type source struct {
	name   string // of the environment variable; "" for the command line
	legate bool   // Legate's flags are let through
}

// sources lists the environment variables, the strongest last.
var sources = []source{{"LEGATE_ARGS", true}, {"LEGATE_CONFIG", true}, {"WEFT_ARGS", false}}

// errorf words an error so that it says where the wrong word stands.
func (src source) errorf(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if src.name != "" {
		text = src.name + ": " + text
	}
	return fmt.Errorf("%s", text)
}

// Parse reads a command line that has flags only.
func Parse(args []string) (Settings, error) {
	s := Defaults()
	err := source{}.apply(&s, args)
	return s, err
}

// Check reports the first mistake in a command line that has flags only.
func Check(args []string) error {
	_, err := Parse(args)
	return err
}

// FromEnvironment reads the variables, by getenv, which is os.Getenv as a rule.
func FromEnvironment(getenv func(string) string) (Settings, error) {
	s := Defaults()
	for _, src := range sources {
		words, err := src.split(getenv(src.name))
		if err != nil {
			return s, err
		}
		if err := src.apply(&s, words); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Load reads the environment and then the command line, which overrides it flag by flag.
func Load(args []string, getenv func(string) string) (Settings, error) {
	s, err := FromEnvironment(getenv)
	if err != nil {
		return s, err
	}
	if err := (source{}).apply(&s, args); err != nil {
		return s, err
	}
	if s.Emulate && s.GPUs < 0 {
		return s, fmt.Errorf("--emulate makes GPUs but does not say how many; give --gpus N with it")
	}
	return s, nil
}

// Split cuts a command line in two: the flags, and what begins with the first word that is
// none of them: a script's name, "-m", or "-". A word "--" ends the flags and is dropped.
func Split(args []string) (flags, rest []string, err error) {
	for i := 0; i < len(args); {
		word := args[i]
		if word == "--" {
			return args[:i], args[i+1:], nil
		}
		if !strings.HasPrefix(word, "-") || word == "-m" || word == "-" {
			return args[:i], args[i:], nil
		}
		n, err := source{}.one(&Settings{}, args[i:])
		if err != nil {
			return nil, nil, err
		}
		i += n
	}
	return args, nil, nil
}

// apply reads words that are all flags and their values.
func (src source) apply(s *Settings, words []string) error {
	for len(words) > 0 {
		n, err := src.one(s, words)
		if err != nil {
			return err
		}
		words = words[n:]
	}
	return nil
}

// one reads the flag at the beginning of words; n is how many words it took.
func (src source) one(s *Settings, words []string) (n int, err error) {
	word := words[0]
	name, dashed := strings.CutPrefix(word, "--")
	name, value, joined := strings.Cut(name, "=")
	f := find(name)
	if !dashed || f == nil {
		if src.legate {
			if n := ofLegate(words); n > 0 {
				s.Ignored = append(s.Ignored, strings.Join(words[:n], " "))
				return n, nil
			}
		}
		return 0, src.unknown(word)
	}
	n = 1
	if f.value != "" && !joined {
		if len(words) < 2 || strings.HasPrefix(words[1], "--") {
			return 0, src.errorf("--%s needs a value; want %s", f.name, f.allowed)
		}
		value, n = words[1], 2
	}
	switch err := f.set(s, value); err {
	case nil:
		return n, nil
	case errValue:
		return 0, src.errorf("--%s: got %q; want %s", f.name, value, f.allowed)
	default:
		return 0, src.errorf("%v", err)
	}
}

// unknown is the error for a word that is no flag.
func (src source) unknown(word string) error {
	var all []string
	for i := range table {
		all = append(all, table[i].usage())
	}
	allowed := strings.Join(all, ", ")
	if !strings.HasPrefix(word, "-") {
		return src.errorf("got %q where a flag was expected; the flags are %s", word, allowed)
	}
	name, _, _ := strings.Cut(word, "=")
	if near := nearest(strings.TrimLeft(name, "-")); near != "" {
		return src.errorf("unknown flag %s; did you mean --%s? The flags are %s", name, near, allowed)
	}
	return src.errorf("unknown flag %s; the flags are %s", name, allowed)
}

// split cuts a variable's text into words at blanks; quotes keep them together.
func (src source) split(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	quote := rune(0)
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, src.errorf("the quote %c in %q is not closed", quote, text)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
