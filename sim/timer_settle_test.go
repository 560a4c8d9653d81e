package sim

import (
	"testing"

	"chordsim/core/base"
)

// TestSettleWaitsForNoTimerThatWasStopped has timers end in every way in which one may, and wants the world to settle as soon as
// nothing is left that does anything.
func TestSettleWaitsForNoTimerThatWasStopped(t *testing.T) {
	const hour = base.Time(base.Hour)
	for _, c := range []struct {
		name string
		do   func(*clockwork)
		want base.Time // when all is settled
	}{
		{"stopped", func(k *clockwork) { k.timer.Set(hour); k.timer.Stop() }, 10},
		{"stopped twice", func(k *clockwork) { k.timer.Set(hour); k.timer.Stop(); k.timer.Stop() }, 10},
		{"never", func(k *clockwork) { k.timer.Set(hour); k.timer.Set(base.Never) }, 10},
		{"earlier", func(k *clockwork) { k.timer.Set(hour); k.timer.Set(20) }, 20},
		{"earlier, and stopped", func(k *clockwork) { k.timer.Set(hour); k.timer.Set(20); k.timer.Stop() }, 10},
		{"stopped, and set to the same", func(k *clockwork) { k.timer.Set(30); k.timer.Stop(); k.timer.Set(30) }, 30},
		{"stopped, and set later", func(k *clockwork) { k.timer.Set(20); k.timer.Stop(); k.timer.Set(30) }, 30},
		{"stopped, and set earlier", func(k *clockwork) { k.timer.Set(hour); k.timer.Stop(); k.timer.Set(20) }, 20},
		{"of a life that is over", func(k *clockwork) { k.timer.Set(hour); k.world.Crash(k.host, 0) }, 10},
		{"a watch that was stopped", func(k *clockwork) {
			watch := k.host.life.NewWatch(func() {})
			watch.Set(hour)
			watch.Stop()
			watch.Set(2 * hour)
		}, 10},
	} {
		k := newClockwork(t, Cost{})
		k.at(10, func() { c.do(k) })
		if err := k.world.Settle(base.Minute); err != nil || k.world.Now() != c.want {
			t.Errorf("%s: settled at %v, want %v; %v", c.name, k.world.Now(), c.want, err)
		}
		if err := k.world.RunUntil(3 * hour); err != nil {
			t.Fatal(err)
		}
		if n := k.world.watching; n != 0 || k.world.queue.Len() != 0 {
			t.Errorf("%s: %d events watch, of %d", c.name, n, k.world.queue.Len())
		}
	}
}
