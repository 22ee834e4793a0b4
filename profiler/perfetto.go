package profiler

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The fields of Perfetto's trace format that are written, by message. Numbers never change; the format is
// that of protos/perfetto/trace in Perfetto's sources.
const (
	tracePacket = 1 // of Trace

	packetTimestamp  = 8 // of TracePacket
	packetSequence   = 10
	packetTrackEvent = 11
	packetInterned   = 12
	packetFlags      = 13
	packetTrack      = 60

	trackUUID        = 1 // of TrackDescriptor
	trackName        = 2
	trackParent      = 5
	trackCounter     = 8
	trackOrdering    = 11 // of those below it
	trackRank        = 12 // among those of one parent
	trackDescription = 14
	explicitOrdering = 3

	counterUnit = 3 // of CounterDescriptor
	unitBytes   = 3

	internedCategories  = 1 // of InternedData: rows of an ID and a name
	internedNames       = 2
	internedAnnotations = 3

	eventCategories   = 3 // of TrackEvent
	eventAnnotations  = 4
	eventType         = 9
	eventName         = 10
	eventTrack        = 11
	eventCounter      = 30
	eventFlows        = 47
	eventFlowEnds     = 48
	sliceBegin        = 1
	sliceEnd          = 2
	instant           = 3
	counterValue      = 4
	annotationName    = 1 // of DebugAnnotation
	annotationInt     = 4
	annotationText    = 6
	sequenceCleared   = 1
	sequenceNeeded    = 2
	perfettoSequence  = 1
	rootTrack         = 1
	sliceTracksFrom   = 1 << 8
	counterTracksFrom = 1 << 40
)

// message builds one message of Protocol Buffers.
type message []byte

func (m *message) number(field int, v uint64) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3), v)
}

func (m *message) fixed(field int, v uint64) {
	*m = binary.LittleEndian.AppendUint64(binary.AppendUvarint(*m, uint64(field)<<3|1), v)
}

func (m *message) bytes(field int, v []byte) {
	*m = append(binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3|2), uint64(len(v))), v...)
}

// text drops what is not UTF-8, which the format wants and a name need not be.
func (m *message) text(field int, v string) { m.bytes(field, []byte(strings.ToValidUTF8(v, "\uFFFD"))) }

// perfetto writes a trace. Names are written once and referred to by numbers.
type perfetto struct {
	w     *bufio.Writer
	err   error
	names [4]map[string]uint64 // by field of InternedData
	fresh message              // rows of InternedData that the next packet brings
	began bool
}

// WritePerfetto writes Perfetto's own format: a track for each lane, slices with what is known of them, arrows from
// tasks to those that waited for them, and a counter of the bytes in use for each memory. All tracks lie below one,
// because Perfetto's viewer keeps an order only there, and opens it at the beginning only if it is alone. Those of one
// lane have one name, so that the viewer draws them as one.
func WritePerfetto(w io.Writer, t *Trace) error {
	p := &perfetto{w: bufio.NewWriter(w)}
	for i := range p.names {
		p.names[i] = map[string]uint64{}
	}
	l := layOut(t)
	list, all := arrows(t)
	p.root(t, len(list), all)
	begins, ends := map[int][]uint64{}, map[int][]uint64{}
	for n, a := range list {
		begins[a.from] = append(begins[a.from], uint64(n+1))
		ends[a.to] = append(ends[a.to], uint64(n+1))
	}
	described := map[uint64]bool{}
	for i := range t.Records {
		rec := &t.Records[i]
		track := sliceTracksFrom + uint64(l.number(rec, i))
		if !described[track] {
			described[track] = true
			p.track(track, l.name[rec.Lane], 2*l.rank[rec.Lane], false)
		}
		p.slice(t, rec, track, l.of[i] == noTrack, begins[i], ends[i])
	}
	p.memories(t, l)
	if p.err == nil {
		p.err = p.w.Flush()
	}
	return p.err
}

// packet writes a message of the stream, with the names that it needs.
func (p *perfetto) packet(at int64, field int, body message) {
	var packet message
	if at >= 0 {
		packet.number(packetTimestamp, uint64(at))
	}
	packet.number(packetSequence, perfettoSequence)
	if p.began {
		packet.number(packetFlags, sequenceNeeded)
	} else {
		packet.number(packetFlags, sequenceCleared|sequenceNeeded)
		p.began = true
	}
	if len(p.fresh) > 0 {
		packet.bytes(packetInterned, p.fresh)
		p.fresh = p.fresh[:0]
	}
	packet.bytes(field, body)
	var framed message
	framed.bytes(tracePacket, packet)
	if p.err == nil {
		_, p.err = p.w.Write(framed)
	}
}

// intern returns the number of a name.
func (p *perfetto) intern(field int, name string) uint64 {
	id, known := p.names[field][name]
	if !known {
		id = uint64(len(p.names[field]) + 1)
		p.names[field][name] = id
		var row message
		row.number(1, id)
		row.text(2, name)
		p.fresh.bytes(field, row)
	}
	return id
}

// root writes the track that all others are below.
func (p *perfetto) root(t *Trace, arrows, dependences int) {
	text := about(t)
	if arrows < dependences {
		text += fmt.Sprintf("\nof %d dependences, %d have an arrow", dependences, arrows)
	}
	var m message
	m.number(trackUUID, rootTrack)
	m.text(trackName, "weft")
	m.number(trackOrdering, explicitOrdering)
	m.text(trackDescription, text)
	p.packet(-1, packetTrack, m)
}

func (p *perfetto) track(id uint64, name string, rank int, counter bool) {
	var m message
	m.number(trackUUID, id)
	m.number(trackParent, rootTrack)
	m.text(trackName, name)
	m.number(trackRank, uint64(rank))
	if counter {
		var c message
		c.number(counterUnit, unitBytes)
		m.bytes(trackCounter, c)
	}
	p.packet(-1, packetTrack, m)
}

// slice writes a record. One for which there was no track is an instant that keeps its length as a number.
func (p *perfetto) slice(t *Trace, rec *Record, track uint64, crowded bool, begins, ends []uint64) {
	var m message
	m.number(eventCategories, p.intern(internedCategories, rec.Kind.String()))
	text := func(name, value string) {
		if value == "" {
			return
		}
		var a message
		a.number(annotationName, p.intern(internedAnnotations, name))
		a.text(annotationText, value)
		m.bytes(eventAnnotations, a)
	}
	number := func(name string, value int64) {
		if value == 0 {
			return
		}
		var a message
		a.number(annotationName, p.intern(internedAnnotations, name))
		a.number(annotationInt, uint64(value))
		m.bytes(eventAnnotations, a)
	}
	if rec.Task != 0 { // not "task", which makes the viewer's conversion to JSON fail
		text("task_id", "t"+strconv.FormatUint(uint64(rec.Task), 10))
	}
	if rec.Op != 0 {
		text("op", "o"+strconv.FormatUint(uint64(rec.Op), 10))
	}
	text("where", t.PlaceName(t.WhereOf(rec)))
	text("shape", t.FormOf(rec.Op).Shape)
	text("detail", t.Labels[rec.Label].Detail)
	number("bytes", rec.Bytes)
	if crowded {
		number("length_ns", rec.End-rec.Start)
	}
	long := rec.Start < rec.End && !crowded
	if !long {
		m.number(eventType, instant)
	} else {
		m.number(eventType, sliceBegin)
	}
	m.number(eventName, p.intern(internedNames, t.Name(rec)))
	m.number(eventTrack, track)
	for _, id := range begins {
		m.fixed(eventFlows, id)
	}
	for _, id := range ends {
		m.fixed(eventFlowEnds, id)
	}
	p.packet(rec.Start, packetTrackEvent, m)
	if long {
		var end message
		end.number(eventType, sliceEnd)
		end.number(eventTrack, track)
		p.packet(rec.End, packetTrackEvent, end)
	}
}

// memories writes a counter for each memory: the bytes that are in use.
func (p *perfetto) memories(t *Trace, l *tracks) {
	for lane, uses := range MemoryUse(t) {
		if len(uses) == 0 {
			continue
		}
		track := uint64(counterTracksFrom + lane)
		p.track(track, t.Lanes[lane].Name+" in use", 2*l.rank[lane]+1, true)
		for _, use := range uses {
			var m message
			m.number(eventType, counterValue)
			m.number(eventTrack, track)
			m.number(eventCounter, uint64(use.Bytes))
			p.packet(use.At, packetTrackEvent, m)
		}
	}
}
