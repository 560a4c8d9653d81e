package part

import (
	"bytes"
	stdflate "compress/flate"
	"io"
	"testing"
)

const benchBytes = 500_000

// BenchmarkDeflate deflates prose JSON, and reports how many times smaller it gets. The standard library's row has the
// same level, one writer, and no size in front.
func BenchmarkDeflate(b *testing.B) {
	raw := prose(benchBytes, "bench")
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(benchBytes)
		b.ReportAllocs()
		var d Deflater
		buf := make([]byte, 0, benchBytes)
		for b.Loop() {
			buf, _ = d.Append(buf[:0], raw)
		}
		b.ReportMetric(float64(benchBytes)/float64(len(buf)), "ratio")
	})
	b.Run("std", func(b *testing.B) {
		b.SetBytes(benchBytes)
		b.ReportAllocs()
		var buf bytes.Buffer
		w, err := stdflate.NewWriter(&buf, stdflate.BestSpeed)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			buf.Reset()
			w.Reset(&buf)
			_, _ = w.Write(raw)
			_ = w.Close()
		}
		b.ReportMetric(float64(benchBytes)/float64(buf.Len()), "ratio")
	})
	b.Run("noise", func(b *testing.B) {
		raw := noise(benchBytes, "bench")
		b.SetBytes(benchBytes)
		b.ReportAllocs()
		var d Deflater
		buf := make([]byte, 0, benchBytes)
		for b.Loop() {
			buf, _ = d.Append(buf[:0], raw)
		}
	})
}

// BenchmarkInflate inflates prose JSON that this package deflated.
func BenchmarkInflate(b *testing.B) {
	in, ok := new(Deflater).Append(nil, prose(benchBytes, "bench"))
	if !ok {
		b.Fatal("prose is not deflated")
	}
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(benchBytes)
		b.ReportAllocs()
		var i Inflater
		for b.Loop() {
			_, _ = i.Inflate(in, benchBytes)
		}
	})
	b.Run("std", func(b *testing.B) {
		b.SetBytes(benchBytes)
		b.ReportAllocs()
		_, stream, _ := split(in)
		source := bytes.NewReader(stream)
		r := stdflate.NewReader(source)
		for b.Loop() {
			source.Reset(stream)
			_ = r.(stdflate.Resetter).Reset(source, nil)
			_, _ = io.ReadFull(r, make([]byte, benchBytes))
		}
	})
	b.Run("smallest", func(b *testing.B) {
		in, _ := new(Deflater).Append(nil, prose(Threshold+1, "bench"))
		b.SetBytes(Threshold + 1)
		var i Inflater
		for b.Loop() {
			_, _ = i.Inflate(in, benchBytes)
		}
	})
	// Blocks with tables and nothing in them take the most time for a byte of input. Such a part is found to lie at its end.
	b.Run("empty blocks", func(b *testing.B) {
		var in bitWriter
		for in.n < 8*16_000 {
			in.tables(false, codes{256: 1}, 257, codes{29: 1}, 30).code(0, 1)
		}
		part := withSize(uint64(in.n), in.stored(true, "").b)
		b.SetBytes(int64(len(part)))
		var i Inflater
		for b.Loop() {
			_, _ = i.Inflate(part, benchBytes)
		}
	})
}
