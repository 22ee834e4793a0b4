package report

import (
	"fmt"
	"html"
	"strings"

	"weft/internal/units"
)

// Strip is what is shown of a program while it runs: a line of text, and a row of small bars.
type Strip struct {
	Wall      int64 // nanoseconds since its beginning
	Done      int64 // tasks that ended since then
	Left      int   // tasks that are planned and have not ended; 0 at the end
	Rate      float64
	Processor []StripBar // how busy each device is, as a share of its queues
	Memory    []StripBar // how full each memory is that has a bound; Text says it in bytes
}

// StripBar is a share with its name.
type StripBar struct {
	Name  string
	Share float64 // 0 to 1; below 0 where there is none
	Text  string
}

// Ended is the strip of a program whose work has ended, while that of a later one goes on.
func (s Strip) Ended() Strip {
	s.Left = 0
	return s
}

// Progress is the share of the tasks that are known which have ended.
func (s *Strip) Progress() float64 {
	return float64(s.Done) / float64(max(s.Done+int64(s.Left), 1))
}

// Remaining is about how long the tasks that are left take, in nanoseconds, judged by those that ended; 0 if nothing
// tells.
func (s *Strip) Remaining() int64 {
	if s.Done == 0 || s.Left == 0 {
		return 0
	}
	return int64(float64(s.Wall) / float64(s.Done) * float64(s.Left))
}

// String is the line:
//
//	12.3 s: 45% of 760 tasks, 12.1 GB/s, cpu 98%, gpu0 40%, host 1.20 GB
func (s *Strip) String() string {
	parts := []string{fmt.Sprintf("%s: %s", units.Duration(s.Wall), units.Count(int(s.Done), "task"))}
	if s.Left > 0 {
		parts[0] = fmt.Sprintf("%s: %.0f%% of %s", units.Duration(s.Wall), 100*s.Progress(), units.Count(int(s.Done)+s.Left, "task"))
		if left := s.Remaining(); left > 0 {
			parts = append(parts, "about "+units.Duration(left)+" left")
		}
	}
	if s.Rate > 0 {
		parts = append(parts, units.PerSecond(s.Rate))
	}
	for _, p := range s.Processor {
		parts = append(parts, fmt.Sprintf("%s %.0f%%", p.Name, 100*p.Share))
	}
	for _, m := range s.Memory {
		parts = append(parts, m.Name+" "+m.Text)
	}
	return strings.Join(parts, ", ")
}

// HTML is the strip for a notebook: no script, no style of the page, nothing to load. href is the address of the
// viewer, or empty.
func (s *Strip) HTML(href string) string {
	var b strings.Builder
	b.WriteString(`<div style="font:12px system-ui,sans-serif;display:flex;flex-wrap:wrap;gap:4px 16px;align-items:center;opacity:.85">`)
	bar := func(name string, share float64, text, color string) {
		fmt.Fprintf(&b, `<span style="display:inline-flex;align-items:center;gap:5px">%s`, html.EscapeString(name))
		if share >= 0 {
			fmt.Fprintf(&b, `<span style="display:inline-block;width:60px;height:9px;border-radius:2px;background:rgba(128,128,128,.25)">`+
				`<span style="display:block;width:%.0f%%;height:9px;border-radius:2px;background:%s"></span></span>`, 100*min(max(share, 0), 1), color)
		}
		fmt.Fprintf(&b, `<span style="opacity:.75">%s</span></span>`, html.EscapeString(text))
	}
	if s.Left > 0 {
		text := fmt.Sprintf("%d of %s", s.Done, units.Count(int(s.Done)+s.Left, "task"))
		if left := s.Remaining(); left > 0 {
			text += ", about " + units.Duration(left) + " left"
		}
		bar(units.Duration(s.Wall), s.Progress(), text, "#57a55a")
	} else {
		bar(units.Duration(s.Wall), -1, units.Count(int(s.Done), "task"), "")
	}
	for _, p := range s.Processor {
		bar(p.Name, p.Share, fmt.Sprintf("%.0f%%", 100*p.Share), "#4e86c6")
	}
	if s.Rate > 0 {
		bar("", -1, units.PerSecond(s.Rate), "")
	}
	for _, m := range s.Memory {
		bar(m.Name, m.Share, m.Text, "#62b6a6")
	}
	if href != "" {
		fmt.Fprintf(&b, `<a href="%s" target="_blank" rel="noopener" style="opacity:.75">timeline</a>`, html.EscapeString(href))
	}
	b.WriteString(`</div>`)
	return b.String()
}
