import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { someCells } from '@hdrscope/testing/case-count';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

interface Vector {
  readonly form: string;
  readonly name: string;
  readonly input: string;
  readonly writer?: string;
  readonly values: readonly (readonly [value: number, count: number])[];
}

const FROM: Readonly<Record<string, string>> = {
  'sketches-go': 'ddsketch',
  'sketches-java': 'ddsketch',
  'sketches-js': 'ddsketch-js',
  'sketches-py': 'ddsketch-py',
};

function listVectors(): readonly Vector[] {
  return ['circllhist', 'ddsketch', 'vmrange'].flatMap((file) => {
    const path = new URL(`../../../../docs/formats/vectors/${file}.json`, import.meta.url);
    const { vectors } = JSON.parse(readFileSync(path, 'utf8')) as { readonly vectors: readonly Vector[] };
    const isKnown = ({ values }: Vector): boolean => values.every(([value]) => value >= 0 && value < 1e6);
    return vectors.filter(isKnown);
  });
}

/** The value of a rank: the least of which as many values are at most it. */
function findValue(values: Vector['values'], percentile: number): number {
  const ascending = [...values].sort(([a], [b]) => a - b);
  const rank = Math.max(
    1,
    Math.ceil((percentile / 100) * ascending.reduce((sum, [, count]) => sum + count, 0)),
  );
  let below = 0;
  for (const [value, count] of ascending) {
    below += count;
    if (below >= rank) return value;
  }
  throw new Error('there are no values');
}

const PERCENTILES = [10, 50, 90, 99];

test('check and plot know the percentiles of every vector within bounds that contain the recorded values', async () => {
  const vectors = someCells(listVectors(), 0);
  let judged = 0;
  for (const { form, input, name, writer, values } of vectors) {
    const path = folder.write('it', form.startsWith('ddsketch') ? Buffer.from(input, 'base64') : input);
    const from = form === 'ddsketch-binary' ? form : FROM[writer ?? ''];
    const args = [path, '--unit', 's', '--max', '2000000', ...(from === undefined ? [] : ['--from', from])];
    const slos = PERCENTILES.flatMap((percentile) => ['--slo', `p${percentile}=1s`]);
    const { stdout, stderr } = await hdrscope(['check', ...args, ...slos, '--json']);
    if (stdout === '') throw new Error(stderr);
    const [{ objectives }] = JSON.parse(stdout).subjects;
    for (const { percentile, actual } of objectives) {
      const value = findValue(values, percentile) * 1000;
      const isWithin = actual.lower <= value * (1 + 1e-9) && actual.upper >= value * (1 - 1e-9);
      if (!isWithin) throw new Error(`${name}: p${percentile} is ${value}, not ${JSON.stringify(actual)}`);
      judged++;
    }
    const plotted = await hdrscope(['plot', ...args, '--json']);
    const { points } = JSON.parse(plotted.stdout).curves[0];
    const [largest] = values.map(([value]) => value).sort((a, b) => b - a) as [number];
    expect(points.at(-1).value).toBeGreaterThanOrEqual(largest * (1 - 1e-9));
  }
  expect(judged).toBeGreaterThan(40);
});

const SCRAPE = `# TYPE rpc_seconds histogram
rpc_seconds_bucket{route="/a",le="0.1"} 700
rpc_seconds_bucket{route="/a",le="0.25"} 990
rpc_seconds_bucket{route="/a",le="1"} 1000
rpc_seconds_bucket{route="/a",le="+Inf"} 1000
rpc_seconds_count{route="/a"} 1000
rpc_seconds_bucket{route="/b",le="0.1"} 0
rpc_seconds_bucket{route="/b",le="0.25"} 4000
rpc_seconds_bucket{route="/b",le="1"} 4000
rpc_seconds_bucket{route="/b",le="+Inf"} 4002
rpc_seconds_count{route="/b"} 4002
`;
const IN_SECONDS: readonly string[] = ['--unit', 's', '--min', '0'];

test('check counts exactly at the boundaries of buckets, and within bounds between them', async () => {
  const path = folder.write('a.prom', SCRAPE);
  const slos = ['--slo', 'p99=250ms', '--slo', 'p99=200ms'];
  const args = ['check', path, ...IN_SECONDS, '--where', 'route=/a', ...slos, '--json'];
  const { stdout, exitCode } = await hdrscope(args);
  const [{ count, unit, objectives }] = JSON.parse(stdout).subjects;
  expect([exitCode, count, unit]).toEqual([3, 1000, 'ms']);
  expect(objectives.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['kept', 'cannot be judged']);
  expect(objectives[0].within).toEqual({ lower: 990, upper: 990 });
  expect(objectives[1].within).toEqual({ lower: 700, upper: 990 });
});

test.each([
  ['java.openmetrics2.txt', 'native'],
  ['java.protobuf.bin', 'native_seconds'],
  ['go.protobuf.bin', 'native_seconds'],
  ['rust.openmetrics.txt', 'classic_seconds'],
])('a saved scrape of a client is read without an option: %s', async (name, metric) => {
  const path = fileURLToPath(
    new URL(`../../../prometheus/test/fixtures/expositions/${name}`, import.meta.url),
  );
  // tools/expositions has observed 1000 values below 5 s in this route.
  const chosen = ['--metric', metric, '--where', 'route=/a', '--min', '0', '--max', '10', '--unit', 's'];
  const { stdout } = await hdrscope(['check', path, ...chosen, '--slo', 'p99=11s', '--json']);
  expect(JSON.parse(stdout).subjects[0]).toMatchObject({ count: 1000, objectives: [{ verdict: 'kept' }] });
  const recorded = await hdrscope(['record', path, '--json']);
  const { groups } = JSON.parse(recorded.stdout) as { groups: { labels: object; count: number }[] };
  expect(groups).toContainEqual(expect.objectContaining({ labels: { metric, route: '/a' }, count: 1000 }));
});

test('check judges each distribution of a file, and diff refuses to choose one', async () => {
  const path = folder.write('a.prom', SCRAPE);
  const other = folder.write('b.prom', SCRAPE);
  const all = await hdrscope(['check', path, ...IN_SECONDS, '--max', '9', '--slo', 'p50=1s', '--json']);
  expect(JSON.parse(all.stdout).subjects.map(({ count }: { count: number }) => count)).toEqual([1000, 4002]);
  const refused = await hdrscope(['diff', path, other, ...IN_SECONDS]);
  expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('has 2 distributions, and one is taken at a time: --metric and --where');
  const chosen = await hdrscope(['diff', path, other, ...IN_SECONDS, '--where', 'route=/a', '--json']);
  expect(chosen.exitCode).toBe(0);
  expect(JSON.parse(chosen.stdout).changes.map(({ verdict }: { verdict: string }) => verdict)).not.toContain(
    'significantly slower',
  );
});

test.each([
  ['a slot without an upper bound', [], 'has values in a slot without a bound above 1', '--max does'],
  [
    'a largest value below those that were counted',
    ['--max', '0.5'],
    'values are above 0.5, which is stated',
    '',
  ],
])('%s is refused with its cure', async (_, args, problem, cure) => {
  const path = folder.write('a.prom', SCRAPE);
  for (const command of [['check', '--slo', 'p99=1s'], ['plot']]) {
    const ran = await hdrscope([...command, path, ...IN_SECONDS, '--where', 'route=/b', ...args]);
    expect([ran.exitCode, ran.stdout]).toEqual([1, '']);
    const text = ran.stderr.replaceAll('\n', ' ');
    expect(text).toContain(problem.replace('has values', '2 values are'));
    expect(text).toContain(cure);
  }
});

test('bars are the slots of the file, and a plot over time is refused', async () => {
  const path = folder.write('a.prom', SCRAPE);
  const args = ['plot', path, ...IN_SECONDS, '--where', 'route=/a', '--json'];
  const { slots, counts } = JSON.parse((await hdrscope([...args, '--kind', 'bars'])).stdout);
  expect(slots).toEqual([
    { lower: 0, upper: 0.1 },
    { lower: 0.1, upper: 0.25 },
    { lower: 0.25, upper: 1 },
  ]);
  expect(counts).toEqual([700, 290, 10]);
  const refused = await hdrscope([...args, '--kind', 'over-time']);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('which has no times')]);
});
