package kernel

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// encode writes a content struct as JSON, without the escapes for HTML that would
// make a third of a traceback unreadable on the wire.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("BUG: content of type %T has no JSON form: %v", v, err))
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// decodeAs reads a request's content into a T. A T that has required fields or
// defaults says so in its own UnmarshalJSON.
func decodeAs[T any](content json.RawMessage) (any, error) {
	v := new(T)
	if err := json.Unmarshal(content, v); err != nil {
		return nil, err
	}
	return v, nil
}
