// Probe prints what the driver package finds. The tests build it to look at the binary and
// to start it with drivers of several kinds.
package main

import (
	"fmt"

	"weft/cuda/driver"
)

func main() {
	fmt.Println(driver.Probe())
	if _, err := driver.Open(0); err != nil {
		fmt.Println(err)
	}
}
