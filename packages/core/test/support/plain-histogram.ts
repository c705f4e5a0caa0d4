import fc from 'fast-check';
import type { Histogram } from '../../src/histogram/histogram.ts';
import type { HdrLayout } from '../../src/layout/hdr.ts';
import { LARGEST, type Recording, recordings, values } from './values.ts';

export type Operation =
  | { readonly do: 'record'; readonly value: number; readonly count: number }
  | { readonly do: 'recordCorrected'; readonly value: number; readonly interval: number }
  | { readonly do: 'add' | 'subtract'; readonly recording: Recording }
  | { readonly do: 'reset' }
  | { readonly do: 'copy' }
  | { readonly do: 'decode' };

const count = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 2, arbitrary: fc.constantFrom(2 ** 32 - 1, 2 ** 32, 2 ** 45 + 1) },
  { weight: 1, arbitrary: fc.constantFrom(LARGEST, LARGEST - 5, 2 ** 52) },
);

export const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('record' as const), value: values(), count }) },
    {
      weight: 2,
      arbitrary: fc
        .record({ do: fc.constant('recordCorrected' as const), value: values(2 ** 42), steps: fc.nat(30) })
        .map(({ steps, ...rest }) => ({
          ...rest,
          interval: steps === 0 ? 0 : Math.ceil(rest.value / steps),
        })),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('add' as const, 'subtract' as const),
        recording: recordings(2 ** 41, 3),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('reset' as const, 'copy' as const, 'decode' as const) }),
    },
  ),
  { maxLength: 25 },
);

/** A histogram without optimisations: counts by slot in a map, totals as bigints. */
export class PlainHistogram {
  readonly #counts = new Map<number, bigint>();

  /** Whether a histogram that has counted this must accept the operation. */
  accepts(operation: Operation, { layout, autoResize }: Histogram): boolean {
    if (operation.do === 'reset' || operation.do === 'copy' || operation.do === 'decode') return true;
    const counted = countedBy(operation);
    if (operation.do === 'subtract') {
      return [...bySlot(counted, layout)].every(([slot, taken]) => (this.#counts.get(slot) ?? 0n) >= taken);
    }
    const fits = autoResize || counted.every(([value]) => layout.slotOf(value) < layout.slotCount);
    const sum = counted.reduce((total, [, times]) => total + BigInt(times), this.#total);
    return fits && sum <= BigInt(LARGEST);
  }

  /** `layout` may be wider than before, which leaves the numbers of slots as they are. */
  perform(operation: Operation, layout: HdrLayout): void {
    if (operation.do === 'reset') this.#counts.clear();
    if (operation.do === 'reset' || operation.do === 'copy' || operation.do === 'decode') return;
    for (const [slot, times] of bySlot(countedBy(operation), layout)) {
      const held = this.#counts.get(slot) ?? 0n;
      this.#counts.set(slot, operation.do === 'subtract' ? held - times : held + times);
    }
  }

  /** The used slots, ascending. */
  get slots(): [slot: number, count: number][] {
    const used = [...this.#counts].filter(([, held]) => held > 0n);
    return used.map(([slot, held]): [number, number] => [slot, Number(held)]).sort(([a], [b]) => a - b);
  }

  get total(): number {
    return Number(this.#total);
  }

  get #total(): bigint {
    return [...this.#counts.values()].reduce((sum, held) => sum + held, 0n);
  }
}

/** The values that an operation counts, or takes out, one by one. */
function countedBy(
  operation: Exclude<Operation, { readonly do: 'reset' | 'copy' | 'decode' }>,
): (readonly [value: number, count: number])[] {
  if (operation.do === 'record') return [[operation.value, operation.count]];
  if (operation.do !== 'recordCorrected') return [...operation.recording];
  const { value, interval } = operation;
  const counted: [number, number][] = [[value, 1]];
  if (interval > 0)
    for (let missing = value - interval; missing >= interval; missing -= interval) counted.push([missing, 1]);
  return counted;
}

function bySlot(counted: readonly (readonly [number, number])[], layout: HdrLayout): Map<number, bigint> {
  const slots = new Map<number, bigint>();
  for (const [value, times] of counted) {
    const slot = layout.slotOf(value);
    slots.set(slot, (slots.get(slot) ?? 0n) + BigInt(times));
  }
  return slots;
}
