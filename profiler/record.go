package profiler

import "strconv"

// Kind says what a bar on the timeline stands for.
type Kind uint8

// The kinds of records. The numbers are part of the file format: rows are only ever added.
const (
	Run       Kind = iota // a task of an op ran on a device
	Copy                  // bytes moved between memories
	Alloc                 // an instance got its buffer
	Free                  // an instance gave its buffer back
	Wait                  // the program thread waited for arrays
	Plan                  // a window of ops was flushed and planned
	Fallback              // NumPy did what weft does not do itself
	Cell                  // a cell or a script, from its first to its last statement
	Range                 // what the program has named: with weft.profile.range("assemble")
	Pass                  // a step of planning
	Python                // the program's thread ran lines of Python
	Call                  // it was in a library, or in one function of C
	Recording             // it was in the runtime
	Small                 // the program's thread computed operations on few elements one after the other
)

// KindInfo is one row of the table of kinds.
type KindInfo struct {
	Name string
	Busy bool   // counts as work of its lane
	Doc  string // for legends and tooltips
}

var kinds = [...]KindInfo{
	Run:      {"run", true, "a task of an op"},
	Copy:     {"copy", true, "bytes moved between memories"},
	Alloc:    {"alloc", false, "memory for an array"},
	Free:     {"free", false, "memory given back"},
	Wait:     {"wait", false, "the program waits for arrays"},
	Plan:     {"plan", false, "a window of operations is planned"},
	Fallback: {"fallback", true, "a call that NumPy does"},
	Cell:     {"cell", false, "a cell of the notebook"},
	Range:    {"range", false, "a part of the program, named by it"},
	Pass:     {"pass", false, "a step of planning"},

	Python:    {"python", false, "the program runs lines of Python, as a profile by lines has sampled"},
	Call:      {"call", false, "the program is in a library or a function of C"},
	Recording: {"recording", false, "the program tells the runtime what is to be done"},
	Small:     {"small", false, "the program runs, and operations on few elements with it, one after the other"},
}

// Kinds returns the table of kinds; a Kind is its index.
func Kinds() []KindInfo { return kinds[:] }

// Info returns the kind's row. Its argument must be a kind of the table.
func (k Kind) Info() KindInfo { return kinds[k] }

// String returns the kind's name in the text form.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return "kind" + strconv.Itoa(int(k))
	}
	return kinds[k].Name
}

// Record is one row: what happened on a lane from Start to End. It holds no pointers, so
// that the collector never looks into the rings. Its 40 bytes are 5 words: two times and a
// size that need 64 bits each, and two words of names.
type Record struct {
	Start, End int64  // nanoseconds since the recorder's epoch
	Bytes      int64  // read and written, moved, allocated or freed
	Task       uint32 // the task's number; 0 where there is none
	Op         uint32 // the op that it belongs to; 0 where there is none
	Label      uint32 // name and place for what is not told by Op; 0 is none
	Lane       uint16 // set by Lane.Record
	Kind       Kind
}

// Where is the place in the user's program: a source and a 1-based line. Zeros are unknown.
type Where struct {
	Source uint32 `json:"source"`
	Line   int32  `json:"line"`
}

// Form is what all ops of one shape from one line have in common. A loop submits many ops
// of few forms, so that recording an op costs 8 bytes.
type Form struct {
	Name    string `json:"name"` // as the user knows it: add, sum, matmul
	Kind    string `json:"kind"` // map, reduce, ...
	Where   Where  `json:"where"`
	Shape   string `json:"shape"`   // the index space: (1000,1000)
	Program string `json:"program"` // the program's text form
	Parts   Parts  `json:"parts,omitempty"`
}

// Op says which form an op has.
type Op struct {
	ID   uint32 `json:"id"`
	Form uint32 `json:"form"` // index into Trace.Forms
}

// Label names a record that has no op, or says more than its op: the routine of a fallback,
// the cause of a copy, the title of a cell.
type Label struct {
	Name   string `json:"name"`
	Where  Where  `json:"where"`
	Detail string `json:"detail,omitempty"` // more about it: from where to where a copy goes, what a wait is for
}

// LaneInfo describes a lane.
type LaneInfo struct {
	Name   string `json:"name"`   // cpu0, gpu1, gpu1 copy, program
	Kind   string `json:"kind"`   // cpu, gpu, copy, program
	Device string `json:"device"` // the processor that it belongs to; empty for the program's lanes
}

// Source is a cell or a file of the user's program.
type Source struct {
	ID   uint32 `json:"id"` // never 0
	Name string `json:"name"`
	Text string `json:"text"` // empty when it is not known
}

// Text is a named document that travels with a trace, such as a graph in DOT.
type Text struct {
	Name string `json:"name"`
	Body string `json:"body"`
}

// Field is one line of the machine's description.
type Field struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
