package sim

import (
	"errors"
	"maps"
	"slices"
)

// MaxStore is how many bytes of keys and values a host's store takes.
const MaxStore = 64 << 20

// MaxUnsynced is how many changes of a store wait to be synced. A further one has the oldest written back first, as an
// operating system does.
const MaxUnsynced = 1 << 16

// ErrStoreFull is what a change of a store returns that would take it over [MaxStore]. It changed nothing.
var ErrStoreFull = errors.New("sim: the store is full")

// Store is the durable bytes of a host, by key, as one life of it sees them. A crash keeps all that was synced and, of
// the rest, the first so and so many changes; see [World.Crash]. What a life asks for that is over is not done.
type Store struct{ life *life }

// disk is what stays of a host.
type disk struct {
	synced  map[string][]byte // as it is after any crash
	written map[string][]byte // as it is read
	pending []change          // that lead from synced to written, oldest first
	bytes   int               // of written
}

// change is a key with its new value, or without one.
type change struct {
	key    string
	value  []byte
	delete bool
}

// Store returns the host's store.
func (h *Host) Store() *Store { return h.life.store }

// Get returns a value and whether there is one. It belongs to the caller.
func (s *Store) Get(key string) ([]byte, bool) {
	v, ok := s.life.host.disk.written[key]
	return slices.Clone(v), ok
}

// Keys lists the keys, sorted.
func (s *Store) Keys() []string { return slices.Sorted(maps.Keys(s.life.host.disk.written)) }

// Put writes a value, of which it keeps a copy. It is durable after the next Sync.
func (s *Store) Put(key string, value []byte) error {
	return s.write(change{key: key, value: append([]byte{}, value...)})
}

// Delete takes a key away. That is durable after the next Sync.
func (s *Store) Delete(key string) error { return s.write(change{key: key, delete: true}) }

// Sync makes all that was written durable. It takes no time.
func (s *Store) Sync() {
	if s.life.over {
		return
	}
	d := &s.life.host.disk
	for _, c := range d.pending {
		c.apply(d.synced)
	}
	d.pending = d.pending[:0]
}

// Unsynced returns how many changes a crash could lose.
func (s *Store) Unsynced() int { return len(s.life.host.disk.pending) }

func (s *Store) write(c change) error {
	d := &s.life.host.disk
	s.life.host.read.acted = s.life.host.read.times > 0
	if s.life.over {
		s.life.host.toll.WritesLost++
		return nil
	}
	bytes := d.bytes - d.size(c.key)
	if !c.delete {
		bytes += len(c.key) + len(c.value)
	}
	if bytes > MaxStore {
		return ErrStoreFull
	}
	if len(d.pending) == MaxUnsynced {
		d.pending[0].apply(d.synced)
		d.pending = slices.Delete(d.pending, 0, 1)
	}
	d.pending = append(d.pending, c)
	c.apply(d.written)
	d.bytes = bytes
	return nil
}

// size returns the bytes that a key takes with its value.
func (d *disk) size(key string) int {
	v, ok := d.written[key]
	if !ok {
		return 0
	}
	return len(key) + len(v)
}

func (c *change) apply(to map[string][]byte) {
	if c.delete {
		delete(to, c.key)
		return
	}
	to[c.key] = c.value
}

// crash keeps the first changes of those that were not synced, and returns how many are lost.
func (d *disk) crash(keep int) (lost int) {
	lost = len(d.pending) - keep
	for _, c := range d.pending[:keep] {
		c.apply(d.synced)
	}
	d.pending = nil
	d.written = maps.Clone(d.synced)
	d.bytes = 0
	for _, key := range slices.Sorted(maps.Keys(d.written)) {
		d.bytes += d.size(key)
	}
	return lost
}
