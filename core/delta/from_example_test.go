package delta_test

import (
	"errors"
	"fmt"
	"time"

	"chordsim/core/delta"
)

type exampleUser struct {
	Name  string            `json:"name"`
	Roles []string          `json:"roles,omitempty"`
	Since time.Time         `json:"since,omitzero"`
	Extra map[string]any    `json:"extra,omitempty"`
	Keys  map[string][]byte `json:"-"`
}

func ExampleFrom() {
	v, err := delta.From([]exampleUser{{Name: "ada", Roles: []string{"admin"}}, {Name: "bob", Since: time.Unix(0, 0).UTC()}})
	fmt.Println(v, err)

	_, err = delta.From([]exampleUser{{Name: "eve", Extra: map[string]any{"when": make(chan int)}}})
	var where *delta.GoError
	fmt.Println(errors.As(err, &where), where.Path, where.Type)
	// Output:
	// [{"name":"ada","roles":["admin"]},{"name":"bob","since":"1970-01-01T00:00:00Z"}] <nil>
	// true [0].Extra["when"] chan int
}

func ExampleTo() {
	v, err := delta.ParseJSON([]byte(`{"Name":"ada","roles":["admin"],"unknown":1}`))
	if err != nil {
		panic(err)
	}
	user, err := delta.To[exampleUser](v)
	fmt.Println(user.Name, user.Roles, err)

	_, err = delta.To[map[string]uint8](delta.Object(delta.Field{Key: "n", Value: delta.Int(256)}))
	fmt.Println(err)
	// Output:
	// ada [admin] <nil>
	// delta: no match of JSON and Go value: 256: ["n"]: uint8
}

func ExampleDiff() {
	old, err := delta.ParseJSON([]byte(`{"reply":"Hel","entries":[{"id":1},{"id":2}]}`))
	if err != nil {
		panic(err)
	}
	now, err := delta.ParseJSON([]byte(`{"reply":"Hello","entries":[{"id":1},{"id":2},{"id":3}]}`))
	if err != nil {
		panic(err)
	}
	for _, op := range delta.Diff(old, now) {
		fmt.Println(op)
	}
	// Output:
	// ["a",["reply"],"lo"]
	// ["p",["entries"],2,0,[{"id":3}]]
}
