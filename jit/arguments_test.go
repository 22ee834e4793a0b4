package jit

import (
	"strings"
	"testing"

	"weft/tile"
)

// TestStructure reads how leaves make up arguments, and wants each text to use all of them.
func TestStructure(t *testing.T) {
	leaves := []Type{Of(tile.Int64), ArrayOf(tile.Float32, 2), ArrayOf(tile.Int32, 2)}
	for text, want := range map[string]string{
		"...":          "int64, array(float32, 2d), array(int32, 2d)",
		"(..)n.":       "Tuple(int64, array(float32, 2d)), none, array(int32, 2d)",
		".{x,y:..}":    "int64, array(Record(x: float32, y: int32), 2d)",
		"(.<a,b:..>)":  "Tuple(int64, Tuple(array(float32, 2d), array(int32, 2d)))",
		"..":           "1 arguments are left",
		"....":         "ends with",
		"(..":          "ends with",
		"...}":         "ends with",
		"((.)(.)(.)n)": "Tuple(Tuple(int64), Tuple(array(float32, 2d)), Tuple(array(int32, 2d)), none)",
	} {
		types, err := Structure(text, leaves)
		words := make([]string, len(types))
		for i, typ := range types {
			words[i] = typ.String()
		}
		got := strings.Join(words, ", ")
		if err != nil {
			got = err.Error()
		} else if n := len(Leaves(types)); n != len(leaves) {
			t.Errorf("%s has %d leaves; want %d", text, n, len(leaves))
		}
		if err == nil && got != want || err != nil && !strings.Contains(got, want) {
			t.Errorf("%s is %s; want %s", text, got, want)
		}
	}
}
