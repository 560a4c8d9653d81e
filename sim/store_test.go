package sim_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"chordsim/sim"

	"pgregory.net/rapid"
)

// contents reads all of a host's store.
func contents(h *sim.Host) map[string]string {
	all := map[string]string{}
	for _, k := range h.Store().Keys() {
		v, _ := h.Store().Get(k)
		all[k] = string(v)
	}
	return all
}

// A crash leaves the store as it was at some time since the last Sync, never a mixture.
func TestStoreKeepsAPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := sim.New(sim.Config{Seed: rapid.Uint64().Draw(t, "seed")})
		h := w.Host("h")
		now := map[string]string{}
		since := []map[string]string{{}} // states since the last sync
		for i := range rapid.IntRange(0, 30).Draw(t, "steps") {
			key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				h.Store().Sync()
				since = since[len(since)-1:]
				continue
			case 1:
				h.Store().Delete(key)
				delete(now, key)
			default:
				now[key] = fmt.Sprint(i)
				h.Store().Put(key, []byte(now[key]))
			}
			since = append(since, maps.Clone(now))
		}
		if !maps.Equal(contents(h), now) || h.Store().Unsynced() != len(since)-1 {
			t.Fatalf("has %v with %d changes to be synced, want %v, %d", contents(h), h.Store().Unsynced(), now, len(since)-1)
		}
		percent := rapid.SampledFrom([]int{0, 40, 100}).Draw(t, "percent")
		loss := w.Crash(h, percent)
		w.Restart(h)
		kept := len(since) - 1 - int(loss.Writes)
		if !maps.Equal(contents(h), since[kept]) || h.Toll().WritesLost != loss.Writes || h.Store().Unsynced() != 0 {
			t.Fatalf("%d lost: has %v, want %v", loss.Writes, contents(h), since[kept])
		}
		if percent == 0 && kept != 0 || percent == 100 && loss.Writes != 0 {
			t.Fatalf("keeps %d of %d at %d%%", kept, len(since)-1, percent)
		}
		w.Crash(h, 0)
		w.Restart(h)
		if !maps.Equal(contents(h), since[kept]) {
			t.Fatal("what a crash kept is not durable")
		}
	})
}

// The share is drawn for each crash of each host, and comes near what was asked for.
func TestStoreKeepsAShare(t *testing.T) {
	w := sim.New(sim.Config{Seed: 1})
	var kept []int64
	for _, name := range []string{"a", "b"} {
		h := w.Host(name)
		for range 2 {
			for i := range 10_000 {
				if err := h.Store().Put(fmt.Sprint(i), nil); err != nil {
					t.Fatal(err)
				}
			}
			n := 10_000 - w.Crash(h, 40).Writes
			if n < 3_800 || n > 4_200 || slices.Contains(kept, n) {
				t.Errorf("%d of 10,000 are kept, want about 4,000; before: %v", n, kept)
			}
			kept = append(kept, n)
			w.Restart(h)
		}
	}
}

func TestStoreHasLimits(t *testing.T) {
	w := sim.New(sim.Config{})
	h := w.Host("h")
	s := h.Store()
	half := make([]byte, sim.MaxStore/2-1)
	put := func(key string, want error) {
		t.Helper()
		if err := s.Put(key, half); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	put("a", nil)
	put("b", nil)
	put("a", nil) // in place of the other
	put("c", sim.ErrStoreFull)
	if err := s.Delete("a"); err != nil {
		t.Error(err)
	}
	put("c", nil)
	for range sim.MaxUnsynced {
		if err := s.Delete("a"); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Unsynced(); n != sim.MaxUnsynced {
		t.Errorf("%d changes wait, want %d", n, sim.MaxUnsynced)
	}
	w.Crash(h, 0)
	w.Restart(h)
	if keys := h.Store().Keys(); !slices.Equal(keys, []string{"b", "c"}) {
		t.Errorf("kept %q: the oldest changes were to be written back", keys)
	}
}

func TestStoreKeepsCopies(t *testing.T) {
	h := sim.New(sim.Config{}).Host("h")
	value := []byte("one")
	if err := h.Store().Put("k", value); err != nil {
		t.Fatal(err)
	}
	value[0] = 'x'
	got, ok := h.Store().Get("k")
	if string(got) != "one" || !ok {
		t.Errorf("%q, %v", got, ok)
	}
	got[0] = 'y'
	if again, _ := h.Store().Get("k"); string(again) != "one" {
		t.Errorf("%q", again)
	}
	if _, ok := h.Store().Get("none"); ok {
		t.Error("a key that nobody wrote")
	}
}

// A change is kept by a draw below the percentage, and not by one at it: none of 0%, all of 100%.
func TestStoreKeepsWhatIsDrawn(t *testing.T) {
	for _, keep := range []int{-1, 0, 1, 50, 99, 100} {
		w := sim.New(sim.Config{Seed: 7})
		h, want := w.Host("h"), int64(2000)
		draws := w.Rand().Stream("crash", "h", "1")
		for i := range 2000 {
			if err := h.Store().Put(fmt.Sprint(i), nil); err != nil {
				t.Fatal(err)
			}
			if draws.Below(100) < uint64(max(keep, 0)) {
				want--
			}
		}
		lost := w.Crash(h, keep).Writes
		if lost != want || keep <= 0 && lost != 2000 || keep == 100 && lost != 0 {
			t.Errorf("of 2,000 changes %d are lost of %d%%, want %d", lost, keep, want)
		}
	}
}
