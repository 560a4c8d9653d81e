package netsim

import (
	"fmt"

	"chordsim/faults/linkmodel"
	"chordsim/sim/events"
)

// Bottleneck is a rate that directions of any links share, max-min fair: see [linkmodel.Bottleneck]. A link is put behind
// one with [Config.UpVia] or [Config.DownVia]; both of its directions may be behind the same one.
type Bottleneck struct {
	name  string
	queue *events.Queue
	model *linkmodel.Bottleneck
}

// NewBottleneck makes a bottleneck of a rate in bytes per second, from 1 to [linkmodel.MaxBottleneckRate].
func NewBottleneck(queue *events.Queue, name string, rate int64) (*Bottleneck, error) {
	model, err := linkmodel.NewBottleneck(rate)
	if err != nil {
		return nil, fmt.Errorf("netsim: bottleneck %s: %w", name, err)
	}
	return &Bottleneck{name: name, queue: queue, model: model}, nil
}

// Name returns the bottleneck's name, Rate its rate in bytes per second.
func (b *Bottleneck) Name() string { return b.name }
func (b *Bottleneck) Rate() int64  { return b.model.Rate() }

// SetRate gives the bottleneck another rate from now on.
func (b *Bottleneck) SetRate(bytesPerSecond int64) error {
	if err := b.model.SetRate(b.queue.Now(), bytesPerSecond); err != nil {
		return fmt.Errorf("netsim: bottleneck %s: %w", b.name, err)
	}
	return nil
}

// join puts a direction behind the bottleneck.
func (b *Bottleneck) join(d *direction) error {
	d.shared = true
	if err := b.model.Join(d.model, d.reschedule); err != nil {
		return fmt.Errorf("bottleneck %s: %w", b.name, err)
	}
	return nil
}
