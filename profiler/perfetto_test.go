package profiler

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// fields takes a message apart, by the rules of Protocol Buffers and without those of the writer.
func fields(t *testing.T, m []byte, each func(field int, number uint64, bytes []byte)) {
	t.Helper()
	for len(m) > 0 {
		key, n := binary.Uvarint(m)
		if n <= 0 {
			t.Fatalf("a key is cut off: % x", m)
		}
		m = m[n:]
		switch key & 7 {
		case 0:
			v, n := binary.Uvarint(m)
			if n <= 0 {
				t.Fatalf("a number is cut off")
			}
			each(int(key>>3), v, nil)
			m = m[n:]
		case 1:
			each(int(key>>3), binary.LittleEndian.Uint64(m), nil)
			m = m[8:]
		case 2:
			size, n := binary.Uvarint(m)
			if n <= 0 || uint64(len(m)-n) < size {
				t.Fatalf("a field of %d bytes is cut off", size)
			}
			each(int(key>>3), 0, m[n:n+int(size)])
			m = m[n+int(size):]
		default:
			t.Fatalf("wire type %d", key&7)
		}
	}
}

// decodePerfetto writes what Perfetto reads, a line for each packet.
func decodePerfetto(t *testing.T, data []byte) string {
	var out strings.Builder
	names := map[int]map[uint64]string{internedCategories: {}, internedNames: {}, internedAnnotations: {}}
	fields(t, data, func(_ int, _ uint64, packet []byte) {
		line, at := "", ""
		fields(t, packet, func(field int, number uint64, body []byte) {
			switch field {
			case packetTimestamp:
				at = fmt.Sprint(number)
			case packetInterned:
				fields(t, body, func(kind int, _ uint64, row []byte) {
					var id uint64
					fields(t, row, func(field int, number uint64, name []byte) {
						if field == 1 {
							id = number
						} else {
							names[kind][id] = string(name)
						}
					})
				})
			case packetTrack:
				line = "track"
				fields(t, body, func(field int, number uint64, text []byte) {
					line += fmt.Sprintf(" %d:%d%s", field, number, strings.ReplaceAll(string(text), "\x18\x03", "bytes"))
				})
			case packetTrackEvent:
				line = [...]string{"", "begin", "end", "instant", "counter"}[typeOf(t, body)]
				fields(t, body, func(field int, number uint64, body []byte) {
					switch field {
					case eventCategories:
						line += " [" + names[internedCategories][number] + "]"
					case eventName:
						line += " " + names[internedNames][number]
					case eventTrack:
						line += fmt.Sprint(" on ", number)
					case eventCounter:
						line += fmt.Sprint(" = ", number)
					case eventFlows:
						line += fmt.Sprint(" flow ", number)
					case eventFlowEnds:
						line += fmt.Sprint(" ends flow ", number)
					case eventAnnotations:
						fields(t, body, func(field int, number uint64, text []byte) {
							if field == annotationName {
								line += " " + names[internedAnnotations][number] + "="
							} else if text != nil {
								line += string(text)
							} else {
								line += fmt.Sprint(number)
							}
						})
					}
				})
			}
		})
		fmt.Fprintf(&out, "%s %s\n", at, line)
	})
	return out.String()
}

func typeOf(t *testing.T, event []byte) (kind uint64) {
	fields(t, event, func(field int, number uint64, _ []byte) {
		if field == eventType {
			kind = number
		}
	})
	return kind
}

func TestMemoryUse(t *testing.T) {
	trace, err := Parse(strings.NewReader(`trace 0
lane "host memory" "memory" "" lost 3
record free 0 4 4 bytes 10
record alloc 0 5 5 bytes 7
record alloc 0 9 9 bytes 1
record free 0 9 9 bytes 8
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(MemoryUse(trace)); got != "[[{4 0} {5 7} {9 8} {9 0}]]" {
		t.Errorf("got %s", got)
	}
	var out bytes.Buffer
	if err := WritePerfetto(&out, trace); err != nil {
		t.Fatal(err)
	}
	if text := decodePerfetto(t, out.Bytes()); !strings.Contains(text, "9 counter on 1099511627776 = 8\n") {
		t.Errorf("got %s", text)
	}
}
