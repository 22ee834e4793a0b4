package cpu

import (
	"errors"
	"maps"

	"weft/cpu/blas"
	"weft/cpu/linalg"
	"weft/cpu/routines"
	"weft/cpu/sorting"
	"weft/tile"
)

// Routines is the table of the named routines of this device. One row is a name and
// a function that looks at a program's parameters and attributes and returns the code.
// Adding a routine costs a row in package routines or linalg, its code, and the row of arrays
// that calls it. dense opens the library for linear algebra, as Options.Dense.
//
// They sort with an instruction set of ISAs, "" is the best.
func Routines(isa string, dense func() (*blas.Library, error)) tile.Routines {
	if dense == nil {
		dense = func() (*blas.Library, error) {
			return nil, errors.New("cpu: this program was started without a BLAS library; see cpu.Options.Dense")
		}
	}
	table := routines.Table(sorting.Named(isa))
	maps.Copy(table, linalg.Routines(dense))
	return table
}
