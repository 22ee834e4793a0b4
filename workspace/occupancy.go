package workspace

import (
	"encoding/json"
	"fmt"

	"weft/tile"
)

// occupancy tells what the first GPU knows of a program of threads: null where there is no GPU, or where the program
// runs on CPUs because it looks for races.
func (m *Machine) occupancy(argument string) (string, error) {
	var asked struct {
		Program string
		Threads int
		Dynamic int64
	}
	if err := json.Unmarshal([]byte(argument), &asked); err != nil {
		return "", fmt.Errorf("occupancy: %w; want {\"program\": text, \"threads\": of a block, \"dynamic\": bytes}", err)
	}
	p, err := tile.Parse(asked.Program)
	if err != nil {
		return "", err
	}
	if len(m.gpus) == 0 || p.Guarded {
		return "null", nil
	}
	o, err := m.gpus[0].Occupancy(p, asked.Threads, asked.Dynamic)
	if err != nil {
		return "", err
	}
	return asJSON(o)
}
