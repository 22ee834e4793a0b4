package report

import (
	"cmp"
	"fmt"
	"html"
	"strings"

	"weft/internal/units"
)

// head is the line above the table, and the account of the wall time below it.
func (r *LineReport) head() []string {
	text := fmt.Sprintf("%s: %s; tasks %s on %s", r.Cell, units.Duration(r.Wall), units.Duration(r.Busy), units.Count(r.Processors, "lane"))
	if r.Bytes > 0 && r.Active > 0 {
		rate := float64(r.Bytes) / float64(r.Active) * 1e9
		text += fmt.Sprintf("; %s at %s", units.Size(r.Bytes), units.PerSecond(rate))
		switch {
		case r.Limit > 0 && rate > r.Limit*measured:
			text += fmt.Sprintf(", beyond the %s that this machine copies, which is explained at the lines", units.PerSecond(r.Limit))
		case r.Limit > 0:
			text += fmt.Sprintf(", %.0f%% of the %s that this machine copies", 100*rate/r.Limit, units.PerSecond(r.Limit))
		}
	}
	heads := []string{text}
	var parts []string
	for k, ns := range r.Spent {
		if ns > 0 {
			parts = append(parts, fmt.Sprintf("%v %s (%s)", Spending(k), units.Duration(ns), r.share(ns)))
		}
	}
	if len(parts) > 0 {
		heads = append(heads, "the program's time: "+strings.Join(parts, ", "))
	}
	if r.Others > 0 {
		heads = append(heads, fmt.Sprintf("other threads of the program took %s of processor time besides, which is not sampled", units.Duration(r.Others)))
	}
	if r.Missing != "" {
		heads = append(heads, r.Missing)
	}
	return heads
}

// share is a part of the wall time.
func (r *LineReport) share(ns int64) string {
	return fmt.Sprintf("%.0f%%", 100*float64(ns)/float64(max(r.Wall, 1)))
}

// lineColumns are the columns of the table. The first is the sum of the four times behind the share. The rate is that
// of a lane, as in the timeline and in graphs; the limit is one of all lanes together.
var lineColumns = [...]string{"time", "share", "Python", "calls", "arrays", "weft", "bytes", "a lane's rate", "of limit"}

type lineRow [len(lineColumns)]string

// split marks the columns that the time is made of, for which narrow pages have no room.
func split(column int) string {
	if column >= 2 && column <= 5 {
		return ` class="weft-split"`
	}
	return ""
}

// row is a line's numbers as text, empty where there is nothing.
func (r *LineReport) row(l *LineCost) (row lineRow) {
	for k, ns := range [...]int64{0: l.Time, 2: l.Spent[Python], 3: l.Spent[Calling], 4: l.Spent[Arrays], 5: l.Spent.runtime()} {
		if ns > 0 {
			row[k] = units.Duration(ns)
		}
	}
	if l.Time > 0 {
		row[1] = r.share(l.Time)
	}
	if l.Bytes > 0 {
		row[6] = units.Size(l.Bytes)
		rate := r.rate(l)
		if rate.lane > 0 {
			row[7] = units.PerSecond(rate.lane)
		}
		row[8] = rate.share()
	}
	return row
}

// rate is a line's, compared with what this machine copies.
func (r *LineReport) rate(l *LineCost) lineRate { return l.rate(r.Limit, r.Caches) }

// adviceText is what stands below the table.
func (r *LineReport) adviceText() []string {
	if len(r.Advice) == 0 {
		return []string{"nothing stands out"}
	}
	var texts []string
	for _, a := range r.Advice {
		texts = append(texts, a.Place+": "+a.Text)
	}
	return texts
}

// all are the lines of the cell and those elsewhere, which bring their place as text, and what no line asked for.
func (r *LineReport) all() []LineCost {
	lines := append([]LineCost(nil), r.Lines...)
	for _, l := range r.Elsewhere {
		l.Text = strings.TrimSpace("(" + l.Place + ") " + strings.TrimSpace(l.Text))
		lines = append(lines, l)
	}
	if r.Between.Time > 0 {
		lines = append(lines, r.Between)
	}
	return lines
}

// number is what stands before a line's text.
func (r *LineReport) number(i int) string {
	if i < len(r.Lines) {
		return fmt.Sprint(i + 1)
	}
	return ""
}

// String is the report as text:
//
//	In[3]: 1.24 s; tasks 620 ms on 2 lanes; 3.10 GB at 10.0 GB/s, 84% of the 11.9 GB/s that this machine copies
//	the program's time: Python 320 ms (26%), calls 600 ms (48%), arrays 310 ms (25%), recording 10.0 ms (1%)
//	   time  share  Python   calls  arrays     weft    bytes  a lane's rate  of limit |
//	 600 ms    48%          600 ms                                                    | 1 time.sleep(0.6)
//	                                                                                  |     sleep 600 ms, all of it asleep
//	 640 ms    52%  320 ms          310 ms  10.0 ms  3.10 GB      5.00 GB/s       84% | 2 y = np.sqrt(x * x + 1)
//	                                                                                  |     63 operations in 1 pass, 20 tasks
//	line 2: ...
func (r *LineReport) String() string {
	lines := r.all()
	rows := make([]lineRow, len(lines))
	wide := [len(lineColumns)]int{}
	for k, name := range lineColumns {
		wide[k] = len(name)
	}
	for i := range lines {
		rows[i] = r.row(&lines[i])
		for k, text := range rows[i] {
			wide[k] = max(wide[k], len(text))
		}
	}
	var b strings.Builder
	for _, text := range r.head() {
		b.WriteString(text + "\n")
	}
	put := func(row lineRow, rest string) {
		for k, text := range row {
			fmt.Fprintf(&b, "%*s  ", wide[k], text)
		}
		b.WriteString(strings.TrimRight("| "+rest, " ") + "\n")
	}
	put(lineColumns, "")
	digits := len(fmt.Sprint(len(r.Lines)))
	for i := range lines {
		put(rows[i], fmt.Sprintf("%*s %s", digits, r.number(i), lines[i].Text))
		if notes := r.Notes(&lines[i]); len(notes) > 0 {
			put(lineRow{}, fmt.Sprintf("%*s     %s", digits, "", strings.Join(notes, ", ")))
		}
	}
	for _, text := range r.adviceText() {
		b.WriteString(text + "\n")
	}
	return b.String()
}

// heat is a background for a share of the time, light on light pages and dark on dark ones.
func (r *LineReport) heat(l *LineCost) float64 {
	return 0.05 + 0.4*float64(l.Time)/float64(max(r.Wall, 1))
}

// HTML is the report as a table that needs no style of the page, no script and no network.
func (r *LineReport) HTML() string {
	var b strings.Builder
	b.WriteString(`<style>@media (max-width:900px){.weft-split{display:none}}</style><div style="font:13px system-ui,sans-serif;overflow-x:auto">`)
	for _, text := range r.head() {
		fmt.Fprintf(&b, `<div style="margin:2px 0 6px">%s</div>`, html.EscapeString(text))
	}
	b.WriteString(`<table style="border-collapse:collapse;font:12px ui-monospace,monospace;white-space:pre"><thead><tr>`)
	lines := r.all()
	rows := make([]lineRow, len(lines))
	used := lineRow{} // columns in which there is nothing are left out: pages are narrow
	for i := range lines {
		rows[i] = r.row(&lines[i])
		for k, text := range rows[i] {
			used[k] = cmp.Or(used[k], text)
		}
	}
	for k, name := range lineColumns {
		if used[k] != "" {
			fmt.Fprintf(&b, `<th%s style="text-align:right;padding:1px 4px;font-weight:normal;opacity:.7">%s</th>`, split(k), name)
		}
	}
	b.WriteString(`<th></th><th></th></tr></thead><tbody>`)
	for i := range lines {
		l := &lines[i]
		row, notes := rows[i], r.Notes(l)
		b.WriteString(`<tr`)
		if l.Time > 0 {
			fmt.Fprintf(&b, ` style="background:rgba(240,140,46,%.2f)"`, r.heat(l))
		}
		fmt.Fprintf(&b, ` title="%s">`, html.EscapeString(strings.Join(notes, "\n")))
		for k, text := range row {
			if used[k] != "" {
				fmt.Fprintf(&b, `<td%s style="text-align:right;vertical-align:top;white-space:nowrap;padding:1px 4px">%s</td>`, split(k), html.EscapeString(text))
			}
		}
		fmt.Fprintf(&b, `<td style="text-align:right;vertical-align:top;padding:1px 4px;opacity:.6">%s</td>`, r.number(i))
		fmt.Fprintf(&b, `<td style="text-align:left;padding:1px 4px;min-width:13em;white-space:pre-wrap;overflow-wrap:anywhere">%s`, html.EscapeString(l.Text))
		if len(notes) > 0 {
			fmt.Fprintf(&b, `<div style="opacity:.75;font-size:11px;padding-left:1.5em;white-space:normal">%s</div>`, html.EscapeString(strings.Join(notes, ", ")))
		}
		b.WriteString(`</td></tr>`)
	}
	b.WriteString(`</tbody></table><ul style="margin:6px 0 2px;padding-left:1.4em">`)
	for _, text := range r.adviceText() {
		fmt.Fprintf(&b, `<li>%s</li>`, html.EscapeString(text))
	}
	b.WriteString(`</ul></div>`)
	return b.String()
}

// The measures of the picture, in pixels. Letters of a monospace font of 12 pixels are 7.22 wide.
const (
	letter     = 7.3
	lineHeight = 17
	border     = 10
)

// SVG is the report as a picture, for readers that show nothing else.
func (r *LineReport) SVG() string {
	type shown struct {
		text string
		heat float64
		dim  bool
	}
	var all []shown
	rows := strings.Split(strings.TrimRight(r.String(), "\n"), "\n")
	lines := r.all()
	heats := make([]float64, 0, len(rows))
	for i := range lines {
		heat := 0.0
		if lines[i].Time > 0 {
			heat = r.heat(&lines[i])
		}
		heats = append(heats, heat)
		if len(r.Notes(&lines[i])) > 0 {
			heats = append(heats, -1)
		}
	}
	longest, heads := 0, len(r.head())
	for i, text := range rows {
		s := shown{text: text, dim: i == heads}
		if k := i - heads - 1; k >= 0 && k < len(heats) {
			s.heat, s.dim = heats[k], heats[k] < 0
		}
		if len(text) > maxSVGLine {
			s.text = strings.ToValidUTF8(text[:maxSVGLine], "") + "\u2026"
		}
		longest = max(longest, len([]rune(s.text)))
		all = append(all, s)
	}
	wide, high := float64(longest)*letter+2*border, float64(len(all)*lineHeight+2*border)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,monospace" font-size="12">`, wide, high, wide, high)
	fmt.Fprintf(&b, `<title>%s</title><rect width="100%%" height="100%%" fill="#ffffff"/>`, html.EscapeString(r.Cell))
	for i, s := range all {
		y := border + i*lineHeight
		if s.heat > 0 {
			fmt.Fprintf(&b, `<rect x="0" y="%d" width="%.0f" height="%d" fill="#f08c2e" fill-opacity="%.2f"/>`, y, wide, lineHeight, s.heat)
		}
		fill := "#1f2630"
		if s.dim {
			fill = "#66707f"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" xml:space="preserve">%s</text>`, border, y+13, fill, html.EscapeString(s.text))
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// maxSVGLine is how much of a line the picture shows.
const maxSVGLine = 200
