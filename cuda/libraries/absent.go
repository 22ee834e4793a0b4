//go:build !(cgo && linux)

package libraries

import "errors"

// ask fails: libraries are loaded on Linux alone.
func ask(string, string) (string, [3]int, error) {
	return "", [3]int{}, errors.New("built without support for libraries of CUDA")
}
