package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Names that "weft install" uses when none are given.
const (
	DefaultName        = "weft"
	DefaultDisplayName = "Python (weft)"
)

// module is what Python runs as the kernel; older specs name oldModule.
const (
	module    = "weft_kernel"
	oldModule = "weft.kernel"
)

// Spec is what a kernelspec says.
type Spec struct {
	Name        string   // folder name; Jupyter knows kernels by it, in lower case
	DisplayName string   // what the launcher shows
	Python      string   // absolute path of the interpreter that has the weft package
	Flags       []string // given to every kernel that is started from this spec
	Env         map[string]string
	Debugger    bool // whether front ends offer to debug: see HasDebugger
}

// validName is Jupyter's own rule for kernel names.
var validName = regexp.MustCompile(`^[a-z0-9._-]+$`)

// normal fills in the defaults and rejects what Jupyter would not find again.
func (s Spec) normal() (Spec, error) {
	if s.Name == "" {
		s.Name = DefaultName
	}
	s.Name = strings.ToLower(s.Name)
	if !validName.MatchString(s.Name) || strings.Trim(s.Name, ".") == "" {
		return s, fmt.Errorf("--name: got %q; a kernel's name consists of letters, digits, '.', '_' and '-'", s.Name)
	}
	if s.DisplayName == "" {
		s.DisplayName = DefaultDisplayName
		if s.Name != DefaultName { // two entries of one name could not be told apart
			s.DisplayName = fmt.Sprintf("Python (%s)", s.Name)
		}
	}
	if s.Python == "" {
		return s, fmt.Errorf("no Python interpreter given; the kernelspec names the one that has weft")
	}
	return s, nil
}

// kernelJSON is the file's content, in the order in which people read it.
type kernelJSON struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Env           map[string]string `json:"env"`
	Metadata      map[string]any    `json:"metadata"`
}

// JSON is the text of kernel.json.
//
// Interrupts come as messages, because the runtime must be woken along with
// Python's main thread: a signal alone reaches only one of them.
func (s Spec) JSON() ([]byte, error) {
	s, err := s.normal()
	if err != nil {
		return nil, err
	}
	env := s.Env
	if env == nil {
		env = map[string]string{}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // a person reads and edits this file
	enc.SetIndent("", " ")
	err = enc.Encode(kernelJSON{
		Argv:          append([]string{s.Python, "-m", module, "-f", "{connection_file}"}, s.Flags...),
		DisplayName:   s.DisplayName,
		Language:      "python",
		InterruptMode: "message",
		Env:           env,
		Metadata:      map[string]any{"debugger": s.Debugger, "supported_encryption": "curve"},
	})
	return out.Bytes(), err
}
