// Package debug reads WEFT_DEBUG, the one variable that changes how weft works
// for a developer who looks for a fault in it.
//
//	WEFT_DEBUG=dump=out/dump,check,window=1,device=ref,seed=7
//
// Every key is one row of the table in keys.go: its name, the kind of its value
// and what it does. Parsing, printing, the help text (WEFT_DEBUG=help) and the
// error for an unknown key all come from that table. The keys work in every
// build, without a rebuild.
//
// The package only reads text. It knows nothing of the parts that act on the
// settings and reads no environment: the program that starts the runtime does,
// and hands the Settings on.
package debug
