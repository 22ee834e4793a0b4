// Package launch runs what package jit compiles over arrays: it keeps the functions of a process, compiles each for the
// types that it is called with, and submits the programs as ops.
//
// It must not know anything of C, of CPython or of Jupyter: arguments come as values of package arrays. It decides
// nothing about types, which is package jit's, nor about layouts and memory, which is package arrays'.
package launch
