import type { ProtobufWriter } from '@hdrscope/kit';
import { spansOf } from './native.ts';

// A tag holds the number of a field and its wire type.
export const varint = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => field << 3;
export const fixed64 = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => (field << 3) | 1;
export const delimited = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => (field << 3) | 2;

// The parts that native histograms have in both of Prometheus' messages: those of a scrape and those of remote write.
const SPAN_OFFSET = varint(1);
const SPAN_LENGTH = varint(2);

/**
 * Writes the used buckets of one side as spans and deltas.
 *
 * @param spanTag The tag of the field for spans; `deltasTag` that for deltas.
 */
export function writeSide(
  writer: ProtobufWriter,
  offset: number,
  counts: readonly number[],
  spanTag: number,
  deltasTag: number,
): void {
  const { length, offsets, lengths, starts } = spansOf(offset, counts);
  for (let i = 0; i < length; i++) {
    writer.uint32(spanTag).fork();
    writer.uint32(SPAN_OFFSET).sint32(offsets[i]!);
    writer.uint32(SPAN_LENGTH).uint32(lengths[i]!);
    writer.join();
  }
  if (length === 0) return;
  writer.uint32(deltasTag).fork();
  let previous = 0;
  for (let i = 0; i < length; i++) {
    const end = starts[i]! + lengths[i]!;
    for (let at = starts[i]!; at < end; at++) {
      const count = counts[at]!;
      writeDelta(writer, count - previous);
      previous = count;
    }
  }
  writer.join();
}

/** Writes a `uint64`. A value of 32 bits has the same bytes as a `uint32`, which is ten times as fast. */
export function writeCount(writer: ProtobufWriter, count: number): void {
  if (count <= 0xffff_ffff) writer.uint32(count);
  else writer.uint64(count);
}

/** Writes a `sint64`, a value of 32 bits as the faster `sint32`. */
function writeDelta(writer: ProtobufWriter, delta: number): void {
  if (delta === (delta | 0)) writer.sint32(delta);
  else writer.sint64(delta);
}
