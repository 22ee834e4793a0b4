package profiler

// Rows returns for each record in which row of its lane it is drawn: the first one that is
// free when it starts, so that overlapping bars do not hide each other.
func Rows(t *Trace) []uint16 {
	rows := make([]uint16, len(t.Records))
	var ends []int64 // of the current lane's rows
	for i := range t.Records {
		rec := &t.Records[i]
		if i == 0 || t.Records[i-1].Lane != rec.Lane {
			ends = ends[:0]
		}
		row := 0
		for row < len(ends) && ends[row] > rec.Start {
			row++
		}
		if row == len(ends) && row < maxRows {
			ends = append(ends, 0)
		}
		row = min(row, maxRows-1)
		ends[row] = max(ends[row], rec.End)
		rows[i] = uint16(row)
	}
	return rows
}

// maxRows bounds the rows of one lane; what does not fit is drawn over the last one.
const maxRows = 64
