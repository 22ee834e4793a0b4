package main

import (
	"fmt"
	"strings"

	"weft/install"
	"weft/install/flags"
)

// installKernel writes the kernelspec, or takes it away. What stands after "--" becomes the flags of every
// kernel that is started from it, and gives it a name of its own: Python (weft, 4 GPUs).
func installKernel(args []string) error {
	var spec install.Spec
	place := install.Place{Kind: install.User}
	sysPrefix, placed, remove := false, false, false
	put := func(kind install.Kind, path string) error {
		if placed {
			return usagef("install: --user, --sys-prefix and --prefix exclude each other")
		}
		placed = true
		place = install.Place{Kind: kind, Path: path}
		return nil
	}
	for i := 0; i < len(args); i++ {
		name := args[i]
		value := func() (string, error) {
			i++
			if i >= len(args) {
				return "", usagef("install: %s needs a value", name)
			}
			return args[i], nil
		}
		var err error
		switch name {
		case "--user":
			err = put(install.User, "")
		case "--sys-prefix":
			sysPrefix = true
			err = put(install.Prefix, "")
		case "--prefix":
			var path string
			if path, err = value(); err == nil {
				err = put(install.Prefix, path)
			}
		case "--name":
			spec.Name, err = value()
		case "--display-name":
			spec.DisplayName, err = value()
		case "--env":
			var text string
			if text, err = value(); err == nil {
				name, value, ok := strings.Cut(text, "=")
				if !ok || name == "" {
					err = usagef("install: --env: got %q, want NAME=VALUE", text)
					break
				}
				if spec.Env == nil {
					spec.Env = map[string]string{}
				}
				spec.Env[name] = value
			}
		case "--remove":
			remove = true
		case "--":
			spec.Flags = args[i+1:]
			i = len(args)
		default:
			err = usagef("install: unknown option %q; want --user, --sys-prefix, --prefix P, --name N, --display-name D, --env NAME=VALUE, --remove, or -- FLAGS", name)
		}
		if err != nil {
			return err
		}
	}
	if err := flags.Check(spec.Flags); err != nil {
		return err
	}
	asked, err := flags.Load(spec.Flags, func(name string) string { return spec.Env[name] })
	if err != nil {
		return err
	}
	if title := asked.Title(); title != "" {
		if spec.DisplayName == "" && spec.Name == "" {
			spec.DisplayName = "Python (weft, " + title + ")"
		}
		if spec.Name == "" {
			spec.Name = install.DefaultName + "-" + strings.NewReplacer(", ", "-", " ", "-").Replace(strings.ToLower(title))
		}
	}
	python, err := findPython()
	if err != nil {
		return err
	}
	spec.Python = python
	if sysPrefix {
		if place.Path, err = install.SysPrefix(python); err != nil {
			return err
		}
	}
	if remove {
		dir, removed, err := install.Remove(spec.Name, place)
		if err != nil {
			return err
		}
		if removed {
			fmt.Println("removed the kernel from", dir)
		} else {
			fmt.Println("there is no kernel in", dir)
		}
		return nil
	}
	if spec.Debugger, err = install.HasDebugger(python); err != nil {
		return err
	}
	dir, changed, err := install.Write(spec, place)
	if err != nil {
		return err
	}
	if changed {
		fmt.Println("installed the kernel in", dir)
	} else {
		fmt.Println("already installed in", dir)
	}
	return nil
}
