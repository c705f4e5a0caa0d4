import fc from 'fast-check';
import {
  createStatsdReader,
  readStatsd,
  type StatsdMetric,
  type StatsdValues,
} from '../../src/statsd/index.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string) => readStatsd(bytesOf(text));

/** A line as a client writes it. */
function write({ name, type, tags, sampleRate, containerId, values }: StatsdValues): string {
  const list = Object.entries(tags).map(([key, value]) => `${key}:${value}`);
  return [
    `${name}:${values.join(':')}|${type}`,
    ...(sampleRate < 1 ? [`@${sampleRate}`] : []),
    ...(list.length > 0 ? [`#${list.join()}`] : []),
    ...(containerId === undefined ? [] : [`c:ci-${containerId}`]),
  ].join('|');
}

const word = fc.string({ unit: fc.constantFrom(...'abzAZ09_.-/é'), minLength: 1, maxLength: 12 });
const line: fc.Arbitrary<StatsdValues> = fc.record({
  name: word.filter((name) => !name.startsWith('_')),
  type: fc.constantFrom('ms', 'h', 'd'),
  tags: fc.dictionary(word, word, { maxKeys: 4, noNullPrototype: true }),
  sampleRate: fc.oneof(fc.constant(1), fc.double({ min: 1e-6, max: 1, noNaN: true })),
  containerId: fc.option(
    word.filter((id) => !id.includes(',')),
    { nil: undefined },
  ),
  values: fc.array(
    fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.integer({ min: -1e6, max: 1e6 }).map((cents) => cents / 100),
    ),
    { minLength: 1, maxLength: 5 },
  ),
});

test('what is written is read, every bit of it, and it does not matter how lines are put into packets', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.func(fc.boolean()), (lines, isEnd) => {
      const texts = lines.map(write);
      expect(read(texts.join('\n'))).toMatchObject({ lines, malformed: [] });
      const received: [StatsdMetric, number[]][] = [];
      const reader = createStatsdReader<StatsdMetric>({
        find: (metric) => metric,
        record: (metric, values, count) => received.push([metric, [...values.subarray(0, count)]]),
      });
      let packet = '';
      for (const [i, text] of texts.entries()) {
        packet += `${text}\n`;
        if (!isEnd(i)) continue;
        reader.read(bytesOf(packet));
        packet = '';
      }
      reader.read(bytesOf(`..${packet}..`), 2, 2 + bytesOf(packet).length);
      expect(received).toEqual(lines.map(({ values, ...metric }) => [metric, values]));
    }),
  );
});

test('a damaged byte never throws, and damages its line at most, and the one after it', () => {
  const texts = ['a.b:1:2.5|ms|@0.5|#k:v,w', 'c:7|h|c:ci-1', 'd:3|d', 'e:1|c', 'f:9|ms'];
  const whole = bytesOf(texts.join('\n'));
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
      const damaged = Uint8Array.from(whole);
      damaged[at] = byte;
      const { lines, malformed, leftOut } = readStatsd(damaged);
      const others = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
      // A line may be cut in two, two may become one, and a line of a single byte may become empty.
      expect(Math.abs(lines.length + malformed.length + others - texts.length)).toBeLessThanOrEqual(1);
      const names = lines.map(({ name }) => name);
      const kept = ['a.b', 'c', 'd', 'f'].filter((name) => names.includes(name));
      expect(kept.length).toBeGreaterThanOrEqual(2);
    }),
  );
});

test('the reader remembers metrics by their bytes: the sink is asked once for each of them', () => {
  const asked: string[] = [];
  const reader = createStatsdReader<string>({
    find: ({ name, tags }) => {
      asked.push(`${name} ${JSON.stringify(tags)}`);
      return name === 'refused' ? undefined : name;
    },
    record: () => {},
  });
  for (let i = 0; i < 100; i++) reader.read(bytesOf(`a:${i}|h|#t:1\na:${i}|h|#t:2\nrefused:1:2|h`));
  expect(asked.filter((metric) => metric.startsWith('a'))).toEqual(['a {"t":"1"}', 'a {"t":"2"}']);
  expect(reader.health).toMatchObject({ packets: 100, values: 200, refusedValues: 200 });
});

test('names without end are forgotten, and none is taken for another one', () => {
  const counts = new Map<string, number>();
  const reader = createStatsdReader<string>({
    find: ({ name }) => name,
    record: (name, _, count) => counts.set(name, (counts.get(name) ?? 0) + count),
  });
  const most = 70_000;
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < most; i++) reader.read(bytesOf(`name${i}:1|h`));
  }
  expect(counts.size).toBe(most);
  expect([...counts.values()].every((count) => count === 2)).toBe(true);
});

test.each([
  ['name,k=v,w=x:5|ms', { k: 'v', w: 'x' }],
  ['name;k=v;w=x:5|ms', { k: 'v', w: 'x' }],
  ['name#k=v,w=x:5|ms', { k: 'v', w: 'x' }],
  ['na[k=v,w=x]me:5|ms', { k: 'v', w: 'x' }],
  ['name:5|ms|#k:v,w:x\r', { k: 'v', w: 'x' }],
  ['name:5|ms|#flag,url:a:b,,k:2,k:1', { flag: 'true', url: 'a:b', k: '1,2' }],
  ['name:5|ms|#a|e:it-false,cn-x|card:low', { a: 'true' }],
])('%j has tags', (text, tags) => {
  expect(read(text)).toMatchObject({ lines: [{ name: 'name', tags, values: [5] }], malformed: [] });
});

test.each([
  ['ci-abc', 'abc'],
  ['in-123,ci-abc', 'abc'],
  ['abc', 'abc'],
  ['in-123', undefined],
])('c:%s states the container %s', (text, id) => {
  expect(read(`a:1|h|c:${text}`).lines[0]!.containerId).toBe(id);
});

test('counters, gauges, sets, events and service checks are left out, and counted', () => {
  const text =
    'a:1|c|@0.1\na:+1|g\nb:1:2|c|T1656581400\nc:any text|s\n_e{5,4}:title|text|#a\n_sc|x|2|m:y\n_e:1|h\n';
  const { lines, leftOut, malformed } = read(text);
  expect(leftOut).toEqual({ counter: 2, gauge: 1, set: 1, event: 1, serviceCheck: 1 });
  expect(lines.map(({ name }) => name)).toEqual(['_e']);
  expect(malformed).toEqual([]);
});

test.each([
  ['a', 'a line must be name:value|type, got "a"'],
  ['a:1', 'a line must be name:value|type, got "a:1"'],
  [':1|h', 'the name must be text without |, before the first colon, got ""'],
  ['a:|h', 'a value must be a decimal number, got ""'],
  ['a:0x10|h', 'a value must be a decimal number, got "0x10"'],
  ['a:NaN|h', 'a value must be a decimal number, got "NaN"'],
  ['a:1:2:x|h', 'a value must be a decimal number, got "x"'],
  ['a:1e999|h', 'a value must be a decimal number, got "1e999"'],
  ['a:1|x', 'the type must be ms, h, d, c, g or s, got "x"'],
  ['a:1|h|@0', 'the sample rate must be a number from 1e-9 to 1, got "0"'],
  ['a:1|h|@2', 'the sample rate must be a number from 1e-9 to 1, got "2"'],
  ['a:1|h|what', 'a field must be @, #, c:, e:, T or card:, got "what"'],
  ['a:1|h|#:v', 'a tag must be a key, or a key and a value with : between them, got ":v"'],
  [
    'a:1|h|T1656581400',
    'the time must be that of a counter or a gauge, since values count when they come, got "h"',
  ],
  ['a[k=v:1|h', 'the name must be text with its tags in brackets, as in name[key=value], got "a[k=v"'],
  [
    'a,host=b:80:5|ms',
    'the values must be one number where the name has tags, since a tag may have a colon, got "80:5"',
  ],
  [
    `${'n'.repeat(10_000)}:1|h`,
    `the name with its fields must be at most 8192 bytes, got "${'n'.repeat(60)}…"`,
  ],
])('nothing of %.40j counts, and the rest of its packet is read', (text, message) => {
  const { lines, malformed } = read(`x:1|h\n${text}\ny:2|h`);
  expect(lines.map(({ name }) => name)).toEqual(['x', 'y']);
  expect(malformed.map((error) => error.message)).toEqual([message]);
});

test('text that is not UTF-8 is refused', () => {
  expect(readStatsd(Uint8Array.of(0xff, 58, 49, 124, 104)).malformed[0]!.message).toMatch(/must be UTF-8/);
});

test('a packet of 64 kB of values has all of them', () => {
  const values = Array.from({ length: 16_000 }, (_, i) => i);
  expect(read(`a:${values.join(':')}|d`).lines[0]!.values).toEqual(values);
});

test('a number of many digits is read in one look', () => {
  const digits = '1'.repeat(60_000);
  const startMs = performance.now();
  expect(read(`a:${digits}|h\nb:${digits}x|h`).malformed).toHaveLength(2);
  expect(performance.now() - startMs).toBeLessThan(2000);
});
