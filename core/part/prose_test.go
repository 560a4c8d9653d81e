package part

import (
	"fmt"
	"strings"

	"chordsim/core/base"
)

// words is what the prose of the tests is made of: the first are drawn more often, as in a language.
var words = strings.Fields(`the of and a to in is it that was for on are with as at be this have from or had by not but what all were we when
your can said there use an each which she do how their if will up other about out many then them these so some her would make like him into
time has look two more write go see number no way could people my than first water been call who oil its now find long down day did get come
made may part over new sound take only little work know place year live me back give most very after thing our just name good sentence man
think say great where help through much before line right too mean old any same tell boy follow came want show also around form three small
set put end does another well large must big even such because turn here why ask went men read need land different home us move try kind hand
picture again change off play spell air away animal house point page letter mother answer found study still learn should world`)

// prose returns n bytes of a JSON document with entries of a conversation, the same for the same n and label.
func prose(n int, label string) []byte {
	draw := base.NewRand(1).Stream("prose", label)
	b := make([]byte, 0, n+1024)
	b = append(b, `{"entries":[`...)
	for id := uint64(1); len(b) < n; id++ {
		b = fmt.Appendf(b, `{"id":"e%08x","at":%d,"author":"%s","text":"`, draw.At(id)>>32, 1700000000000+id*7919, words[draw.Below(9)])
		for range 20 + draw.Below(80) {
			most := draw.Below(uint64(len(words))) + 1
			b = append(b, words[draw.Below(most)]...)
			b = append(b, ' ')
		}
		b = append(b, `."},`...)
	}
	return b[:n]
}

// noise returns n bytes that nothing makes smaller, the same for the same n and label.
func noise(n int, label string) []byte {
	draw := base.NewRand(1).Stream("noise", label)
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(draw.Next() >> 56)
	}
	return b
}
