package debug

import (
	"fmt"
	"strings"
)

// Variable is the name of the environment variable whose text Parse reads.
const Variable = "WEFT_DEBUG"

// Parse reads text such as "dump=out,check,window=1". Empty text asks for nothing.
func Parse(text string) (Settings, error) {
	var s Settings
	seen := map[string]bool{}
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		name, value, valued := strings.Cut(word, "=")
		k := find(name)
		switch {
		case k == nil:
			return Settings{}, fmt.Errorf("%s: unknown key %q; the keys are %s (%s=help explains them)",
				Variable, name, strings.Join(names(), ", "), Variable)
		case seen[name]:
			return Settings{}, fmt.Errorf("%s: %s is given twice", Variable, name)
		case k.kind == "" && valued:
			return Settings{}, fmt.Errorf("%s: %s takes no value, got %q; write just %s", Variable, name, value, name)
		case k.kind != "" && value == "":
			return Settings{}, fmt.Errorf("%s: %s needs a value; write %s=%s", Variable, name, name, k.kind)
		}
		seen[name] = true
		if err := k.set(&s, value); err != nil {
			return Settings{}, fmt.Errorf("%s: %s: %w", Variable, name, err)
		}
	}
	return s, nil
}

// String prints the settings in the form that Parse reads.
func (s Settings) String() string {
	var words []string
	for _, k := range keys {
		value, given := k.get(s)
		switch {
		case !given:
		case k.kind == "":
			words = append(words, k.name)
		default:
			words = append(words, k.name+"="+value)
		}
	}
	return strings.Join(words, ",")
}

// Help is the text that WEFT_DEBUG=help prints.
func Help() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s=KEY[=VALUE],... changes how weft works, to look for a fault in it:\n\n", Variable)
	for _, k := range keys {
		word := k.name
		if k.kind != "" {
			word += "=" + k.kind
		}
		fmt.Fprintf(&out, "  %-15s %s\n", word, k.help)
	}
	return out.String()
}

func find(name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

func names() []string {
	var list []string
	for _, k := range keys {
		list = append(list, k.name)
	}
	return list
}
