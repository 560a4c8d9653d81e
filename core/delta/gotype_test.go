package delta

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// goRound has no field that JSON cannot hold exactly: what becomes a value comes back as it was.
type goRound struct {
	B    bool           `json:"b"`
	I    int32          `json:"i,omitempty"`
	U    uint64         `json:"u,string"`
	F    float64        `json:"f"`
	F32  float32        `json:"f32,omitzero"`
	S    string         `json:"s"`
	Raw  []byte         `json:"raw"`
	L    []string       `json:"l"`
	P    *goRound       `json:"p,omitempty"`
	M    map[string]int `json:"m"`
	K    map[int16]bool `json:"k"`
	A    [2]int8        `json:"a"`
	Any  any            `json:"any"`
	Kids []goRound      `json:"kids,omitempty"`
	V    Value          `json:"v"`
	T    Text           `json:"t"`
	*GoPoint
}

// GoPoint is exported, so that a pointer to it that is embedded can be made.
type GoPoint struct{ X, Y int }

func drawRound(t *rapid.T, depth int) goRound {
	x := goRound{
		B: rapid.Bool().Draw(t, "b"), I: rapid.Int32().Draw(t, "i"), U: rapid.Uint64().Draw(t, "u"),
		F: rapid.Float64().Draw(t, "f"), F32: rapid.Float32().Draw(t, "f32"), S: rapid.String().Draw(t, "s"),
		A: [2]int8{rapid.Int8().Draw(t, "a"), 1}, V: modelValue(drawModel(t, 2)), T: TextFromUTF16(drawUnits(t, 5)),
	}
	if rapid.Bool().Draw(t, "containers") {
		x.Raw = rapid.SliceOf(rapid.Byte()).Draw(t, "raw")
		x.L = rapid.SliceOf(rapid.String()).Draw(t, "l")
		x.M = rapid.MapOf(rapid.String(), rapid.IntRange(-1<<53, 1<<53)).Draw(t, "m")
		x.K = rapid.MapOf(rapid.Int16(), rapid.Bool()).Draw(t, "k")
		x.Any = rapid.SampledFrom([]any{nil, true, 1.5, "x", []any{nil, "y"}, map[string]any{"k": []any{}}}).Draw(t, "any")
		x.GoPoint = &GoPoint{rapid.IntRange(-9, 9).Draw(t, "x"), 2}
	}
	if depth > 0 {
		for range rapid.IntRange(0, 2).Draw(t, "kids") {
			x.Kids = append(x.Kids, drawRound(t, depth-1))
		}
		if rapid.Bool().Draw(t, "pointer") {
			inner := drawRound(t, depth-1)
			x.P = &inner
		}
	}
	return x
}

// sameRound compares by JSON, which tells -0 from 0 no more than the value does, and by the fields that it does not
// show.
func sameRound(t *rapid.T, got, want goRound) {
	g, err := From(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := From(want)
	if err != nil || !g.Equal(w) {
		t.Fatalf("got %v, want %v (%v)", g, w, err)
	}
	if math.Float32bits(got.F32) != math.Float32bits(want.F32) && want.F32 != 0 || got.U != want.U || !reflect.DeepEqual(got.L, want.L) ||
		!reflect.DeepEqual(got.M, want.M) || !reflect.DeepEqual(got.K, want.K) || string(got.Raw) != string(want.Raw) || (got.Raw == nil) != (want.Raw == nil) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

func TestFromToRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawRound(t, 2)
		v, err := From(x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := To[goRound](v)
		if err != nil {
			t.Fatalf("%v from %v", err, v)
		}
		sameRound(t, got, x)
		// The same by way of the text.
		parsed, err := ParseJSON(AppendJSON(nil, v))
		if err != nil || !parsed.Equal(v) || parsed.Hash() != v.Hash() {
			t.Fatalf("%v is not %v (%v)", parsed, v, err)
		}
	})
}

// TestAnyRound takes any value to Go and back: what is lost is the order of fields and surrogates without another half.
func TestAnyRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawPlain(t, 3)
		x, err := To[any](v)
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(AppendJSON(nil, v), &want); err != nil || !reflect.DeepEqual(x, want) {
			t.Fatalf("got %v, want %v (%v)", x, want, err)
		}
		if back, err := FromGo(x); err != nil || !back.Equal(v) {
			t.Fatalf("%v became %v (%v)", v, back, err)
		}
	})
}

func TestFloat32Round(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float32frombits(rapid.Uint32().Draw(t, "bits"))
		if f != f || math.IsInf(float64(f), 0) {
			return
		}
		v, err := From(f)
		got, err2 := To[float32](v)
		if err != nil || err2 != nil || got != f {
			t.Fatalf("%v became %v and %v (%v, %v)", f, v, got, err, err2)
		}
	})
}

// TestPlansAreShared converts on several goroutines at once, each of which meets the types in an order of its own. It
// is the race detector's to find what is wrong.
func TestPlansAreShared(t *testing.T) {
	forgetPlans(t)
	values := goValues()
	var want []string
	for _, x := range values {
		v, err := FromGo(x)
		want = append(want, fmt.Sprint(v, err))
	}
	for range 5 {
		goTypes.Store(nil)
		const hosts = 4
		var plans [hosts]*goType
		var shapes [hosts]*Keys
		var wait sync.WaitGroup
		for host := range hosts {
			wait.Go(func() {
				for i := range values {
					i = (i*(2*host+1) + host*31) % len(values)
					v, err := FromGo(values[i])
					if got := fmt.Sprint(v, err); got != want[i] {
						t.Errorf("%T: got %s, want %s", values[i], got, want[i])
					}
					if err == nil && values[i] != nil {
						v.Decode(reflect.New(reflect.TypeOf(values[i])).Interface())
					}
				}
				plans[host] = planOf(reflect.TypeFor[goDeep]())
				v, err := From(goBase{1, 2})
				if err != nil {
					t.Error(err)
				}
				shapes[host] = v.Shape()
			})
		}
		wait.Wait()
		for host := range hosts {
			if plans[host] != plans[0] {
				t.Errorf("host %d has another plan", host)
			}
			if shapes[host] != shapes[0] || shapes[host].Len() != 2 {
				t.Errorf("host %d has other keys", host)
			}
		}
	}
}

// TestPlansAreBounded fills the table of plans: types beyond it are converted all the same.
func TestPlansAreBounded(t *testing.T) {
	forgetPlans(t)
	full := map[reflect.Type]*goType{}
	for i := range maxGoTypes - 3 {
		full[reflect.ArrayOf(i, reflect.TypeFor[uint8]())] = &goType{}
	}
	goTypes.Store(&full)
	for i := range 5 {
		x := reflect.New(reflect.ArrayOf(i, reflect.TypeFor[goBase]())).Interface()
		if v, err := FromGo(x); err != nil || v.Len() != i {
			t.Errorf("got %v (%v)", v, err)
		}
		if n := len(*goTypes.Load()); n > maxGoTypes {
			t.Errorf("%d plans are kept", n)
		}
	}
}
