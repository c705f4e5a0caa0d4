import { listTelemetryAddresses } from '@hdrscope/kit';
import { createRegistry, type Registry, type SeriesSnapshot } from '@hdrscope/registry';
import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import {
  context,
  createContextKey,
  createNoopMeter,
  type Histogram,
  type MeterProvider,
  ROOT_CONTEXT,
  ValueType,
} from '@opentelemetry/api';
import { createHdr, type HdrView } from '../src/index.ts';

const log = collectDiagnostics();

/** An instrument of a provider that has no SDK. */
function instrument(
  view: Partial<HdrView> = {},
  options: { valueType?: ValueType; unit?: string } = {},
): { histogram: Histogram; registry: Registry; series: () => SeriesSnapshot[] } {
  const registry = createRegistry();
  const hdr = createHdr({ views: [{ instrumentName: 'x', resolution: 1e-3, ...view }], registry });
  const provider = hdr.wrapProvider<MeterProvider>({ getMeter: () => createNoopMeter() });
  const histogram = provider.getMeter('m').createHistogram('x', options);
  const family = registry.histogram({
    name: 'x',
    unit: options.unit ?? '',
    resolution: 1e-3,
    scope: { name: 'm' },
  });
  return { histogram, registry, series: () => [...family.snapshot().series] };
}

const UNCOUNTABLE: [what: string, value: unknown][] = [
  ['NaN', Number.NaN],
  ['a negative number', -1],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['a value that is too large', 2 ** 53],
  ['a string', '5'],
  ['an empty string', ''],
  ['undefined', undefined],
  ['null', null],
  ['true', true],
  ['a bigint', 5n],
  ['a symbol', Symbol('5')],
  ['an array', [5]],
  ['an object without a prototype', Object.create(null)],
];

describe.each([
  ['double', ValueType.DOUBLE],
  ['integer', ValueType.INT],
])('an instrument of %s values', (_, valueType) => {
  test.each(UNCOUNTABLE)('does not count %s and does not throw', (_what, value) => {
    const { histogram, series } = instrument({}, { valueType });
    histogram.record(value as number);
    expect(series().map((one) => one.histogram.totalCount)).toEqual([0]);
    histogram.record(5);
    expect(series().map(({ sum }) => sum)).toEqual([5]);
    expect(log.warnings).toHaveLength(1);
  });
});

test('the first value that cannot be counted logs a warning, later ones a debug message', () => {
  const { histogram } = instrument();
  histogram.record(1);
  expect(log.warnings).toEqual([]);
  for (const value of [-1, Number.NaN, '7']) histogram.record(value as number);
  expect(log.warnings).toEqual([
    'x cannot count -1: a value must be a number of at least 0, within the range of its resolution',
  ]);
  expect(log.debug).toEqual([
    'x cannot count NaN: a value must be a number of at least 0, within the range of its resolution',
    'x cannot count 7: a value must be a number of at least 0, within the range of its resolution',
  ]);
});

test('an instrument of integers drops fractions, one of doubles keeps them', () => {
  const sumOf = (valueType?: ValueType): number => {
    const { histogram, series } = instrument({}, valueType === undefined ? {} : { valueType });
    for (const value of [0.9, 1.999, 2]) histogram.record(value);
    return series()[0]!.sum;
  };
  expect(sumOf(ValueType.INT)).toBe(3);
  expect(sumOf(ValueType.DOUBLE)).toBe(4.899);
  expect(sumOf()).toBe(4.899);
});

test('an instrument of integers refuses a negative value before it drops the fraction', () => {
  const { histogram, series } = instrument({}, { valueType: ValueType.INT });
  histogram.record(-0.5);
  expect(series()[0]!.rejected.negative).toBe(1);
});

test('missing, undefined, null and empty attributes mean the same series', () => {
  const { histogram, series } = instrument();
  histogram.record(1);
  histogram.record(1, undefined);
  histogram.record(1, {});
  histogram.record(1, null as never);
  expect(series().map((one) => [one.attributes, one.histogram.totalCount])).toEqual([[{}, 4]]);
});

test('a first record without attributes makes the series of the empty set', () => {
  const { histogram, series } = instrument();
  histogram.record(1, null as never);
  expect(series().map((one) => [one.attributes, one.histogram.totalCount])).toEqual([[{}, 1]]);
});

test('the processors of a view get the attributes in turn, with the context', () => {
  const key = createContextKey('tenant');
  const seen: unknown[] = [];
  const { histogram, series } = instrument({
    attributesProcessors: [
      {
        process: (attributes, given) => {
          seen.push(given);
          return { ...attributes, tenant: String(given?.getValue(key)) };
        },
      },
      { process: ({ user: _, ...rest }) => rest },
    ],
  });
  const given = ROOT_CONTEXT.setValue(key, 'acme');
  histogram.record(1, { user: 'u1', route: '/' }, given);
  histogram.record(1, { user: 'u2', route: '/' });
  expect(series().map(({ attributes }) => attributes)).toEqual([
    { tenant: 'acme', route: '/' },
    { tenant: 'undefined', route: '/' },
  ]);
  expect(seen).toEqual([given, context.active()]);
});

test('the attributes of a caller stay unchanged', () => {
  const { histogram } = instrument({
    attributesProcessors: [{ process: (given) => ({ ...given, more: 1 }) }],
  });
  const given = Object.freeze({ route: '/' });
  histogram.record(1, given);
  expect(given).toEqual({ route: '/' });
});

describe('an instrument of HTTP clients', () => {
  const NAME = 'http.client.request.duration';
  const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
  const EXPORTING = ROOT_CONTEXT.setValue(SUPPRESSED, true);

  test.each([
    ['@opentelemetry/instrumentation-http', NAME, true],
    // It counts in the context of the first request of a connection.
    ['@opentelemetry/instrumentation-undici', NAME, false],
    ['@opentelemetry/instrumentation-http', 'http.client.duration', false],
  ])('of %s, %s, notes where only telemetry goes: %p', async (scope, name, isNoted) => {
    const registry = createRegistry();
    const hdr = createHdr({ views: [{ instrumentName: 'http.*' }], registry });
    const provider = hdr.wrapProvider<MeterProvider>({ getMeter: () => createNoopMeter() });
    const histogram = provider.getMeter(scope).createHistogram(name, { unit: 's' });
    const to = (host: string) => ({ 'server.address': `${host}.${scope}.${name}`, 'server.port': 4318 });
    histogram.record(0.1, to('collector'), EXPORTING);
    histogram.record(0.1, to('both'), EXPORTING);
    histogram.record(0.1, to('both'), ROOT_CONTEXT);
    histogram.record(0.1, to('shop'), ROOT_CONTEXT);
    histogram.record(0.1, {}, EXPORTING);
    histogram.record(0.1);

    const known = listTelemetryAddresses().filter((address) => address.endsWith(`.${scope}.${name}:4318`));
    expect(known).toEqual(isNoted ? [`collector.${scope}.${name}:4318`] : []);
    const [family] = (await registry.gather()).families;
    expect(family!.series.reduce((sum, one) => sum + one.histogram.totalCount, 0)).toBe(6);
  });
});
