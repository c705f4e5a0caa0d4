import { hdrscope } from '../support/fake-io.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';

const folder = useFolder();
const LOG = logText([{ tag: 'get', at: 0, ms: evenly(100) }]);

/** The commands that a file proposes, without the name of the program. */
const proposed = (stdout: string): string[] =>
  [...stdout.split('\nnext:\n')[1]!.matchAll(/^ {2}hdrscope (.*)$/gm)].map(([, words]) => words!);

test('a log is summarised, and its next commands are named', async () => {
  const path = folder.write('service.hlog', LOG);
  const { exitCode, stdout, stderr } = await hdrscope([path]);
  expect([exitCode, stderr]).toEqual([0, '']);
  const { stdout: summary } = await hdrscope(['log', 'summary', path]);
  expect(stdout.startsWith(summary)).toBe(true);
  expect(proposed(stdout)).toEqual([
    `plot ${path} -o service.hlog.html`,
    `check ${path} --slo p99=250ms`,
    `log tail -f ${path}`,
  ]);
});

test('each proposed command that needs nothing else runs', async () => {
  const path = folder.write('it is mine.txt', '1\n2\n3\n');
  const { stdout } = await hdrscope([path]);
  expect(stdout).toContain(`  hdrscope record '${path}' --unit ms\n`);
  const { exitCode, stdout: record } = await hdrscope(['record', path, '--unit', 'ms']);
  expect(exitCode).toBe(0);
  expect(record).toContain('ms');
});

test('the folder of a history shows its metrics', async () => {
  const history = folder.pathOf('history');
  await hdrscope(['history', 'import', folder.write('service.hlog', LOG), '-o', history]);
  const { exitCode, stdout } = await hdrscope([history]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^metric .*\nvalues /);
  expect(proposed(stdout)[0]).toBe(`query ${history} --metric NAME`);
});

test('a dump of Ceph is read by the commands of Ceph', async () => {
  const dump = new URL('../../../../examples/data/osd.json', import.meta.url).pathname;
  const { stdout } = await hdrscope([dump]);
  expect(stdout.startsWith((await hdrscope(['ceph', 'dump', dump])).stdout)).toBe(true);
  expect(proposed(stdout)[0]).toBe(`ceph heatmap ${dump}`);
  expect((await hdrscope(['inspect', dump])).stdout).toContain('has perf histograms of Ceph');
});

test.each([
  ['a picture', '<svg xmlns="http://www.w3.org/2000/svg"></svg>', 1, /is a picture/],
  ['a text of words', 'some words\nand more\n', 1, /is text of no known form/],
  ['a table', 'name,latency_ms\na,1\nb,2\n', 0, /is a table; /],
])('%s is named, and what to do', async (_, text, exitCode, sentence) => {
  const found = await hdrscope([folder.write('thing', text)]);
  expect(found).toEqual({ exitCode, stdout: expect.stringMatching(sentence), stderr: '' });
  expect(found.stdout).not.toContain('next:');
});

test('options behind a file are refused, and words that are no file are commands', async () => {
  const path = folder.write('service.hlog', LOG);
  expect(await hdrscope([path, '--json'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`takes one file and no options, got '--json' too`),
  });
  expect(await hdrscope(['summary', path])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("no command 'summary': did you mean log summary?"),
  });
});
