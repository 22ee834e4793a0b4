package cpu

import "weft/tile"

// Routines is the table of the named routines that this package has. One row is a name and
// a function that looks at a program's parameters and attributes and returns the code.
// Adding a routine costs a row here, its code, and the row of arrays that calls it.
func Routines() tile.Routines {
	return tile.Routines{}
}
