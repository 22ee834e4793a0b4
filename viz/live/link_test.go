package live

import (
	"slices"
	"testing"
)

func TestLink(t *testing.T) {
	for _, c := range []struct {
		env   map[string]string
		want  string
		hosts []string
	}{
		{nil, "http://127.0.0.1:81/?token=t", nil},
		{map[string]string{hubPrefix: "/user/me/"}, "/user/me/proxy/81/?token=t", nil},
		{
			map[string]string{hubPrefix: "/user/me/", hubURL: "https://Hub.example.org/"}, "/user/me/proxy/81/?token=t",
			[]string{"hub.example.org"},
		},
		{
			map[string]string{viewerURL: "https://box.example/p/%PORT%/", hubPrefix: "/user/me/", viewerHosts: "other.example, Third.example"},
			"https://box.example/p/81/?token=t", []string{"other.example", "third.example", "box.example"},
		},
	} {
		getenv := func(name string) string { return c.env[name] }
		if got := link(getenv, "http://127.0.0.1:81/?token=t", 81, "?token=t"); got != c.want {
			t.Errorf("%v: %s, wanted %s", c.env, got, c.want)
		}
		if hosts, err := Names(getenv); err != nil || !slices.Equal(hosts, c.hosts) {
			t.Errorf("%v: hosts %v, %v, wanted %v", c.env, hosts, err, c.hosts)
		}
	}
	if _, err := Names(func(string) string { return "http://[" }); err == nil {
		t.Error("an address that is none was taken")
	}
}
