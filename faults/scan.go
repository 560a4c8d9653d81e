package faults

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is what a token is.
type tokenKind uint8

const (
	tokenWord   tokenKind = iota // anything up to a space, a brace or a quote
	tokenName                    // in quotes
	tokenBrace                   // { or }
	tokenEnd                     // of a line
	tokenFinish                  // of the text
	tokenBad                     // what no token begins with
)

// token is a piece of the text of a plan.
type token struct {
	kind   tokenKind
	text   string // of a name, what is between the quotes; of a bad one, what it is
	line   int
	column int
	glued  bool // nothing is between it and the token before
}

// found says what the token is, for an error.
func (t *token) found() string {
	switch t.kind {
	case tokenEnd:
		return "the end of the line"
	case tokenFinish:
		return "the end of the text"
	case tokenBad:
		return t.text
	}
	return strconv.Quote(clip(t.text))
}

// scanner cuts a text into tokens.
type scanner struct {
	rest         string
	line, column int
	glued        bool
}

// scan returns the tokens of a text; the last one is its end, or what is bad in it.
func scan(text string) []token {
	s := &scanner{rest: text, line: 1, column: 1}
	var list []token
	for {
		t := s.next()
		list = append(list, t)
		if t.kind == tokenFinish || t.kind == tokenBad {
			return list
		}
	}
}

// next returns the next token.
func (s *scanner) next() token {
	s.blank()
	t := token{line: s.line, column: s.column, glued: s.glued}
	s.glued = true
	if s.rest == "" {
		t.kind = tokenFinish
		return t
	}
	switch r, size := utf8.DecodeRuneInString(s.rest); {
	case r == '\n':
		t.kind = tokenEnd
		s.rest, s.line, s.column, s.glued = s.rest[1:], s.line+1, 1, false
	case r == '{' || r == '}':
		t.kind, t.text = tokenBrace, string(r)
		s.take(size)
	case r == '"':
		s.quoted(&t)
	default:
		end := strings.IndexFunc(s.rest, func(r rune) bool { return !wordRune(r) })
		if end < 0 {
			end = len(s.rest)
		}
		if end == 0 {
			t.kind, t.text = tokenBad, badRune(r, s.rest[0])
			break
		}
		t.kind, t.text = tokenWord, s.rest[:end]
		s.take(end)
	}
	return t
}

// quoted reads a name in quotes.
func (s *scanner) quoted(t *token) {
	whole, err := strconv.QuotedPrefix(s.rest)
	if err != nil {
		t.kind, t.text = tokenBad, "a name without its closing quote"
		if line, _, _ := strings.Cut(s.rest[1:], "\n"); strings.Contains(line, `"`) {
			t.kind, t.text = tokenBad, "a name in quotes that are no Go string"
		}
		return
	}
	name, err := strconv.Unquote(whole)
	if err != nil {
		t.kind, t.text = tokenBad, "a name in quotes that are no Go string"
		return
	}
	t.kind, t.text = tokenName, name
	s.take(len(whole))
}

// blank skips spaces and a comment.
func (s *scanner) blank() {
	for s.rest != "" {
		r, size := utf8.DecodeRuneInString(s.rest)
		if r == '#' && !s.glued {
			end := strings.IndexByte(s.rest, '\n')
			if end < 0 {
				end = len(s.rest)
			}
			s.take(end)
			return
		}
		if r == '\n' || !unicode.IsSpace(r) {
			return
		}
		s.take(size)
		s.glued = false
	}
}

// take passes over bytes of a line.
func (s *scanner) take(size int) {
	s.column += utf8.RuneCountInString(s.rest[:size])
	s.rest = s.rest[size:]
}

func wordRune(r rune) bool {
	return r != '{' && r != '}' && r != '"' && r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.IsSpace(r)
}

func badRune(r rune, first byte) string {
	if r == utf8.RuneError {
		return "the byte 0x" + strconv.FormatUint(uint64(first), 16) + ", which is no UTF-8"
	}
	return "the character " + strconv.QuoteRune(r)
}
