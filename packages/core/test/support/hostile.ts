import fc from 'fast-check';
import type { Storage } from '../../src/counts/counts.ts';
import { HdrscopeError } from '../../src/errors.ts';
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

/**
 * Decodes what may be no encoding. Either it is refused as such, or it is a histogram, which then must be one: sums
 * that agree, and an encoding that is read again.
 */
export function decodeAnything(
  input: Uint8Array | string,
  storage: Storage = 'sparse',
): Histogram | undefined {
  let histogram: Histogram;
  try {
    histogram = Histogram.decode(input, { storage });
  } catch (error) {
    if (error instanceof HdrscopeError && error.code === 'ERR_DECODE') return undefined;
    throw new Error(`must be decoded or refused with ERR_DECODE: ${describe(input)}`, { cause: error });
  }
  const sum = slotsOf(histogram).reduce((total, [, count]) => total + count, 0);
  if (sum !== histogram.totalCount) throw new Error(`must sum to its total: ${describe(input)}`);
  // An encoder makes room for every slot: a few bytes can ask for 55 MB.
  if (histogram.counts.last > 100_000) return histogram;
  const encoding = histogram.encode();
  if (toHex(Histogram.decode(encoding, { storage }).encode()) !== toHex(encoding)) {
    throw new Error(`must be read again as it was: ${describe(input)}`);
  }
  return histogram;
}

function describe(input: Uint8Array | string): string {
  return typeof input === 'string' ? JSON.stringify(input) : toHex(input);
}
