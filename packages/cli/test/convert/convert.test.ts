import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Counted, DoubleHistogram, exponentialLayout, Histogram, LayoutHistogram } from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import { convertSketch } from '@hdrscope/inputs/internal';
import { readExposition } from '@hdrscope/prometheus/scraper';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { planNative, targetNative } from '../../src/commands/convert/write-form.ts';
import { type FormName, listForms, WRITTEN_FORMS } from '../../src/inputs/forms.ts';
import { hdrscope } from '../support/fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'hdrscope-convert-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const histogram = new Histogram();
for (let value = 100; value <= 5000; value += 7) histogram.record(value);
const COUNT = histogram.totalCount;
const encoded = write('values.txt', `${histogram.toBase64()}\n`);

interface Vectors {
  readonly vectors: readonly { readonly input: string; readonly name: string; readonly writer: string }[];
}
const vectors: Vectors = JSON.parse(
  readFileSync(new URL('../../../../docs/formats/vectors/ddsketch.json', import.meta.url), 'utf8'),
);

const STATED: ReadonlySet<FormName> = new Set([
  ...(['ddsketch', 'ddsketch-js', 'ddsketch-py'] as const),
  ...(['ddsketch-binary', 'prometheus-protobuf'] as const),
]);

describe.each(WRITTEN_FORMS)('base64 to %s', (form) => {
  const there = join(folder, `there-${form}`);

  test('writes a file that is converted back with all values', async () => {
    const first = await hdrscope(['convert', encoded, '--to', form, '-o', there]);
    expect([first.exitCode, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toContain(`${COUNT} values, base64 to ${form}`);
    expect(first.stdout).toMatch(/a value is at most [\d.]+ % from the middle of its slot in /);
    const from = STATED.has(form) ? ['--from', form] : [];
    const second = await hdrscope(['convert', there, ...from, '--to', 'base64', '-o', join(folder, 'back')]);
    const note = form.startsWith('ddsketch')
      ? `hdrscope: ${there} does not state whether its largest bin has taken larger values, as that of a store that collapses its highest bins does\n`
      : '';
    expect([second.exitCode, second.stderr]).toEqual([0, note]);
    expect(Histogram.decode(readFileSync(join(folder, 'back'), 'utf8').trim()).totalCount).toBe(COUNT);
  });
});

test('a DDSketch without a stated writer is refused, with the forms that state it', async () => {
  const path = write('a.ddsketch', Buffer.from(vectors.vectors[0]!.input, 'base64'));
  const { exitCode, stdout, stderr } = await hdrscope(['convert', path, '--to', 'base64']);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain('--from ddsketch (sketches-go, sketches-java), ddsketch-js or ddsketch-py');
});

test('a file of the same name in its ending needs no --to, and reading it again shows the same slots', async () => {
  const [a, b] = [join(folder, 'a1.ddsketch'), join(folder, 'a2.ddsketch')];
  await hdrscope(['convert', encoded, '-o', a, '--accuracy', '0.02']);
  const { stdout } = await hdrscope(['convert', a, '--from', 'ddsketch', '-o', b, '--accuracy', '0.02']);
  expect(readFileSync(b)).toEqual(readFileSync(a));
  expect(stdout).not.toContain('beside theirs');
  expect(stdout).toMatch(/\d+ of \S+ are in bins of ddsketch that may have taken smaller or larger values/);
  const known = await hdrscope(['convert', a, '--from', 'ddsketch', '-o', b, '--min', '100']);
  expect(known.stdout).not.toContain('bins of ddsketch');
});

test('negative values are refused where a form has no slots for them', async () => {
  const negative = vectors.vectors.find(
    ({ name, writer }) => writer === 'sketches-go' && name.startsWith('zeros'),
  )!;
  const path = write('negative', Buffer.from(negative.input, 'base64'));
  const refused = await hdrscope(['convert', path, '--from', 'ddsketch', '-o', join(folder, 'x.hlog')]);
  expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('which has none below 0');
  const taken = await hdrscope(['convert', path, '--from', 'ddsketch', '--to', 'elasticsearch']);
  expect([taken.exitCode, JSON.parse(taken.stdout).negative.counts.length > 0]).toEqual([0, true]);
});

const TWO = `# TYPE a_seconds histogram
a_seconds_bucket{x="1",le="1"} 2
a_seconds_bucket{x="1",le="+Inf"} 3
a_seconds_sum{x="1"} 4
a_seconds_count{x="1"} 3
a_seconds_bucket{x="2",le="1"} 1
a_seconds_bucket{x="2",le="+Inf"} 1
a_seconds_sum{x="2"} 0.4
a_seconds_count{x="2"} 1
`;

test('one of several distributions is chosen by its labels', async () => {
  const path = write('two.prom', TWO);
  const both = await hdrscope(['convert', path, '--to', 'json', '--min', '0', '--max', '9']);
  expect([both.exitCode, both.stderr]).toEqual([
    1,
    `hdrscope: ${path} has 2 distributions, and one is taken at a time: --metric and --where choose it from a_seconds (x=1), a_seconds (x=2)\n`,
  ]);
  const one = await hdrscope(['convert', path, '--to', 'json', '--where', 'x=1', '--min', '0', '--max', '9']);
  expect([one.exitCode, JSON.parse(one.stdout).count, JSON.parse(one.stdout).unit]).toEqual([0, 3, 's']);
});

test('slots without a bound are refused until the extremes are stated', async () => {
  const path = write('open.prom', TWO);
  const args = ['convert', path, '--where', 'x=1', '--to', 'base64'];
  expect((await hdrscope(args)).stderr).toContain('nothing states the smallest value: --min does');
  expect((await hdrscope([...args, '--min', '0'])).stderr).toContain(
    'nothing states the largest value: --max does',
  );
  expect((await hdrscope([...args, '--min', '0', '--max', '7'])).exitCode).toBe(0);
});

test('values without a bound stay in the last bucket of Prometheus, and have no error that is bounded', async () => {
  const path = write(
    'beyond.vmrange',
    'a_bucket{vmrange="1.000e+18...+Inf"} 3\na_bucket{vmrange="1.000e+00...1.136e+00"} 2\n',
  );
  const { exitCode, stdout, stderr } = await hdrscope(['convert', path, '--to', 'prometheus']);
  expect([
    exitCode,
    stdout.includes('a_bucket{le="1000000000000000000"} 2'),
    stdout.includes('a_bucket{le="+Inf"} 5'),
  ]).toEqual([0, true, true]);
  expect(stderr).toContain('some values are in a slot of prometheus without a bound');
  expect((await hdrscope(['convert', path, '--to', 'base64'])).stderr).toContain(
    'nothing states the largest value: --max does',
  );
});

test('a histogram of doubles is converted in steps that keep its digits', async () => {
  const doubles = new DoubleHistogram({ significantDigits: 3 });
  for (let at = 0; at < 500; at++) doubles.record(0.000_123 * 1.02 ** at);
  const path = write('doubles.txt', doubles.toBase64());
  const { exitCode, stdout } = await hdrscope(['convert', path, '-o', join(folder, 'doubles.hlog')]);
  expect([exitCode, stdout.split('\n')[0]]).toEqual([0, '500 values, base64 to hlog']);
  expect(Number(/at most ([\d.]+) %/.exec(stdout)![1])).toBeLessThan(0.15);
});

test.each([
  [
    'hlog',
    'a.hlog',
    'hlog counts steps of 0.00001, which it does not state: its values times 0.00001 are those of prometheus',
  ],
  ['base64', 'a.txt', 'base64 counts steps of 0.00001, which it does not state'],
  ['json', 'a.json', undefined],
])('%s says how large its steps are where nobody else does', async (form, file, sentence) => {
  const text = 'x_seconds_bucket{le="0.1"} 1\nx_seconds_bucket{le="2"} 9\nx_seconds_bucket{le="+Inf"} 9\n';
  const path = write('a.prom', `# TYPE x_seconds histogram\n${text}x_seconds_sum 5\nx_seconds_count 9\n`);
  const output = join(folder, file);
  const { exitCode, stdout } = await hdrscope(['convert', path, '--min', '0', '--to', form, '-o', output]);
  expect([exitCode, stdout.includes('counts steps of')]).toEqual([0, sentence !== undefined]);
  expect(stdout).toContain(sentence ?? '9 values');
});

test('the last point of a file of OTLP is converted', async () => {
  const point = (time: number, counts: string[]): string =>
    JSON.stringify({
      resourceMetrics: [
        {
          scopeMetrics: [
            {
              metrics: [
                {
                  name: 'rpc.duration',
                  unit: 's',
                  exponentialHistogram: {
                    aggregationTemporality: 2,
                    dataPoints: [
                      {
                        startTimeUnixNano: '1',
                        timeUnixNano: String(time),
                        count: counts.reduce((sum, one) => sum + Number(one), 0).toString(),
                        scale: 2,
                        zeroCount: '0',
                        positive: { offset: 3, bucketCounts: counts },
                      },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  const path = write('otlp.json', `${point(1e9, ['1', '2'])}\n${point(2e9, ['2', '5'])}\n`);
  const { exitCode, stdout, stderr } = await hdrscope(['convert', path, '--to', 'elasticsearch']);
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    0,
    { scale: 2, positive: { indices: [3, 4], counts: [2, 5] } },
  ]);
  expect(stderr).toContain('7 values, otlp to elasticsearch');
});

test.each([
  ['a form that is only read', ['--to', 'envoy'], 2, '--to must be hlog, base64'],
  [
    'an ending of no form',
    ['-o', join(folder, 'x.bin')],
    2,
    'x.bin has the ending of a format that hdrscope convert',
  ],
  ['no form', [], 2, '--to is required where no ending of a file says the form: hlog (.hlog), base64, json'],
  ['bytes on standard output', ['--to', 'ddsketch'], 2, 'ddsketch is not text: -o names the file'],
  [
    'an accuracy of 1',
    ['--to', 'ddsketch', '--accuracy', '1'],
    2,
    'relativeAccuracy must be above 0 and below 1, got 1',
  ],
])('%s is refused', async (_, args, code, problem) => {
  const { exitCode, stderr } = await hdrscope(['convert', encoded, ...args]);
  expect([exitCode, stderr.includes(problem) ? problem : stderr]).toEqual([code, problem]);
});

test('the help lists all forms', async () => {
  const { stdout } = await hdrscope(['convert', '--help']);
  for (const line of listForms().split('\n')) expect(stdout).toContain(line.slice(0, 60).trim());
});

test('a native histogram for Prometheus is read with the buckets that were written', () => {
  const VALUES = fc.array(fc.integer({ min: -5_000_000, max: 10_000_000 }), { minLength: 1, maxLength: 40 });
  const shown = ({ layout, counts }: Counted): number[][] =>
    Array.from(usedSlots(counts), ([slot, count]) => [layout.lower(slot), layout.upper(slot), count]);
  fc.assert(
    fc.property(VALUES, fc.integer({ min: -4, max: 10 }), (values, scale) => {
      const perDouble = 2 ** Math.max(scale, 0);
      const range = { minIndex: -12 * perDouble, maxIndex: 14 * perDouble };
      const source = new LayoutHistogram(
        exponentialLayout({ scale, ...range, negative: range, zeroThreshold: 1e-4 }),
      );
      source.recordValues(values.filter((value) => value !== 0).map((value) => value / 1000));
      if (source.totalCount === 0) return;
      const target = targetNative(planNative(source, {}), { name: 'values', unit: 's' });
      const { content, counted } = convertSketch({ counted: source }, target);
      const { families } = readExposition(content as Uint8Array, 'protobuf');
      const [read] = families[0]!.histograms;
      // A form has the whole range of its buckets, and no counts change between them.
      expect(shown(read!.counted)).toEqual(shown(counted));
    }),
    { numRuns: caseCount(50, 1000) },
  );
});
