import { OSD_DUMP } from '@hdrscope/testing/osd';
import { hdrscope } from './support/fake-io.ts';
import { evenly, logText, useFolder } from './support/logs.ts';

const folder = useFolder();

const LOG = logText([
  { tag: 'get', at: 0, ms: evenly(5000, 0.3) },
  { tag: 'put', at: 1, ms: evenly(5000, 3) },
]);

const COMMANDS: Readonly<Record<string, () => readonly string[]>> = {
  'log summary': () => [folder.write('a.hlog', LOG)],
  'log tail': () => [folder.write('a.hlog', LOG)],
  diff: () => ['--no-plot', folder.write('a.hlog', LOG), folder.write('b.hlog', LOG)],
  check: () => ['--slo', 'p99=100s', '--slo', 'max=100s', folder.write('a.hlog', LOG)],
  plot: () => ['--kind', 'bars', '--slo', 'p99=2s', folder.write('a.hlog', LOG)],
  record: () => ['--unit', 'ms', folder.write('n.txt', evenly(500, 0.3).join('\n'))],
  advise: () => ['--max', '1h'],
  bounds: () => ['--from', '5ms', '--to', '10s'],
  'ceph dump': () => [folder.write('dump.json', OSD_DUMP)],
};

// The paths of a test are longer than a line.
const isShort = (line: string): boolean =>
  !line.includes(folder.pathOf('')) && !/^(import| {2}highest)/.test(line);

describe.each(Object.keys(COMMANDS))('%s', (command) => {
  test.each([40, 80, 120])('fits on a terminal of %d columns', async (columns) => {
    const environment = { NO_COLOR: '1' };
    const { exitCode, stdout } = await hdrscope([...command.split(' '), ...COMMANDS[command]!()], {
      isTerminal: true,
      columns,
      environment,
    });
    expect(exitCode).toBe(0);
    const long = stdout.split('\n').filter((line) => isShort(line) && line.length > columns);
    expect(long).toEqual([]);
  });

  test('prints lines to a pipe that a narrow terminal would break', async () => {
    const args = [...command.split(' '), ...COMMANDS[command]!()];
    const { stdout } = await hdrscope(args);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeGreaterThan(40);
  });
});

test('a table leaves out spare columns before it breaks into lines', async () => {
  const path = folder.write('a.hlog', LOG);
  const titlesAt = async (columns: number, line = 2): Promise<string> => {
    const world = { isTerminal: true, columns, environment: { NO_COLOR: '1' } };
    return (await hdrscope(['log', 'summary', path], world)).stdout.split('\n')[line]!;
  };
  expect(await titlesAt(160)).toMatch(/intervals +from s +to s +length s/);
  expect(await titlesAt(80)).toMatch(/^tag +count +.*p50 +p90 +p99 +p99\.9 +max$/);
  expect(await titlesAt(40, 3)).toBe('get');
});
