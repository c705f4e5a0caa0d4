import { hdrscope } from '../support/fake-io.ts';

const SLOT = { lower: 1, upper: 2, count: 3 };

test.each([
  ['brackets', '['.repeat(2_000_000), 'JSON must have at most 64 levels'],
  ['closed brackets', '['.repeat(1_000_000) + ']'.repeat(1_000_000), 'JSON must have at most 64 levels'],
  ['empty objects', `[${'{},'.repeat(5_000_000)}{}]`, 'JSON must have at most 8000000 elements'],
  ['lines', '{}\n[]\n'.repeat(1_000_000), 'JSON must have at most 8000000 elements'],
])('a file of %s ends with a limit, soon and in little memory', async (_, stdin, message) => {
  const { user } = process.cpuUsage();
  const before = process.memoryUsage().rss;

  const ran = await hdrscope(['plot', '-'], { stdin });
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ran.stderr).toContain(message);
  expect((process.cpuUsage().user - user) / 1000).toBeLessThan(5000);
  expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(400);
});

test.each([
  [[{ slots: [] }], 'histograms[0].name must be a text, got undefined'],
  [[{ name: 7, slots: [SLOT] }], 'histograms[0].name must be a text, got 7'],
  [[{ name: 'a', slots: [null] }], 'histograms[0].slots[0] must be an object, got null'],
  [[{ name: 'a', slots: [{ ...SLOT, lower: 'x' }] }], 'slots[0].lower must be a finite number, got "x"'],
  [[{ name: 'a', slots: [{ ...SLOT, count: null }] }], 'slots[0].count must be a finite number, got null'],
  [[{ name: 'a', attributes: [], slots: [SLOT] }], 'histograms[0].attributes must be an object'],
])('other values in place of histograms of the kernel are refused: %j', async (histograms, message) => {
  const { exitCode, stderr } = await hdrscope(['plot', '-'], { stdin: JSON.stringify({ histograms }) });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(message);
});

test.each([
  [{ kind: 'percentiles' }, 'plot.unit must be one of ns, us, ms, s, bytes, KiB, none, got undefined'],
  [
    { kind: 'bars', unit: 'none', slots: [{ lower: 2, upper: 1 }], counts: [1] },
    'upper must be at least 2, got 1',
  ],
  [
    { kind: 'over-time', unit: 'ms', timesMs: [0], lines: [{ name: 'p99', values: ['7'] }] },
    'a number or null, got "7"',
  ],
])('plots of other shapes are refused: %j', async (plot, message) => {
  const ran = await hdrscope(['plot', '-'], { stdin: JSON.stringify({ version: 1, ...plot }) });
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^hdrscope: standard input: plot\./);
  expect(ran.stderr).toContain(message);
});

test('a kind that is no text is that of no plot', async () => {
  const stdin = '{"kind":{"toString":1,"valueOf":1}}';
  const { exitCode, stderr } = await hdrscope(['plot', '-'], { stdin });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^hdrscope: standard input is JSON/);
  expect(stderr).not.toContain('This should not happen');
});
