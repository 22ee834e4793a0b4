package main

import (
	"fmt"
	"strings"

	"weft/cuda/driver"
	"weft/install"
	"weft/install/flags"
)

// installation is what the options of "weft install" have set.
type installation struct {
	spec   install.Spec
	place  install.Place
	placed string // the option that said where
	remove bool
	force  bool // also for GPUs that are not here
}

func installCommand() command {
	in := installation{place: install.Place{Kind: install.User}}
	return command{
		name: "install", args: "[OPTIONS] [-- FLAGS]", about: "install the Jupyter kernel, or remove it",
		options: []option{
			{"--user", "", "for all environments of this user; where nothing else is said", in.put("--user", install.User)},
			{"--sys-prefix", "", "for the environment alone that has weft", in.put("--sys-prefix", install.Prefix)},
			{"--prefix", "P", "below the folder P, in share/jupyter/kernels", in.put("--prefix", install.Prefix)},
			{"--name", "N", "Jupyter's name of it; weft by default", isText(&in.spec.Name)},
			{"--display-name", "D", "its name in menus; Python (weft) by default", isText(&in.spec.DisplayName)},
			{"--env", "NAME=VALUE", "an environment variable of its kernels; may be given several times", in.setEnv},
			{"--force", "", "also for GPUs that this machine has not: for one that has, with the same files", isSet(&in.force)},
			{"--remove", "", "remove it from where it was installed with the same options", isSet(&in.remove)},
		},
		notes: `
FLAGS become those of every kernel that is started from it, and give it a name of its own, so that several can be installed:

  weft install --user                              "Python (weft)"
  weft install --user -- --gpus 4 --emulate        "Python (weft, 4 GPUs, emulated)"
  weft install --user --remove -- --gpus 4 --emulate

` + flags.Help(),
		run: in.run,
	}
}

// put makes the option that says where to install. One of them only may be given.
func (in *installation) put(option string, kind install.Kind) func(string) error {
	return func(path string) error {
		if in.placed != "" {
			return fmt.Errorf("%s has been given as well; want one of them", in.placed)
		}
		in.placed = option
		in.place = install.Place{Kind: kind, Path: path}
		return nil
	}
}

func (in *installation) setEnv(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return fmt.Errorf("got %q, want NAME=VALUE", text)
	}
	if in.spec.Env == nil {
		in.spec.Env = map[string]string{}
	}
	in.spec.Env[name] = value
	return nil
}

// run writes the kernelspec, or takes it away.
func (in *installation) run(words []string) error {
	if err := in.takeFlags(words); err != nil {
		return err
	}
	python, err := findPython()
	if err != nil {
		return err
	}
	in.spec.Python = python
	if in.placed == "--sys-prefix" {
		if in.place.Path, err = install.SysPrefix(python); err != nil {
			return err
		}
	}
	if in.remove {
		dir, removed, err := install.Remove(in.spec.Name, in.place)
		if err != nil {
			return err
		}
		fmt.Println(either(removed, "removed the kernel from", "there is no kernel in"), dir)
		return nil
	}
	if in.spec.Debugger, err = install.HasDebugger(python); err != nil {
		return err
	}
	dir, changed, err := install.Write(in.spec, in.place)
	if err != nil {
		return err
	}
	fmt.Println(either(changed, "installed the kernel in", "already installed in"), dir)
	return nil
}

// takeFlags makes words the flags of the kernel and names it after them: Python (weft, 4 GPUs, emulated). A kernel that
// would fail at its first array is installed only by force; one from earlier can be removed all the same.
func (in *installation) takeFlags(words []string) error {
	if err := flags.Check(words); err != nil {
		return usagef("install: %v", err)
	}
	asked, err := flags.Load(words, func(name string) string { return in.spec.Env[name] })
	if err != nil {
		return usagef("install: %v", err)
	}
	if !in.remove && !in.force {
		if err := asked.Available(driver.Found); err != nil {
			return usagef("install: %v; --force installs it all the same", err)
		}
	}
	in.spec.Flags = words
	title := asked.Title()
	if title == "" {
		return nil
	}
	if in.spec.DisplayName == "" && in.spec.Name == "" {
		in.spec.DisplayName = "Python (weft, " + title + ")"
	}
	if in.spec.Name == "" {
		in.spec.Name = install.DefaultName + "-" + strings.NewReplacer(", ", "-", " ", "-").Replace(strings.ToLower(title))
	}
	return nil
}

func either(yes bool, one, other string) string {
	if yes {
		return one
	}
	return other
}
