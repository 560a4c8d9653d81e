package delta

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
)

// The types and values that conversions are compared with encoding/json over.

type (
	goColor  int // with a MarshalText of its own
	goSecret struct{ s string }
	goCents  int64 // with a MarshalJSON of the pointer
	goBadge  struct{ N int }
	goMute   int
	goShy    int
	goByte   byte
	goName   string
	goZero   struct{ N int }

	goBase  struct{ A, B int }
	goOther struct {
		B int
		C string `json:"c"`
	}
	goTagged struct {
		X int `json:"A"`
	}
	goDeep struct {
		goBase
		*goOther
		D goName `json:"d,omitempty"`
	}
	goCases struct {
		First  int `json:"A"`
		Second int `json:"a"`
		Third  int `json:"K"`
	}
	goTwins struct {
		goBase
		goOther
		goTagged
	}
	goNamed struct {
		goBase  `json:"base"`
		GoOuter `json:",omitempty"`
		goByte
		GoInt
	}
	GoOuter struct{ E any }
	GoInt   int
	goTree  struct {
		Name string             `json:"name"`
		Kids []*goTree          `json:"kids,omitempty"`
		By   map[string]*goTree `json:"by,omitempty"`
		Any  any                `json:"any,omitempty"`
	}
	goOptions struct {
		Skip   int `json:"-"`
		hidden int
		Empty  string         `json:",omitempty"`
		Zero   goBase         `json:"zero,omitzero"`
		When   time.Time      `json:"when,omitzero"`
		Own    goZero         `json:"own,omitzero"`
		OwnPtr *goZero        `json:"ownPtr,omitzero"`
		Quoted int64          `json:"quoted,string"`
		QPtr   *float64       `json:"qptr,string"`
		QText  string         `json:"q,string,omitempty"`
		QBool  bool           `json:",string"`
		QNum   json.Number    `json:"qnum,string"`
		Uni    int            `json:"日本,omitempty"`
		Map    map[goName]any `json:"map,omitempty"`
		Arr    [0]int         `json:"arr,omitempty"`
	}
	goWide struct {
		F00, F01, F02, F03, F04, F05, F06, F07, F08, F09, F10, F11 int `json:",omitempty"`
		F12, F13, F14, F15, F16, F17, F18, F19, F20, F21, F22, F23 int `json:",omitempty"`
		F24, F25, F26, F27, F28, F29, F30, F31, F32, F33, F34, F35 int `json:",omitempty"`
		F36, F37, F38, F39, F40, F41, F42, F43, F44, F45, F46, F47 int `json:",omitempty"`
		F48, F49, F50, F51, F52, F53, F54, F55, F56, F57, F58, F59 int `json:",omitempty"`
		F60, F61, F62, F63, F64, F65, F66, F67                     int `json:",omitempty"`
	}
)

func (c goColor) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "color-%d", int(c)), nil }
func (c *goColor) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "color-%d", (*int)(c))
	return err
}
func (s goSecret) MarshalJSON() ([]byte, error)  { return json.Marshal([]string{"secret", s.s}) }
func (s *goSecret) UnmarshalJSON(b []byte) error { s.s = "read " + string(b); return nil }
func (c *goCents) MarshalJSON() ([]byte, error)  { return fmt.Appendf(nil, "%d.5", *c), nil }
func (b *goBadge) MarshalText() ([]byte, error)  { return fmt.Appendf(nil, "badge %d", b.N), nil }
func (s goShy) MarshalText() ([]byte, error)     { return nil, fmt.Errorf("shy %d", s) }
func (goMute) MarshalJSON() ([]byte, error)      { return nil, errors.New("mute") }
func (goMute) UnmarshalJSON([]byte) error        { return errors.New("deaf") }
func (b goByte) MarshalText() ([]byte, error)    { return []byte{'b', 'a' + byte(b)%26}, nil }
func (z goZero) IsZero() bool                    { return z.N == 7 }
func goPtr[T any](x T) *T                        { return &x }
func goNil[T any]() *T                           { return nil }

// goValues are values of many types, most of which have JSON.
func goValues() []any {
	wide := goWide{F00: 1, F67: 2}
	full := goWide{}
	for i := range reflect.TypeOf(full).NumField() {
		reflect.ValueOf(&full).Elem().Field(i).SetInt(int64(i) + 1)
	}
	half := full
	for i := range 40 {
		reflect.ValueOf(&half).Elem().Field(i).SetInt(0)
	}
	when := time.Date(2026, 11, 30, 1, 2, 3, 4, time.UTC)
	return []any{
		nil, true, false, 0, 1, -1, 42, int8(-128), int16(32767), int32(-5), int64(1 << 52), int64(-1 << 63), int64(math.MaxInt64),
		uint(3), uint8(255), uint16(65535), uint32(1 << 31), uint64(1<<53 + 1), uint64(math.MaxUint64), uintptr(9),
		0.0, math.Copysign(0, -1), 0.1, 1.5, 1e21, 1e20, 1e-7, 5e-324, math.MaxFloat64, -2.25, 123456789.123,
		float32(0.1), float32(1.5), float32(16777216), float32(3.4e38), float32(1e-45), float32(1e-7), float32(1e21), float32(-33554434),
		math.NaN(), math.Inf(1), math.Inf(-1), float32(math.Inf(1)),
		"", "x", "hello, world", "ä", "日本語", "😀 and 👩‍👩‍👧", "a<b>&c", "\u2028\u2029", "\x00\x1f\x7f\"\\/\b\f\n\r\t", strings.Repeat("long ", 1000),
		strings.Repeat("😀", 3000), "bad \xff\xfe bytes", goName("named"), goName(""),
		[]byte(nil), []byte{}, []byte{0}, []byte("some bytes"), []goByte{1, 2}, []goName{"a"}, [3]byte{1, 2, 3}, [0]int{}, [2]string{"a", "b"},
		[]int(nil), []int{}, []int{1, 2, 3}, make([]int, 200), []any{1, "a", nil, []any{}, map[string]any{}}, []string{"x", "x", "y"}, [][]int{{1}, nil, {}},
		[]float32{0.1, 0.2}, []*int{goPtr(1), nil}, []any{goPtr("p"), goNil[int](), math.MaxInt64},
		map[string]int(nil), map[string]int{}, map[string]int{"b": 1, "a": 2, "": 3, "日": 4, "😀": 5}, map[int]string{10: "a", -2: "b", 9: "c"},
		map[uint8]bool{3: true}, map[goName]goName{"k": "v"}, map[goColor]int{3: 1, 20: 2}, map[string]any{"a": map[string]any{"b": []any{nil}}},
		map[netip.Addr]int{netip.MustParseAddr("::1"): 1, netip.MustParseAddr("10.0.0.1"): 2}, map[float64]int{1: 1}, map[bool]int{true: 1}, map[[2]int]int{},
		map[*goColor]int{nil: 1}, map[any]int{"x": 1},
		struct{}{}, goBase{1, 2}, &goBase{3, 4}, goOther{5, "c"}, goTagged{6}, goCases{1, 2, 3}, goDeep{}, goDeep{goBase: goBase{1, 2}, goOther: &goOther{3, "x"}, D: "d"},
		goTwins{goBase{1, 2}, goOther{3, "4"}, goTagged{5}}, goNamed{goBase: goBase{1, 2}, GoOuter: GoOuter{"e"}, goByte: 3, GoInt: 4},
		goTree{}, goTree{Name: "r", Kids: []*goTree{{Name: "k"}, nil}, By: map[string]*goTree{"x": {Name: "b", Any: goTree{Name: "any"}}}},
		goOptions{}, goOptions{Skip: 1, hidden: 3, Empty: "e", Zero: goBase{A: 1}, When: when, Own: goZero{1}, OwnPtr: &goZero{7}, Quoted: math.MaxInt64,
			QPtr: goPtr(1e-7), QText: "<q\"😀\u2028", QBool: true, QNum: "12.50", Uni: 5, Map: map[goName]any{"k": goName("v")}},
		goOptions{Own: goZero{7}, OwnPtr: &goZero{1}, QPtr: goPtr(math.Copysign(0, -1)), QNum: "0"},
		wide, full, half, &wide, oddTags(1),
		goColor(3), goPtr(goColor(4)), []goColor{5}, goNil[goColor](), goSecret{"s"}, &goSecret{"p"}, goCents(7), goPtr(goCents(8)), []goCents{9}, struct{ C goCents }{10},
		&struct{ C goCents }{11}, goBadge{1}, &goBadge{2}, []goBadge{{3}}, map[string]goBadge{"m": {4}}, [1]goBadge{{5}}, &[1]goBadge{{6}}, goMute(1), []goMute{1},
		when, &when, struct{ time.Time }{when}, 3 * time.Second, netip.MustParseAddrPort("[::1]:80"), big.NewInt(1 << 40), *big.NewFloat(1.5),
		json.Number("12"), json.Number(""), json.Number("1e3"), json.Number("x"), json.Number(" 1"), json.Number("[1]"), json.RawMessage(`{"a": [1, 2 ]}`), json.RawMessage(nil), json.RawMessage("{"),
		make(chan int), func() {}, complex(1, 2), (chan int)(nil), []chan int{}, []chan int{nil}, struct{ C chan int }{}, struct {
			C chan int `json:",omitempty"`
		}{}, struct{ F func() }{}, goNil[chan int](), (*any)(nil), goPtr[any](nil), goPtr[any](goPtr[any](3)), goPtr(goPtr(goPtr(5))), error(nil), fmt.Errorf("an error"),
		struct{ E error }{errors.New("x")}, struct{ M json.Marshaler }{}, struct{ M json.Marshaler }{goSecret{"i"}}, [1]any{}, struct{ A any }{goPtr(goBadge{3})},
	}
}

// oddTags returns a struct with tags that encoding/json takes in a way of its own.
func oddTags(n int) any {
	var fields []reflect.StructField
	for i, tag := range []reflect.StructTag{`json:"-,"`, `json:"b\"ad"`, `json:"no quote,string"`, `json:",unknown,omitempty"`, `json:" "`, `yaml:"x"`, `json`, `json:"x,"`} {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[[]int](), Tag: tag})
	}
	v := reflect.New(reflect.StructOf(fields)).Elem()
	v.Field(0).Set(reflect.ValueOf(make([]int, n)))
	return v.Interface()
}

// forgetPlans forgets the plans of the types that a test made, which no program would have.
func forgetPlans(t *testing.T) {
	known := goTypes.Load()
	t.Cleanup(func() { goTypes.Store(known) })
}

// goVariants returns a value in a pointer, a slice, an array, a map, an interface and a struct with each option.
func goVariants(x any) []any {
	if x == nil {
		return []any{x, []any{x}, map[string]any{"k": x}}
	}
	v := reflect.ValueOf(x)
	ptr := reflect.New(v.Type())
	ptr.Elem().Set(v)
	slice := reflect.Append(reflect.MakeSlice(reflect.SliceOf(v.Type()), 1, 2), v)
	array := reflect.New(reflect.ArrayOf(1, v.Type())).Elem()
	array.Index(0).Set(v)
	m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[string](), v.Type()))
	m.SetMapIndex(reflect.ValueOf("key"), v)
	all := []any{x, ptr.Interface(), slice.Interface(), array.Interface(), m.Interface(), []any{x, x}, map[string]any{"k": x}}
	for _, tag := range []string{``, `json:"n"`, `json:",omitempty"`, `json:",omitzero"`, `json:"q,string"`, `json:"-"`, `json:"<&>"`} {
		for _, t := range []reflect.Type{v.Type(), ptr.Type()} {
			s := reflect.New(reflect.StructOf([]reflect.StructField{
				{Name: "First", Type: reflect.TypeFor[int]()},
				{Name: "Field", Type: t, Tag: reflect.StructTag(tag)},
			}))
			all = append(all, s.Elem().Interface())
			if t == v.Type() {
				s.Elem().Field(1).Set(v)
			} else {
				s.Elem().Field(1).Set(ptr)
			}
			all = append(all, s.Elem().Interface(), s.Interface())
		}
	}
	return all
}
