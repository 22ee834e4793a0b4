package live

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// The environment's say in how a browser reaches a server.
const (
	viewerURL   = "WEFT_VIEWER_URL"   // its address behind a proxy, with %PORT% for the port
	viewerHosts = "WEFT_VIEWER_HOSTS" // names of proxies, with commas in between
	hubPrefix   = "JUPYTERHUB_SERVICE_PREFIX"
	hubURL      = "JUPYTERHUB_PUBLIC_URL"
)

// Names are the hosts that the environment allows, for ServeOptions.Hosts.
func Names(getenv func(string) string) ([]string, error) {
	var hosts []string
	for _, name := range strings.Split(getenv(viewerHosts), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			hosts = append(hosts, name)
		}
	}
	for _, variable := range []string{viewerURL, hubURL} {
		u, err := url.Parse(strings.ReplaceAll(getenv(variable), "%PORT%", "0"))
		if err != nil {
			return nil, fmt.Errorf("%s=%q: %w; want an address such as https://hub.example.org/user/me/proxy/%%PORT%%/", variable, getenv(variable), err)
		}
		if u.Host != "" {
			hosts = append(hosts, strings.ToLower(u.Hostname()))
		}
	}
	return hosts, nil
}

// Link is the address that a browser opens: URL, or one by way of the proxy that the environment speaks of. On a
// JupyterHub it begins with a slash: jupyter-server-proxy forwards PREFIX/proxy/PORT/ of the page's own host.
func (s *Server) Link(getenv func(string) string) string {
	return link(getenv, s.URL(), s.Port(), s.Query())
}

func link(getenv func(string) string, direct string, port int, query string) string {
	template := getenv(viewerURL)
	if prefix := getenv(hubPrefix); template == "" && prefix != "" {
		template = strings.TrimSuffix(prefix, "/") + "/proxy/%PORT%/"
	}
	if template == "" {
		return direct
	}
	return strings.TrimSuffix(strings.ReplaceAll(template, "%PORT%", strconv.Itoa(port)), "/") + "/" + query
}
