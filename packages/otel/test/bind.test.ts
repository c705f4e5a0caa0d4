import { createRegistry } from '@hdrscope/registry';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { type Attributes, ROOT_CONTEXT, TraceFlags, trace, ValueType } from '@opentelemetry/api';
import fc from 'fast-check';
import { MeterProvider } from 'sdk-metrics-2';
import { type BoundHistogram, bind, createHdr, type HdrView } from '../src/index.ts';

const attributes = fc.record(
  { route: fc.constantFrom('/', '/cart'), user: fc.nat({ max: 3 }), cached: fc.boolean() },
  { requiredKeys: [] },
);
const value = fc.oneof(
  fc.double(),
  fc.double({ min: 0, max: 1e6 }),
  fc.constantFrom(Number.NaN, -1, Number.POSITIVE_INFINITY, '1', null, undefined) as fc.Arbitrary<number>,
);
const view = fc.record(
  {
    denyAttributes: fc.constant(['user']),
    allowAttributes: fc.constant(['route', 'user']),
    aggregationCardinalityLimit: fc.integer({ min: 1, max: 4 }),
    tee: fc.boolean(),
  },
  { requiredKeys: [] },
);
const record = fc.record({ attributes, value, isSampled: fc.boolean() });

// Exemplars carry the time of their record. Here each record has a time of its own.
const { now } = Date;
let timeMs = 0;

beforeAll(() => {
  Date.now = () => ++timeMs;
});

afterAll(() => {
  Date.now = now;
});

/** What the registry holds after records, by the instrument or by bound ones. */
async function counted(
  records: readonly { attributes: Attributes; value: number; isSampled: boolean }[],
  options: { view: Omit<HdrView, 'instrumentName'>; valueType: ValueType; isBound: boolean },
): Promise<unknown> {
  const hdr = createHdr({
    views: [{ instrumentName: '*', ...options.view }],
    registry: createRegistry({ clock: new FakeClock() }),
    exemplarFilter: 'trace_based',
  });
  const meter = hdr.wrapProvider(new MeterProvider()).getMeter('m');
  const instrument = meter.createHistogram('x', { valueType: options.valueType });
  const bound = new Map<string, BoundHistogram>();
  for (const one of records) {
    const traceFlags = one.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags };
    const context = trace.setSpanContext(ROOT_CONTEXT, span);
    if (!options.isBound) {
      instrument.record(one.value, one.attributes, context);
      continue;
    }
    const key = JSON.stringify(Object.entries(one.attributes).sort());
    // Bound at its first record, when the limit decides about an instrument that is not bound.
    if (!bound.has(key)) bound.set(key, bind(instrument, one.attributes));
    bound.get(key)!.record(one.value, context);
  }
  const [family] = (await hdr.registry.gather()).families;
  return family?.series.map(({ attributes: ofSeries, histogram, sum, min, max, rejected, exemplars }) => ({
    attributes: ofSeries,
    histogram: histogram.toJSON(),
    facts: [sum, min, max],
    rejected,
    exemplars: exemplars.map(({ timeMs: _, ...exemplar }) => exemplar),
  }));
}

test('a bound instrument counts as the instrument does with its attributes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 40 }),
      view,
      fc.constantFrom(ValueType.INT, ValueType.DOUBLE),
      async (records, options, valueType) => {
        const how = { view: options, valueType };
        expect(await counted(records, { ...how, isBound: true })).toEqual(
          await counted(records, { ...how, isBound: false }),
        );
      },
    ),
    { numRuns: 200 },
  );
});
