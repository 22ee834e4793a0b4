package wire

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// Connection is the content of a connection file: where the sockets are and the key
// that both sides sign with. A port of 0 stands for "choose one".
type Connection struct {
	ShellPort       int    `json:"shell_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	ControlPort     int    `json:"control_port"`
	HBPort          int    `json:"hb_port"`
	IP              string `json:"ip"` // for ipc, the prefix of the sockets' paths
	Key             string `json:"key"`
	Transport       string `json:"transport"`
	SignatureScheme string `json:"signature_scheme"`
	KernelName      string `json:"kernel_name,omitempty"`
	// The key pair of the CURVE mechanism, in Z85; both or neither. The client makes it, and hands it to who may
	// connect.
	CurvePublicKey string `json:"curve_publickey,omitempty"`
	CurveSecretKey string `json:"curve_secretkey,omitempty"`
}

// Curve is the key pair of an encrypted connection, or nil.
func (c *Connection) Curve() (*CurveKeys, error) {
	if c.CurvePublicKey == "" && c.CurveSecretKey == "" {
		return nil, nil
	}
	keys := &CurveKeys{}
	for _, k := range []struct {
		name, text string
		key        *[32]byte
	}{{"curve_publickey", c.CurvePublicKey, &keys.Public}, {"curve_secretkey", c.CurveSecretKey, &keys.Secret}} {
		var err error
		if *k.key, err = parseKey(k.text); err != nil {
			return nil, fmt.Errorf("%s is no key: %w", k.name, err) // and is not told: it is secret
		}
	}
	if keys.Public != publicOf(keys.Secret) {
		return nil, fmt.Errorf("curve_publickey does not belong to curve_secretkey")
	}
	return keys, nil
}

// ReadConnection reads the file that a client has written.
func ReadConnection(path string) (*Connection, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := ParseConnection(data)
	if err != nil {
		return nil, fmt.Errorf("connection file %s: %w", path, err)
	}
	return c, nil
}

// ParseConnection reads the content of a connection file and checks it.
func ParseConnection(data []byte) (*Connection, error) {
	var shape struct {
		RegistrationPort *int `json:"registration_port"`
	}
	c := &Connection{Transport: "tcp", SignatureScheme: "hmac-sha256"}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &shape); err == nil && shape.RegistrationPort != nil {
		return nil, fmt.Errorf("it asks for the registration handshake, which this kernel does not have; let the client write the ports")
	}
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return nil, fmt.Errorf("transport is %q, wanted \"tcp\" or \"ipc\"", c.Transport)
	}
	if c.SignatureScheme != "hmac-sha256" {
		return nil, fmt.Errorf("signature_scheme is %q, wanted \"hmac-sha256\"", c.SignatureScheme)
	}
	if c.IP == "" {
		return nil, fmt.Errorf("ip is missing")
	}
	if c.Transport == "tcp" && net.ParseIP(c.IP) == nil && c.IP != "localhost" {
		return nil, fmt.Errorf("ip is %q, wanted an address such as 127.0.0.1", c.IP)
	}
	if _, err := c.Curve(); err != nil {
		return nil, err
	}
	for _, p := range c.ports() {
		if *p.port < 1 || *p.port > 65535 {
			return nil, fmt.Errorf("%s_port is %d, wanted 1 to 65535", p.name, *p.port)
		}
	}
	return c, nil
}

type namedPort struct {
	name string
	port *int
}

func (c *Connection) ports() []namedPort {
	return []namedPort{
		{"shell", &c.ShellPort}, {"iopub", &c.IOPubPort}, {"stdin", &c.StdinPort},
		{"control", &c.ControlPort}, {"hb", &c.HBPort},
	}
}

// Listener gives the network and address of one socket, for Options.
func (c *Connection) Listener(port int) (network, address string) {
	if c.Transport == "ipc" {
		return "unix", c.IP + "-" + strconv.Itoa(port)
	}
	return "tcp", net.JoinHostPort(c.IP, strconv.Itoa(port))
}

// NewConnection is what a kernel started without a file uses: the loopback, free
// ports, and a random key of 32 bytes.
func NewConnection() *Connection {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails: crypto/rand ends the process instead
	return &Connection{
		IP: "127.0.0.1", Transport: "tcp", SignatureScheme: "hmac-sha256",
		Key: hex.EncodeToString(key[:]),
	}
}

// Create writes the file for clients to find. It must not exist yet, and only its
// owner may read it: a process that has the key can run code in the kernel.
func (c *Connection) Create(path string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(data, '\n')); err != nil {
		_ = f.Close()
		_ = os.Remove(path)
		return err
	}
	return f.Close()
}

// RuntimeDir is where Jupyter's programs look for connection files.
func RuntimeDir() (string, error) {
	if dir := os.Getenv("JUPYTER_RUNTIME_DIR"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return filepath.Join(dir, "runtime"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "jupyter", "runtime"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no directory for the connection file: %w; set JUPYTER_RUNTIME_DIR", err)
	}
	return filepath.Join(home, ".local", "share", "jupyter", "runtime"), nil
}
