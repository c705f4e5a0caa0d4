import { createRegistry, type Registry, type Series } from '@hdrscope/registry';
import fc from 'fast-check';
import {
  convertSnapshot,
  type ExpositionFormat,
  type PrometheusHandlerOptions,
  prometheusHandler,
  render,
} from '../../src/index.ts';
import { OPENMETRICS, OPENMETRICS_2, PROTOBUF } from './http.ts';
import { START_MS } from './registry.ts';
import { respond } from './respond.ts';

export const ACCEPT: Readonly<Record<ExpositionFormat, string>> = {
  text: 'text/plain',
  text1: 'text/plain;version=1.0.0;escaping=allow-utf-8',
  openmetrics: OPENMETRICS,
  openmetrics2: OPENMETRICS_2,
  protobuf: PROTOBUF,
};

/** A clock that advances by a second at each step. */
class SteppingClock {
  #nowMs = START_MS;
  readonly nowMs = (): number => this.#nowMs;
  readonly monotonicMs = (): number => 0;

  step(): void {
    this.#nowMs += 1000;
  }
}

/** A registry that gives its readers snapshots, as one of another copy of its package does. */
function snapshotsOf(registry: Registry): Registry {
  return { ...registry };
}

type Action =
  | {
      readonly kind: 'record';
      readonly family: number;
      readonly series: number;
      readonly value: number;
      /** Whether it is recorded by a handle that was kept, whose series may have ended. */
      readonly isKept: boolean;
    }
  | { readonly kind: 'remove'; readonly family: number; readonly from: number; readonly count: number }
  | {
      readonly kind: 'scrape';
      readonly handler: number;
      readonly format: ExpositionFormat;
      /** Whether the bytes are compared, which takes a snapshot. */
      readonly isCompared: boolean;
    };

// The names of the first two families collide, and so do the labels of some of their series.
const FAMILIES = [
  { name: 'a.b', unit: 's', scope: { name: 'one' } },
  { name: 'a_b', unit: 's', scope: { name: 'two' } },
  { name: 'depth', resolution: 1, boundaries: [1, 2, 4] },
  { name: 'judged', unit: 's', thresholds: [0.25, 3] },
];
const attributesOf = (series: number) => (series % 7 === 3 ? { x: String(series % 5) } : { x: series });
const OPTIONS: PrometheusHandlerOptions[] = [
  {},
  { withoutScopeInfo: true, buckets: 'both' },
  { appendTimestamp: true },
  { prefix: 'app', maxBuckets: 8, classicBoundaries: [1, 10] },
  { buckets: 'classic' },
  { translationStrategy: 'NoTranslation' },
];

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      family: fc.nat(FAMILIES.length - 1),
      // Enough for several blocks, and now and then the same one again.
      series: fc.oneof(fc.nat(200), fc.nat(9)),
      value: fc.oneof(
        fc.double({ min: -1, max: 1e6, noNaN: true }),
        fc.double({ min: 0.2, max: 0.3 }),
        fc.constant(3),
      ),
      isKept: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      family: fc.nat(FAMILIES.length - 1),
      from: fc.nat(200),
      count: fc.nat(20),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('scrape' as const),
      handler: fc.nat(OPTIONS.length - 1),
      format: fc.constantFrom<ExpositionFormat>('text', 'text1', 'openmetrics', 'openmetrics2', 'protobuf'),
      isCompared: fc.boolean(),
    }),
  },
);

/** Describes what a scrape has after so many histories of records, removals and scrapes. */
export function describeScrapes(histories: number): void {
  test.each([
    ['takes the series themselves', (registry: Registry) => registry],
    ['takes snapshots', snapshotsOf],
  ])(
    'a scrape that %s has the bytes of a whole snapshot, whatever was scraped before',
    async (_, shownOf) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(action, { minLength: 10, maxLength: 300, size: 'max' }),
          async (actions) => {
            const clock = new SteppingClock();
            const registry = createRegistry({ clock });
            const handlers = OPTIONS.map((options) => prometheusHandler(shownOf(registry), options));
            const kept = new Map<string, Series>();
            for (const one of actions) {
              if (one.kind !== 'scrape') clock.step();
              if (one.kind === 'record') {
                const key = `${one.family} ${one.series}`;
                const known = one.isKept ? kept.get(key) : undefined;
                const series =
                  known ?? registry.histogram(FAMILIES[one.family]!).with(attributesOf(one.series));
                kept.set(key, series);
                series.record(one.value);
                continue;
              }
              if (one.kind === 'remove') {
                const family = registry.histogram(FAMILIES[one.family]!);
                for (let i = one.from; i < one.from + one.count; i++) family.remove(attributesOf(i));
                continue;
              }
              const { status, body } = await respond(handlers[one.handler]!, {
                accept: `${ACCEPT[one.format]};escaping=allow-utf-8`,
              });
              expect(status).toBe(200);
              if (!one.isCompared) continue;
              const all = convertSnapshot(await registry.gather(), OPTIONS[one.handler]);
              expect(Buffer.compare(body, render(all, one.format, 'allow-utf-8'))).toBe(0);
            }
          },
        ),
        { numRuns: histories },
      );
    },
  );
}
