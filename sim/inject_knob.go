package sim

import (
	"fmt"
	"slices"
	"strconv"

	"chordsim/core/wire"
	"chordsim/faults"
	"chordsim/sim/events"
)

// worldKnob is a knob that every world has.
type worldKnob struct {
	name string
	get  func(*Config) string
	set  func(c *Config, value string)
}

// number makes a knob of a number in a configuration.
func number(name string, field func(*Config) *int) worldKnob {
	return worldKnob{name,
		func(c *Config) string { return strconv.Itoa(*field(c)) },
		func(c *Config, value string) { *field(c), _ = strconv.Atoi(value) },
	}
}

var worldKnobs = []worldKnob{
	number("window", func(c *Config) *int { return &c.Limits.WindowMessages }),
	number("window-bytes", func(c *Config) *int { return &c.Limits.WindowBytes }),
	number("chunk", func(c *Config) *int { return &c.Limits.ChunkBytes }),
	number("bulk", func(c *Config) *int { return &c.Limits.BulkBytes }),
	number("bulk-slots", func(c *Config) *int { return &c.Limits.BulkSlots }),
	number("small-run", func(c *Config) *int { return &c.Limits.SmallRun }),
	number("ack", func(c *Config) *int { return &c.Limits.AckChunks }),
	number("running", func(c *Config) *int { return &c.Limits.RunningCalls }),
	number("queued", func(c *Config) *int { return &c.Limits.QueuedCalls }),
	number("offload", func(c *Config) *int { return &c.OffloadOver }),
	{
		"deflate",
		func(c *Config) string { return map[bool]string{false: "off", true: "on"}[c.Deflate] },
		func(c *Config, value string) { c.Deflate = value == "on" },
	},
	{
		"codec",
		func(c *Config) string { return c.Codec.String() },
		func(c *Config, value string) {
			c.Codec = wire.Binary
			if value == wire.Text.String() {
				c.Codec = wire.Text
			}
		},
	},
	{
		"strategy",
		func(c *Config) string { return c.Strategy.String() },
		func(c *Config, value string) { c.Strategy, _ = events.ParseStrategy(value) },
	},
}

func findWorldKnob(name string) (worldKnob, bool) {
	i := slices.IndexFunc(worldKnobs, func(k worldKnob) bool { return k.name == name })
	if i < 0 {
		return worldKnob{}, false
	}
	return worldKnobs[i], true
}

// Apply sets the configuration's fields to the knobs of a plan. Knobs that worlds do not have are the scenario's to read
// from the plan: see [World.Takes].
func (c *Config) Apply(p faults.Plan) error {
	for _, k := range p.Knobs {
		if err := k.Validate(); err != nil {
			return fmt.Errorf("sim: %w", err)
		}
		if known, ok := findWorldKnob(k.Name); ok {
			known.set(c, k.Value)
		}
	}
	return nil
}

// Takes says that the scenario has knobs of its own and has set them to what the plan says, so that a plan with them can be
// injected.
func (w *World) Takes(knobs ...string) { w.inject.takes = append(w.inject.takes, knobs...) }

// hasKnobs says which knob of a plan the world was made without.
func (w *World) hasKnobs(knobs []faults.Knob) error {
	for _, k := range knobs {
		known, ok := findWorldKnob(k.Name)
		switch {
		case !ok && !slices.Contains(w.inject.takes, k.Name):
			return fmt.Errorf("sim: the knob `%s`: nothing in this world has it", k)
		case ok && known.get(&w.cfg) != k.Value:
			return fmt.Errorf("sim: the knob `%s`: the world was made with %s; apply the plan to its configuration first", k, known.get(&w.cfg))
		}
	}
	return nil
}
