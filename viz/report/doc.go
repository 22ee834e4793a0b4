// Package report adds up what a run took: by line of the program, with advice on the lines (LineReport), by memory over
// time, and as the strip of numbers below a cell. One function (rates.go) says how fast a line moves bytes; graphs and
// timelines ask it, too.
//
// It must not know where records come from, how a timeline is served, or what Python is. A trace is a profiler.Trace.
package report
