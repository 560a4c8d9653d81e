// Random JSON documents and changes to them, by seed. What a program does to a tracked document, and the values that two
// implementations are most likely to read differently.

// Keys that mean something to JavaScript, look like indexes, or are no UTF-8. The reserved ones are legal inside values; no
// change walks through them.
const KEYS = [
	"a", "b", "xs", "text", "entries", "", "0", "00", "-1", "1e3", "1", "2", "01", "4294967294", "4294967295", "9007199254740993",
	"toString", "length", "hasOwnProperty", "日本", "😀", "\ud83d", "\ude00", "a\u0000b", "\u2028", "\"\\",
];
const RESERVED = ["__proto__", "constructor", "prototype"];
const NUMBERS = [
	0, -0, 1, -1, 7, 0.1, -1.5, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 1e20, 1e21, 1e-6, 1e-7, 5e-324, 2 ** -1022, Number.MAX_VALUE,
	123456789012345680000, 4.35, Math.PI,
];
const FRAGMENTS = [
	"", "a", "line\n", " tok", "the quick brown fox ", "é", "e\u0301", "日本語", "😀", "\ud83d", "\ude00", "\ude00\ud83d", "👩\u200d👩\u200d👧", "🇩🇪",
	"\u0000", "\u001f", "\u007f", "\"", "\\", "\ufeff", "\ufffd", "\uffff", "\u2028", "</script>",
];

/** A generator of 32-bit draws (mulberry32): the same on every version of Node. */
export class Draws {
	constructor(seed) {
		this.state = seed >>> 0;
	}
	next() {
		this.state = (this.state + 0x6d2b79f5) >>> 0;
		let z = this.state;
		z = Math.imul(z ^ (z >>> 15), z | 1);
		z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
		return (z ^ (z >>> 14)) >>> 0;
	}
	below(n) {
		return this.next() % n;
	}
	oneIn(n) {
		return this.below(n) === 0;
	}
	pick(list) {
		return list[this.below(list.length)];
	}
	text() {
		let s = "";
		for (let n = this.below(6); n > 0; n--) s += this.pick(FRAGMENTS);
		return this.oneIn(20) ? s + "x".repeat(this.below(3000)) : s;
	}
	key() {
		return this.pick(KEYS);
	}
	/** A value of at most depth levels. */
	value(depth) {
		if (this.oneIn(200)) return this.chain(this.below(100));
		switch (this.below(depth > 0 ? 8 : 5)) {
			case 0:
				return this.pick([null, true, false]);
			case 1:
				return this.oneIn(2) ? this.pick(NUMBERS) : this.below(1000) / 4;
			case 2:
			case 3:
			case 4:
				return this.text();
			case 5:
			case 6:
				return Array.from({ length: this.below(6) }, () => this.value(depth - 1));
		}
		const object = {};
		for (let n = this.below(6); n > 0; n--) define(object, this.oneIn(12) ? this.pick(RESERVED) : this.key(), this.value(depth - 1));
		return object;
	}
	/** A value of n containers, each in the other. */
	chain(n) {
		let value = this.text();
		for (; n > 0; n--) value = this.oneIn(2) ? [value] : { [this.key()]: value };
		return value;
	}
	/** A root: an object, or now and then a list. */
	document() {
		if (this.oneIn(5)) return Array.from({ length: this.below(6) }, () => this.value(3));
		return { ...define({}, this.key(), this.value(3)), text: this.text(), xs: [1, 2, 3, this.value(2)], entries: [{ id: "e0", text: "" }], o: {} };
	}
}

// As JSON.parse does it: an assignment to __proto__ would set the prototype.
function define(object, key, value) {
	return Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Changes state, a draft or a tracked proxy, at one random place. Assigning undefined deletes only where undefinedDeletes is
 * set. No object comes to be at two places: of such documents the tracker's own replica loses changes.
 */
export function change(draws, state, undefinedDeletes) {
	let at = state;
	while (!draws.oneIn(3)) {
		const inside = Object.keys(at).filter((key) => !RESERVED.includes(key) && typeof at[key] === "object" && at[key] !== null);
		if (inside.length === 0) break;
		at = at[draws.pick(inside)];
	}
	if (Array.isArray(at)) changeList(draws, at);
	else changeObject(draws, at, undefinedDeletes);
}

function changeObject(draws, object, undefinedDeletes) {
	const there = Object.keys(object).filter((key) => !RESERVED.includes(key));
	const texts = there.filter((key) => typeof object[key] === "string");
	const key = there.length > 0 ? draws.pick(there) : draws.key();
	switch (draws.below(8)) {
		case 0:
			object[draws.key()] = draws.value(3);
			return;
		case 1:
			object[key] = draws.value(2);
			return;
		case 2:
			if (undefinedDeletes && draws.oneIn(2)) object[key] = undefined;
			else delete object[key];
			return;
		case 3:
			object[key] = draws.text();
			return;
	}
	if (texts.length === 0) {
		object[draws.key()] = draws.text();
		return;
	}
	const text = draws.pick(texts);
	if (draws.oneIn(3)) object[text] = object[text].slice(draws.below(object[text].length + 1)) + draws.text();
	else object[text] += draws.text();
}

function changeList(draws, list) {
	const index = draws.below(list.length + 1);
	switch (draws.below(12)) {
		case 0:
			list.push(draws.value(2), draws.value(1));
			return;
		case 1:
			list.pop();
			return;
		case 2:
			list.shift();
			return;
		case 3:
			list.unshift(draws.value(1));
			return;
		case 4:
			list.splice(index, draws.below(3), ...Array.from({ length: draws.below(3) }, () => draws.value(1)));
			return;
		case 5:
			list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
			return;
		case 6:
			list.reverse();
			return;
		case 7:
			list.fill(draws.text(), index);
			return;
		case 8:
			if (list.every((item) => typeof item !== "object")) list.copyWithin(0, index);
			return;
		case 9:
			list.length = draws.below(list.length + 1);
			return;
		case 10: // a shift of the whole
			if (list.length > 1) list.push(list.shift());
			return;
	}
	list[index] = draws.value(2);
}
