import fc from 'fast-check';
import { HdrscopeError } from '../../src/errors.ts';
import type { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { toHex } from './bytes.ts';
import { slotsOf } from './recorded.ts';

/** One change to a sequence of bytes. */
type Mutation =
  | { readonly do: 'set' | 'insert'; readonly at: number; readonly byte: number }
  | { readonly do: 'delete' | 'cut' | 'repeat'; readonly at: number };

const byte = fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0xff));

export const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constantFrom('set' as const, 'insert' as const), at: fc.nat(), byte }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('delete' as const, 'cut' as const, 'repeat' as const),
        at: fc.nat(),
      }),
    },
  ),
  { minLength: 1, maxLength: 4 },
);

export function mutated(bytes: Uint8Array, changes: readonly Mutation[]): Uint8Array<ArrayBuffer> {
  let all = [...bytes];
  for (const change of changes) {
    if (all.length === 0) break;
    const at = change.at % all.length;
    if (change.do === 'set') all[at] = change.byte;
    else if (change.do === 'insert') all.splice(at, 0, change.byte);
    else if (change.do === 'delete') all.splice(at, 1);
    else if (change.do === 'cut') all = all.slice(0, at);
    else all = [...all, ...all.slice(at)];
  }
  return Uint8Array.from(all);
}

// 5 digits up to 2^63 - 1.
const MOST_SLOTS = 48 * 2 ** 17;

/** The decoded histogram; `undefined` when the bytes are refused as a wrong encoding. Any other error is a failure. */
export function readOrRefused<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof HdrscopeError && error.code === 'ERR_DECODE') return undefined;
    throw error;
  }
}

/** Throws unless counts, total, bounds and memory of a sparse histogram agree. */
export function assertConsistent({ counts, layout, totalCount }: Histogram | DoubleHistogram): void {
  let [sum, used, last] = [0, 0, -1];
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    sum += counts.at(slot);
    used++;
    last = slot;
  }
  assertThat(sum === totalCount && last === counts.last, 'its counts must sum to its total');
  assertThat(counts.length === layout.slotCount && counts.length <= MOST_SLOTS, 'its slots must be bounded');
  const most = 32 * counts.length + 1024 * used + 4096;
  assertThat(counts.byteLength <= most, 'its memory must be bounded');
}

/** Throws unless the encoding of the histogram is short and is read as an equal histogram. */
export function assertReadAgain(histogram: Histogram): void {
  const used = slotsOf(histogram).length;
  const encoding = histogram.encode();
  assertThat(encoding.buffer.byteLength === encoding.length, 'an encoding must have a buffer of its own');
  assertThat(encoding.length <= 41 + 18 * used, 'an encoding must take no more than its used slots do');
  const again = Histogram.decode(encoding, { storage: 'sparse' });
  assertThat(again.equals(histogram), 'what is encoded must be read as it was');
  if (used < 1000) {
    const json = Histogram.fromJSON(histogram.toJSON(), { storage: 'sparse' });
    assertThat(json.equals(histogram), 'what is made JSON must be read as it was');
  }
}

export function assertThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Decodes any bytes. They are refused as a wrong encoding, or they become a consistent histogram. */
export function decodeAnything(input: Uint8Array | string): Histogram | undefined {
  try {
    const histogram = readOrRefused(() => Histogram.decode(input, { storage: 'sparse' }));
    if (histogram !== undefined) {
      assertConsistent(histogram);
      assertReadAgain(histogram);
    }
    return histogram;
  } catch (cause) {
    throw new Error(`${(cause as Error).message}: ${describeInput(input)}`, { cause });
  }
}

export function describeInput(input: unknown): string {
  const text = input instanceof Uint8Array ? toHex(input) : JSON.stringify(input);
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}
