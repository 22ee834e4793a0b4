package arrays

import (
	"strconv"
	"strings"
)

// shapeText prints a shape as NumPy's errors do: () (3,) (3,4).
func shapeText(shape []int) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, s := range shape {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(s))
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
	return b.String()
}
