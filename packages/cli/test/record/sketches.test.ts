import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hdrscope } from '../support/fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'hdrscope-sketches-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Vector {
  readonly input: string;
  readonly name: string;
  readonly writer?: string;
  readonly values: readonly (readonly [number, number])[];
}

function readVectors(file: string): readonly Vector[] {
  const path = new URL(`../../../../docs/formats/vectors/${file}`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')).vectors;
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The largest of the recorded values. */
function largest({ values }: Vector): number {
  return Math.max(...values.map(([value]) => value));
}

function countValues({ values }: Vector): number {
  return values.reduce((sum, [, count]) => sum + count, 0);
}

test.each(['circllhist', 'vmrange'])(
  'record shows a sketch of the form %s within the bounds of its slots',
  async (form) => {
    const [vector] = readVectors(`${form}.json`) as [Vector];
    const path = write(form, vector.input);
    const { exitCode, stdout, stderr } = await hdrscope(['record', path, '--unit', 's', '--json']);
    expect([exitCode, stderr]).toEqual([0, '']);
    const [{ count, unit, max }] = JSON.parse(stdout).groups;
    expect([count, unit]).toEqual([countValues(vector), 'ms']);
    expect(max.lower).toBeLessThanOrEqual(largest(vector) * 1000);
    expect(max.upper).toBeGreaterThanOrEqual(largest(vector) * 1000);
  },
);

test('record takes a DDSketch when its writer is stated, and only then', async () => {
  const vector = readVectors('ddsketch.json').find(({ writer }) => writer === 'sketches-js')!;
  const path = write('js.ddsketch', Buffer.from(vector.input, 'base64'));
  const refused = await hdrscope(['record', path]);
  expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain(
    '--from ddsketch (sketches-go, sketches-java), ddsketch-js or ddsketch-py',
  );
  const { stdout } = await hdrscope(['record', path, '--from', 'ddsketch-js', '--json']);
  const [{ count, max }] = JSON.parse(stdout).groups;
  expect(count).toBe(countValues(vector));
  expect(max.lower).toBeLessThanOrEqual(largest(vector));
  expect(max.upper).toBeGreaterThanOrEqual(largest(vector));
});

const TEXT = `# TYPE a_seconds histogram
${['x', 'y'].map((route) => `a_seconds_bucket{route="${route}",le="1"} 2\na_seconds_bucket{route="${route}",le="+Inf"} 2\na_seconds_sum{route="${route}"} 1\na_seconds_count{route="${route}"} 2`).join('\n')}
`;

test('record groups histograms for Prometheus by their labels, in the unit of their name', async () => {
  const path = write('a.prom', TEXT);
  const all = JSON.parse((await hdrscope(['record', path, '--json'])).stdout).groups;
  expect(all.map(({ labels, count }: { labels: object; count: number }) => [labels, count])).toEqual([
    [{ metric: 'a_seconds', route: 'x' }, 2],
    [{ metric: 'a_seconds', route: 'y' }, 2],
  ]);
  const [one, ...others] = JSON.parse(
    (await hdrscope(['record', path, '--by', 'metric', '--json'])).stdout,
  ).groups;
  expect([one.count, one.unit, one.mean.upper, others]).toEqual([4, 'ms', 500, []]);
  const missing = await hdrscope(['record', path, '--by', 'host']);
  expect([missing.exitCode, missing.stderr]).toEqual([
    2,
    'hdrscope: the values have no label host: there are metric, route\n',
  ]);
});

test.each(['--resolution', '--field', '--expected-interval'])(
  '%s is refused, because sketches are counted already',
  async (option) => {
    const path = write('c.vmrange', readVectors('vmrange.json')[0]!.input);
    const { exitCode, stderr } = await hdrscope(['record', path, option, '1']);
    expect([exitCode, stderr]).toEqual([
      2,
      `hdrscope: ${option} is for numbers, and the values of ${path} are counted already: leave it out\n`,
    ]);
  },
);

test('hdrscope FILE shows a sketch, and names the command that converts it', async () => {
  const path = write('b.vmrange', readVectors('vmrange.json')[0]!.input);
  const { exitCode, stdout } = await hdrscope([path]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('request_seconds  /a');
  expect(stdout).toContain(`hdrscope convert ${path} -o b.vmrange.hlog`);
});

test('hdrscope FILE asks for the writer of a DDSketch', async () => {
  const path = write('go.ddsketch', Buffer.from(readVectors('ddsketch.json')[0]!.input, 'base64'));
  const { stdout } = await hdrscope([path]);
  expect(stdout).toContain(`hdrscope record ${path} --from ddsketch`);
});
