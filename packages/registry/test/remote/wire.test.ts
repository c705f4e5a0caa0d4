import { Budget } from '@hdrscope/kit';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { collectFrom, createRegistry, type Registry, serveRegistry } from '../../src/index.ts';
import { canonicalText } from '../../src/internal.ts';
import { attributesFromJson, attributesToJson } from '../../src/remote/wire-attributes.ts';
import { attributes } from '../support/arbitraries.ts';
import { FakePort, settled } from '../support/ports.ts';
import { countOf, totalsOf } from '../support/totals.ts';

const unlimited = (): Budget => new Budget('the message', {});

type Json = Record<string, unknown>;

/** Changes on their way through a port. */
async function sentChanges(): Promise<Json> {
  const main = createRegistry();
  const { changes } = await connected(main);
  return changes;
}

/** A remote that has answered once, with one series of two values. */
async function connected(main: Registry) {
  const registry = createRegistry();
  const ports = FakePort.pair();
  serveRegistry(registry, ports.remote);
  collectFrom(main, ports.main, { name: 'worker 7' });
  const x = registry.histogram({ name: 'x', unit: 's', scope: { name: 'shop' } });
  const series = x.with({ a: [1] });
  series.record(1);
  series.record(2);
  series.offerExemplar({ value: 2, timeMs: 1, attributes: { trace_id: 'a' } });
  await main.gather();
  return { registry, ports, x, changes: ports.remote.sent[0] as Json };
}

describe('attributes', () => {
  test('cross as JSON and stay equal', () => {
    fc.assert(
      fc.property(attributes, (given) => {
        const crossed = attributesFromJson(
          JSON.parse(JSON.stringify(attributesToJson(given))),
          'attributes',
          unlimited(),
        );
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
    const crossed = attributesFromJson(
      JSON.parse(JSON.stringify(attributesToJson(given))),
      'attributes',
      unlimited(),
    );
    expect(canonicalText(crossed)).toBe(canonicalText(given));
  });

  test('may have any key', () => {
    const given = Object.fromEntries([['__proto__', 1]]);
    const crossed = attributesFromJson(attributesToJson(given), 'attributes', unlimited());
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
    ...{ hdrscope: 'changes', version: 2, request: 1, asker: '', instance: 'i', isLast: false, timeMs: 0 },
    ...{ firstFamily: 0, families: [], generation: 0, firstSeries: 0, series: [], increases: [], errors: [] },
  });
  const family = {
    ...{ name: 'x', unit: '', description: '', resolution: 1, significantDigits: 2, cardinalityLimit: 10 },
  };
  const increase = (change: Json = {}): Json => ({
    ...{ from: 0, to: 1, isLost: false, facts: '', words: '', rejected: [], exemplars: [] },
    ...change,
  });
  const increased = (change: Json): Json => ({
    ...{ families: [family], series: [[0, [], 0]], increases: [increase(change)] },
  });

  test.each<[message: RegExp, change: Json]>([
    [/^changes.request must be an integer from 0 to 2\^53 - 1, got -1$/, { request: -1 }],
    [/^changes.instance must be a text of 1 to 100 characters, got ""$/, { instance: '' }],
    [/^changes.instance must be a text of 1 to 100/, { instance: 'i'.repeat(101) }],
    [/^changes.isLast must be a boolean, got undefined$/, { isLast: undefined }],
    [/^changes.timeMs must be a finite number, got null$/, { timeMs: null }],
    [/^changes.timeMs must be within 8640000000000000 ms of 1970, got 1e\+300$/, { timeMs: 1e300 }],
    [/^changes.families must be an array, got an object$/, { families: {} }],
    [/^changes.families\[0\] must be an object, got null$/, { families: [null] }],
    [/^changes.families\[0\].name must be a text, not empty, got ""$/, { families: [{ name: '' }] }],
    [/^changes.families\[0\].unit must be a text/, { families: [{ name: 'x' }] }],
    [/^changes.firstFamily must be an integer/, { firstFamily: null }],
    [/^changes.generation must be an integer/, { generation: 0.5 }],
    [/^changes.firstSeries must be an integer/, { firstSeries: -1 }],
    [/^changes.series\[0\] must be an array/, { series: [{}] }],
    [/^changes.series\[0\]\[0\] must be one of 0 families, got 0$/, { series: [[0, [], 0]] }],
    [/^changes.series\[0\]\[1\]\[0\] must be an array/, { families: [family], series: [[0, [7], 0]] }],
    [/^changes.series\[0\]\[2\] must be a finite number/, { families: [family], series: [[0, [], '']] }],
    [/^changes.increases must be at most 100 long/, { increases: Array(101).fill(increase()) }],
    [/^changes.increases\[0\].from must be an integer/, { increases: [{}] }],
    [/^changes.increases\[0\].to must be above 1, got 1$/, { increases: [increase({ from: 1 })] }],
    [/^changes.increases\[0\].isLost must be a boolean/, { increases: [increase({ isLost: 1 })] }],
    [/^changes.increases\[0\].facts must be a buffer, or bytes as base64/, increased({ facts: [] })],
    [/^changes.increases\[0\].words must be bytes as base64/, increased({ words: '?' })],
    [
      /^changes.increases\[0\].rejected\[0\]\[0\] must be the id of one of 1 series/,
      increased({ rejected: [[1]] }),
    ],
    [/^changes.increases\[0\].rejected\[0\]\[2\] must be an integer/, increased({ rejected: [[0, 1, -1]] })],
    [/^changes.increases\[0\].exemplars\[0\]\[1\] must be a finite/, increased({ exemplars: [[0, 'x']] })],
    [/^changes.increases\[0\].exemplars must be an array/, increased({ exemplars: undefined })],
    [/^changes.errors must be at most 100 long/, { errors: Array(101).fill('') }],
    [/^changes.errors\[0\] must be a text, got 1$/, { errors: [1] }],
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
    ports.remote.postMessage({ ...valid(), version: 3 });
    await settled();
    expect((await main.gather()).errors).toMatchObject([{ error: { code: 'ERR_DECODE' } }]);
    expect((await main.gather()).errors).toEqual([]);
  });

  test('loses nothing: the next answer has its counts too', async () => {
    const main = createRegistry();
    const { ports, x } = await connected(main);
    const restore = alterAnswers(ports.remote, { words: new ArrayBuffer(3) });
    x.with({ a: [1] }).record(3);
    const broken = await main.gather();
    expect(broken.errors).toMatchObject([{ error: { code: 'ERR_DECODE' } }]);
    expect(countOf(broken)).toBe(2);
    restore();
    const next = await main.gather();
    expect(next.errors).toEqual([]);
    expect(countOf(next)).toBe(3);
  });

  test.each<[what: string, words: number[], facts: number[], code: string]>([
    ['slots that its family does not have', [2 ** 32 - 1], [1, 1, 1], 'ERR_DECODE'],
    ['a negative sum', [257], [-1, 1, 1], 'ERR_DECODE'],
    ['no extremes', [257], [1, Number.NaN, 1], 'ERR_DECODE'],
    ['more values than can be counted', [256, 2 ** 32 - 1, 2 ** 21 - 1], [1, 1, 1], 'ERR_COUNT_OVERFLOW'],
  ])('only in a part, such as %s, is taken without that part', async (_, words, facts, code) => {
    const main = createRegistry();
    const { ports, x } = await connected(main);
    alterAnswers(ports.remote, {
      facts: Float64Array.from([...facts, 1, 1, 1]).buffer,
      words: Uint32Array.from([0, words.length, ...words, 1, 1, 257]).buffer,
    });
    for (const attributes of [{ a: [1] }, {}]) x.with(attributes).record(1);
    const snapshot = await main.gather();
    expect(snapshot.errors).toMatchObject([
      { error: { code, message: expect.stringMatching(/^the series \{"a":\[1\]\} of "x": /) } },
    ]);
    expect(countOf(snapshot)).toBe(3);
  });

  test('does no harm, whatever it is', async () => {
    const changes = await sentChanges();
    const paths = pathsIn(changes);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.oneof(
          fc.jsonValue(),
          fc.constantFrom(-1, 1e300, '', 'x', 2 ** 53),
          fc.uint32Array({ maxLength: 12 }).map(({ buffer }) => buffer),
          fc.float64Array({ maxLength: 6 }).map(({ buffer }) => buffer),
        ),
        async (path, value) => {
          const main = createRegistry();
          const { ports } = await connected(main);
          const before = totalsOf(await main.gather());
          // The message is of another instance. Either it is an error, or it adds counts.
          ports.remote.postMessage({ ...(replaced(changes, path, value) as Json), asker: '' });
          await settled();
          const after = await main.gather();
          for (const [key, { sum }] of before)
            expect(totalsOf(after).get(key)!.sum).toBeGreaterThanOrEqual(sum);
        },
      ),
      { numRuns: caseCount(60, 200) },
    );
  });

  /** Changes the increases of all later answers. Returns a function that ends it. */
  function alterAnswers(port: FakePort, change: Json): () => void {
    const { postMessage } = port;
    port.postMessage = (message) => {
      const { increases } = message as { increases: Json[] };
      postMessage.call(port, {
        ...(message as Json),
        increases: increases.map((one) => ({ ...one, ...change })),
      });
    };
    return () => {
      port.postMessage = postMessage;
    };
  }

  /** The paths of all values in a message. */
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

const QUESTION = { hdrscope: 'collect', version: 2, request: 9, timeoutMs: 1000, asker: 'a' };

test.each([
  { request: 'x' },
  { timeoutMs: 0 },
  { timeoutMs: null },
  { timeoutMs: 1e300 },
  { asker: '' },
  { asker: 7 },
  { known: 7 },
  { known: { instance: 'i', sequence: -1, families: 0, generation: 0, series: 0 } },
  { known: { instance: 'i', sequence: 0, families: 0 } },
])('a question that is broken is refused, and does no harm: %p', async (change) => {
  const main = createRegistry();
  const { ports } = await connected(main);
  ports.main.postMessage({ ...QUESTION, ...change });
  await settled();
  expect(ports.remote.sent).toHaveLength(2);
  expect(ports.remote.sent[1]).toMatchObject({
    hdrscope: 'refusal',
    error: expect.stringMatching(/^collect/),
  });
  expect((await main.gather()).errors).toEqual([]);
});

test('the answer to another registry at the same port is not taken', async () => {
  const main = createRegistry();
  const { registry, ports } = await connected(main);
  registry.histogram({ name: 'y' }).with({}).record(1);
  ports.main.postMessage(QUESTION);
  await settled();
  expect(ports.remote.sent).toHaveLength(2);
  expect(countOf(await main.gather())).toBe(3);
});

describe('a remote with another version of the messages', () => {
  const message = /^both sides must have the same version of @hdrscope\/registry, got a message of version/;

  test.each([
    { hdrscope: 'state', version: 1, request: 1, instance: 'i', sequence: 1, isLast: false },
    { hdrscope: 'changes', version: 3 },
    { hdrscope: 'changes' },
  ])('is an error: %p', async (answer) => {
    const main = createRegistry();
    const ports = FakePort.pair();
    collectFrom(main, ports.main);
    const gathering = main.gather();
    ports.remote.postMessage(answer);
    expect((await gathering).errors).toMatchObject([
      { error: { code: 'ERR_DECODE', message: expect.stringMatching(message) } },
    ]);
  });

  test('has an answer that it reads as an error', async () => {
    const ports = FakePort.pair();
    serveRegistry(createRegistry(), ports.remote);
    // Version 1 asks so, and reads the field `version` of states first.
    ports.main.postMessage({ hdrscope: 'collect', version: 1, request: 4, timeoutMs: 1000 });
    await settled();
    expect(ports.remote.sent).toEqual([{ hdrscope: 'state', version: 2, request: 4 }]);
  });
});
