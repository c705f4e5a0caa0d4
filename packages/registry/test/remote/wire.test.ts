import fc from 'fast-check';
import { canonicalText } from '../../src/attributes.ts';
import { collectFrom, createRegistry, type Registry, serveRegistry } from '../../src/index.ts';
import { attributesFromJson, attributesToJson } from '../../src/remote/wire-attributes.ts';
import { attributes } from '../support/arbitraries.ts';
import { FakePort, settled } from '../support/ports.ts';
import { countOf, totalsOf } from '../support/totals.ts';

type Json = Record<string, unknown>;

/** A state on its way through a port. */
async function sentState(): Promise<Json> {
  const main = createRegistry();
  const { state } = await connected(main);
  return state;
}

/** A remote that has answered once, with one series of two values. */
async function connected(main: Registry) {
  const registry = createRegistry();
  const ports = FakePort.pair();
  serveRegistry(registry, ports.remote);
  collectFrom(main, ports.main, { name: 'worker 7' });
  const series = registry.histogram({ name: 'x', unit: 's', scope: { name: 'shop' } }).with({ a: [1] });
  series.record(1);
  series.record(2);
  series.offerExemplar({ value: 2, timeMs: 1, attributes: { trace_id: 'a' } });
  await main.gather();
  return { registry, ports, state: JSON.parse(JSON.stringify(ports.remote.sent[0])) as Json };
}

describe('attributes', () => {
  test('cross as JSON and stay equal', () => {
    fc.assert(
      fc.property(attributes, (given) => {
        const crossed = attributesFromJson(JSON.parse(JSON.stringify(attributesToJson(given))), 'attributes');
        expect(canonicalText(crossed)).toBe(canonicalText(given));
      }),
    );
  });

  test.each<[what: string, value: unknown]>([
    ['a map', { user: { id: 1n, tags: ['a', null] } }],
    ['a date', new Date(1234)],
    ['an invalid date', new Date(Number.NaN)],
    ['no number', Number.NaN],
    ['minus zero', -0],
    ['a list in a list', [[1], []]],
  ])('may be %s', (_, value) => {
    const given = { value };
    const crossed = attributesFromJson(JSON.parse(JSON.stringify(attributesToJson(given))), 'attributes');
    expect(canonicalText(crossed)).toBe(canonicalText(given));
  });

  test('may have any key', () => {
    const given = Object.fromEntries([['__proto__', 1]]);
    const crossed = attributesFromJson(attributesToJson(given), 'attributes');
    expect(Object.keys(crossed)).toEqual(['__proto__']);
  });

  test('that JSON cannot keep apart are counted too', async () => {
    const main = createRegistry();
    const { registry } = await connected(main);
    const odd = (): void => {};
    for (const value of [odd, String(odd)]) registry.histogram({ name: 'y' }).with({ value }).record(1);
    const before = countOf(await main.gather());
    expect(before).toBe(4);
    expect(countOf(await main.gather())).toBe(4);
  });
});

describe('a message that is broken', () => {
  const valid = (): Json => ({
    ...{ hdrscope: 'state', version: 1, request: 0, instance: 'i', sequence: 1, isLast: false, timeMs: 0 },
    ...{ families: [], errors: [] },
  });

  test.each<[message: RegExp, change: Json]>([
    [/^state.version must be 1, got 2$/, { version: 2 }],
    [/^state.request must be an integer from 0 to 2\^53 - 1, got -1$/, { request: -1 }],
    [/^state.instance must be a text, not empty, got ""$/, { instance: '' }],
    [/^state.sequence must be/, { sequence: '1' }],
    [/^state.isLast must be a boolean, got undefined$/, { isLast: undefined }],
    [/^state.timeMs must be a finite number, got null$/, { timeMs: null }],
    [/^state.timeMs must be within 8640000000000000 ms of 1970, got 1e\+300$/, { timeMs: 1e300 }],
    [/^state.families must be an array, got an object$/, { families: {} }],
    [/^state.families\[0\] must be an object, got null$/, { families: [null] }],
    [/^state.families\[0\].name must be a text, not empty, got ""$/, { families: [{ name: '' }] }],
    [/^state.families\[0\].unit must be a text/, { families: [{ name: 'x' }] }],
    [/^state.errors must be at most 100 long/, { errors: Array(101).fill('') }],
    [/^state.errors\[0\] must be a text, got 1$/, { errors: [1] }],
  ])('is an error of its source: %p', async (message, change) => {
    const main = createRegistry();
    const ports = FakePort.pair();
    collectFrom(main, ports.main, { name: 'worker 7' });
    const gathering = main.gather();
    ports.remote.postMessage({ ...valid(), ...change });
    expect((await gathering).errors).toMatchObject([
      { source: 'worker 7', error: { code: 'ERR_DECODE', message: expect.stringMatching(message) } },
    ]);
  });

  test('that no gather waited for is reported at the next gather, and only there', async () => {
    const main = createRegistry();
    const { ports } = await connected(main);
    ports.remote.postMessage({ ...valid(), version: 2 });
    await settled();
    expect((await main.gather()).errors).toMatchObject([{ error: { code: 'ERR_DECODE' } }]);
    expect((await main.gather()).errors).toEqual([]);
  });

  test.each<[what: string, change: (series: Json) => Json, code: string]>([
    ['a broken histogram', (series) => ({ ...series, histogram: 'HISTFAAA' }), 'ERR_DECODE'],
    [
      'a histogram of another layout',
      (series) => ({ ...series, histogram: 'HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe' }),
      'ERR_DECODE',
    ],
    [
      'a sum that went back',
      (series) => ({ ...series, sum: 0.5, histogram: `${series.histogram} ` }),
      'ERR_INCOMPATIBLE',
    ],
    [
      'a tally that went back',
      (series) => ({ ...series, rejected: { ...(series.rejected as Json), negative: 0 } }),
      'ERR_INCOMPATIBLE',
    ],
  ])('only in a part, such as %s, is taken without that part', async (_, change, code) => {
    const main = createRegistry();
    const { ports, state } = await connected(main);
    const [family] = state.families as Json[];
    const [series] = family!.series as Json[];
    const raised = { ...series, rejected: { ...(series!.rejected as Json), negative: 1 } };
    ports.remote.postMessage({ ...state, sequence: 2, families: [{ ...family, series: [raised] }] });
    await settled();
    ports.remote.postMessage({
      ...state,
      sequence: 3,
      families: [
        { ...family, series: [change(raised)] },
        { ...family, name: 'new' },
      ],
    });
    await settled();
    const snapshot = await main.gather();
    expect(snapshot.errors).toMatchObject([
      { error: { code, message: expect.stringMatching(/^the series \{"a":\[1\]\} of "x": /) } },
    ]);
    expect(countOf(snapshot)).toBe(4);
  });

  test('does no harm, whatever it is', async () => {
    const state = await sentState();
    const paths = pathsIn(state);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.oneof(fc.jsonValue(), fc.constantFrom(-1, 1e300, '', 'x', 2 ** 53)),
        async (path, value) => {
          const main = createRegistry();
          const { ports } = await connected(main);
          const before = totalsOf(await main.gather());
          // The message is of the same instance or of another one. Either it is an error, or it adds counts.
          ports.remote.postMessage(replaced(state, path, value));
          await settled();
          const after = await main.gather();
          for (const [key, { sum }] of before)
            expect(totalsOf(after).get(key)!.sum).toBeGreaterThanOrEqual(sum);
        },
      ),
      { numRuns: 60 },
    );
  });

  /** The paths of all values in a JSON value. */
  function pathsIn(json: unknown, path: readonly string[] = []): (readonly string[])[] {
    if (typeof json !== 'object' || json === null) return [path];
    return [path, ...Object.entries(json).flatMap(([key, value]) => pathsIn(value, [...path, key]))];
  }

  function replaced(json: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
    if (key === undefined) return value;
    const copy: Json | unknown[] = Array.isArray(json) ? [...json] : { ...(json as Json) };
    (copy as Json)[key] = replaced((json as Json)[key], rest, value);
    return copy;
  }
});

test.each([{ version: 2 }, { request: 'x' }, { timeoutMs: 0 }, { timeoutMs: null }, { timeoutMs: 1e300 }])(
  'a question that is broken is not answered, and does no harm: %p',
  async (change) => {
    const main = createRegistry();
    const { ports } = await connected(main);
    ports.main.postMessage({ hdrscope: 'collect', version: 1, request: 9, timeoutMs: 1000, ...change });
    await settled();
    expect(ports.remote.sent).toHaveLength(1);
    expect((await main.gather()).errors).toEqual([]);
  },
);
