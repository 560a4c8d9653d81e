// The other side of the interoperation tests of core/delta: reads one JSON request a line from stdin and writes one JSON
// answer a line to stdout. A request is {"do": …} with its arguments:
//
//   start  {value}            a replica begins at value, with a fresh decoder and encoder
//   batch  {wire}             the replica takes a batch: {ops, wire, value}, the ops as decoded and as encoded again
//   judge  {base, text, form, history}
//                             whether a batch (JSON text; form: wire or ops) is taken on base, by a decoder that read the
//                             wire batches of history before: {value} or {refused}
//   track  {seed}             a document and its changes by the package's tracker: the first batch
//   produce {seed}            the same by its copy-on-write draft and its diff of two revisions
//   change                    the next batch of the document: {ops, wire, value}
//
// "refused" is a verdict; "error" means that this script or the package failed where it should not.
import { apply, applyImmutable, decoder, encoder, track } from "@earendil-works/chord/delta";
import { change, Draws } from "./documents.mjs";

// Not among the package's entries, so addressed as files. Its tracker never permutes; this is what does.
const inside = (path) => import(new URL(`./node_modules/@earendil-works/chord/dist/${path}`, import.meta.url));
const { produce } = await inside("state/draft.js");
const { diffRevisions } = await inside("state/diff.js");

// Above this many characters of JSON a document is replaced by a new one.
const LARGE = 4096;

const copy = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** JSON with keys in sorted order, to compare values without regard to it. */
function canonical(value) {
	if (value === null || typeof value !== "object") return JSON.stringify(value);
	if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
	const fields = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
	return `{${fields.join()}}`;
}

let replica;

function start({ value }) {
	replica = { value, mutable: copy(value), decoder: decoder(), encoder: encoder() };
	return { value };
}

function batch({ wire }) {
	const ops = replica.decoder.decode(wire);
	const again = replica.encoder.encode(ops);
	const before = replica.value;
	const text = JSON.stringify(before);
	replica.value = applyImmutable(before, ops);
	replica.mutable = apply(replica.mutable, copy(ops));
	if (JSON.stringify(before) !== text) throw new Error("applyImmutable changed the value that it was given");
	if (canonical(replica.mutable) !== canonical(replica.value)) throw new Error(`apply gives ${JSON.stringify(replica.mutable)}`);
	return { ops, wire: again, value: replica.value };
}

function judge({ base, text, form, history }) {
	const before = JSON.stringify(base);
	const reader = decoder();
	for (const wire of history ?? []) reader.decode(wire);
	try {
		const parsed = JSON.parse(text);
		const ops = form === "wire" ? reader.decode(parsed) : parsed;
		const value = applyImmutable(base, ops);
		return { value: value === undefined ? null : value };
	} catch (refusal) {
		if (JSON.stringify(base) !== before) throw new Error("a refused batch changed the value");
		return { refused: `${refusal.name}: ${refusal.message}` };
	}
}

/** A document by the tracker. */
class Tracked {
	constructor(draws) {
		this.draws = draws;
		this.tracker = track(draws.document());
	}
	next() {
		if (JSON.stringify(this.tracker.target).length > LARGE || this.draws.oneIn(100)) this.tracker.state = this.draws.document();
		else if (this.draws.oneIn(60)) this.tracker.rebase();
		for (let n = this.draws.below(6); n > 0; n--) change(this.draws, this.tracker.state, true);
		return this.tracker.flush();
	}
	get value() {
		return this.tracker.target;
	}
}

/** A document by drafts. */
class Produced {
	constructor(draws) {
		this.draws = draws;
	}
	next() {
		const before = this.value;
		if (before === undefined || JSON.stringify(before).length > LARGE) {
			this.value = copy(this.draws.document());
			return [["r", this.value]];
		}
		this.value = produce(before, (draft) => {
			for (let n = this.draws.below(6); n > 0; n--) change(this.draws, draft, false);
		});
		return diffRevisions(before, this.value);
	}
}

let stream;

function begin(document) {
	stream = { document, encoder: encoder(), replica: undefined };
	return next();
}

function next() {
	const ops = copy(stream.document.next());
	const wire = stream.encoder.encode(ops);
	stream.replica = applyImmutable(stream.replica, ops);
	if (canonical(stream.replica) !== canonical(stream.document.value)) {
		throw new Error(`the package disagrees with itself: ${JSON.stringify(ops)} does not lead to ${JSON.stringify(stream.document.value)}`);
	}
	return { ops, wire, value: stream.replica };
}

const requests = {
	start,
	batch,
	judge,
	track: ({ seed }) => begin(new Tracked(new Draws(seed))),
	produce: ({ seed }) => begin(new Produced(new Draws(seed))),
	change: next,
};

function answer(line) {
	try {
		const request = JSON.parse(line);
		return requests[request.do](request);
	} catch (failure) {
		return { error: String(failure.stack) };
	}
}

// Not by node:readline, which ends a line at U+2028 too.
let rest = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) {
	const lines = (rest + chunk).split("\n");
	rest = lines.pop();
	for (const line of lines) process.stdout.write(`${JSON.stringify(answer(line))}\n`);
}
