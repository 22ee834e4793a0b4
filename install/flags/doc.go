// Package flags is the one table of the flags that choose what weft runs on. The command
// line of weft run, of the kernel and of %weft_config, and the environment variables
// WEFT_ARGS, LEGATE_CONFIG and LEGATE_ARGS are all read by it, so that a flag means the
// same everywhere.
//
//	s, err := flags.Load([]string{"--gpus", "4", "--emulate"}, os.Getenv)
//
// A later source overrides an earlier one flag by flag: LEGATE_ARGS, LEGATE_CONFIG,
// WEFT_ARGS, command line. Within one source the last mention wins. Values may stand
// behind the flag as a word of their own or after an equals sign.
//
// Nothing is guessed: an unknown flag is an error that names the nearest known one, a bad
// value is an error that names what is allowed. Only in the variables that belong to
// Legate, flags that Legate knows and weft does not are let through and listed in
// Settings.Ignored, so that programs made for Legate start unchanged.
//
// The package must not know what is done with the settings: whether the GPUs exist and the
// memory suffices is found out where devices are started. It reads neither files nor
// the environment; callers hand it a function like os.Getenv.
package flags
