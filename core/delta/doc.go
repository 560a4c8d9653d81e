// Package delta holds JSON values that never change, and the small changes that lead from one to the next.
//
// A [Value] is immutable. [Apply] makes a new one out of a value and a batch of ops, and shares all that the ops do not
// touch: an append, a field, a splice in the middle cost O(log n) or less, in containers of any size. Text is a sequence of
// UTF-16 units, as in JavaScript, whose peers read and write the same ops in the same JSON form.
//
// The life of a change: a [Draft] on the current value records what a program does to it and commits a new value and
// its batch. Where the batch can leave at once, a [WireEncoder] writes it and the [WireDecoder] of the other side reads it. Where
// it cannot, a [Fold] takes it and those that follow, and gives them as one change later.
//
//	d := delta.NewDraft(doc)
//	err := d.At("reply").Append(" tok")
//	doc, ops := d.Commit()
//	replica, err = delta.Apply(replica, ops)
//
// Nothing here depends on the time, on chance or on the order of a map: the same calls give the same bytes on every machine.
// Values may be shared by goroutines. Drafts, folds, encoders and decoders belong to one.
package delta
