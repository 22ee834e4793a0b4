package workspace

import (
	"sync"

	cudadriver "weft/cuda/driver"
	"weft/install/flags"
)

// SettingError is a mistake in the settings: of the user's, and no failure of weft's.
type SettingError struct{ Err error }

func (e *SettingError) Error() string { return e.Err.Error() }
func (e *SettingError) Unwrap() error { return e.Err }

// settings are what the user asked for, kept until the machine starts and after. The viewer's goroutines and queries
// read them.
type settings struct {
	mu  sync.Mutex
	env map[string]string // what Python says that the environment is now
	configured
}

// configured is what words said.
type configured struct {
	flags flags.Settings
	rest  []string
	read  bool // the flags have been parsed

	warm *cudadriver.Warmth // contexts of GPUs, made while the program imports its modules; nil where there are none
}

// SetEnvironment notes a variable of the environment as Python has it, which may be another than the process began
// with.
func (s *Workspace) SetEnvironment(name, value string) {
	s.settings.mu.Lock()
	defer s.settings.mu.Unlock()
	if s.settings.env == nil {
		s.settings.env = map[string]string{}
	}
	s.settings.env[name] = value
}

// Getenv returns it.
func (s *Workspace) Getenv(name string) string { return s.settings.getenv(name) }

// Flags returns the settings that hold.
func (s *Workspace) Flags() flags.Settings { return s.settings.now().flags }

func (s *settings) getenv(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.env[name]
}

func (s *settings) now() configured {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.configured
}

func (s *settings) set(c configured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.configured = c
}

// load reads the flags of the environment and the configuration file, if none have been read.
func (s *settings) load() error {
	if s.now().read {
		return nil
	}
	_, err := s.parse(nil)
	return err
}

// parse reads flags, and returns the words that are no flags of weft's.
func (s *settings) parse(words []string) (rest []string, err error) {
	words, rest, err = flags.Split(words)
	if err != nil {
		return nil, err
	}
	parsed, err := flags.Load(words, s.getenv)
	if err != nil {
		return nil, err
	}
	s.cool()
	c := configured{flags: parsed, rest: rest, read: true}
	if parsed.GPUs > 0 && !parsed.Emulate {
		c.warm = cudadriver.Warm(parsed.GPUs)
	}
	s.set(c)
	return rest, nil
}

// warmed waits for the contexts that parse has begun to make.
func (s *settings) warmed() { s.now().warm.Wait() }

// cool gives up what parse has begun to make: the devices have it, or do without. It waits until it is made.
func (s *settings) cool() {
	c := s.now()
	c.warm.Leave()
	c.warm = nil
	s.set(c)
}

// revert goes back to what held before a call of parse that led to nothing, and gives up what that has begun to make.
func (s *settings) revert(before configured) {
	if s.now().warm != before.warm {
		s.cool()
	}
	s.set(before)
}
