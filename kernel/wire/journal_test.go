package wire

import (
	"fmt"
	"log"
	"strings"
	"testing"
)

func TestJournalIsNotFilled(t *testing.T) {
	book := newLogBook()
	j := NewJournal(log.New(book, "", 0))
	for i := range 1 << 20 {
		j.Report("flood", "line %d", i)
	}
	if n, want := len(book.lines), causeShown+16; n != want { // 2^5 to 2^20
		t.Errorf("%d lines of %d, wanted %d", n, 1<<20, want)
	}
	j.Report("another", "one more")
	book.await(t, "one more")
}

func TestOneLine(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain \u00e9", "plain \u00e9"},
		{"a\nb\r\x1b[31mc\u2028d\x85", "a\ufffdb\ufffd\ufffd[31mc\ufffdd\ufffd"},
		{"\xff\xfe", "\ufffd"},
		{strings.Repeat("x", 1<<20), strings.Repeat("x", 100) + fmt.Sprintf(" ... and %d bytes more", 1<<20-100)},
	} {
		if got := OneLine(tt.in, 100); got != tt.want {
			t.Errorf("%.40q: got %q, wanted %q", tt.in, got, tt.want)
		}
	}
}
