package cpu

import (
	"weft/cpu/routines"
	"weft/tile"
)

// Routines is the table of the named routines of this device. One row is a name and
// a function that looks at a program's parameters and attributes and returns the code.
// Adding a routine costs a row in package routines, its code, and the row of arrays that calls it.
func Routines() tile.Routines {
	return routines.Table()
}
