"""What recording costs, and how fast what was recorded can be looked at: make bench-prof."""
