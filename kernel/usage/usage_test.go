package usage

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

func TestUsage(t *testing.T) {
	var m Meter
	first, err := m.Read()
	if err != nil {
		t.Fatal(err)
	}
	if first.PID != os.Getpid() || first.Memory == 0 || first.CPUs < 1 || first.Hostname == "" || first.Host.Total < first.Memory || first.Host.Available == 0 {
		t.Errorf("got %+v", first)
	}
	// What a child holds counts. It says that it holds it, and ends with its input.
	child := exec.Command("sh", "-c", "held=$(head -c 30000000 /dev/zero | tr '\\0' x); echo ready; read end; echo ${#held} >/dev/null")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 6)
	if _, err := out.Read(line); err != nil || !bytes.Equal(line, []byte("ready\n")) {
		t.Fatalf("the child says %q (%v)", line, err)
	}
	second, err := m.Read()
	if err != nil {
		t.Fatal(err)
	}
	if second.Memory < first.Memory+25_000_000 {
		t.Errorf("with a child of 30 MB there are %d bytes in use, before %d", second.Memory, first.Memory)
	}
	if second.CPU < 0 || second.HostCPU < 0 || second.HostCPU > 100 {
		t.Errorf("got %+v", second)
	}
	in.Close()
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	last, err := m.Read()
	if err != nil || last.Memory > second.Memory-20_000_000 {
		t.Errorf("after the child's end %d bytes are in use (%v), before %d", last.Memory, err, second.Memory)
	}
}
