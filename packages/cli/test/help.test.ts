import { commandTree } from '../src/commands/completion/tree.ts';
import { HDRSCOPE } from '../src/program.ts';
import { hdrscope } from './support/fake-io.ts';

const nodes = await commandTree(HDRSCOPE);
const paths = nodes.map(({ path }) => path);

test('the tree has the commands of all groups, each once', () => {
  expect(paths).toEqual(
    expect.arrayContaining(['hdrscope record', 'hdrscope log summary', 'hdrscope ebpf read']),
  );
  expect(new Set(paths).size).toBe(paths.length);
});

test('the help has each command in one section', () => {
  const names = Object.values(HDRSCOPE.sections!).flat();
  expect(names.toSorted()).toEqual(Object.keys(HDRSCOPE.commands).toSorted());
});

// This command takes the arguments of another program, so its help is the help of that program.
const FOREIGN = 'hdrscope log process';

test.each(paths.filter((path) => path !== FOREIGN))(
  '%s --help has examples of this command only',
  async (path) => {
    const [, ...words] = path.split(' ');
    const { exitCode, stdout, stderr } = await hdrscope([...words, '--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    const [, examples = ''] = stdout.split('\nexamples:\n');
    expect(examples).toContain(`${path} `);
    const lines = examples.trim().replaceAll(' \\\n', ' ').split('\n');
    expect(lines.every((line) => line.includes(path))).toBe(true);
    expect(stdout).not.toMatch(/default: [{"[]|choices:|undefined/);
    // The help states the default of an option once.
    for (const option of stdout.split(/\n {2}(?=-)/))
      expect(option.split('default: ').length).toBeLessThan(3);
  },
);

test.each(paths.filter((path) => path !== FOREIGN))('%s reports an unknown option', async (path) => {
  const [, ...words] = path.split(' ');
  const { exitCode, stdout, stderr } = await hdrscope([...words, '--no-such-option']);
  expect([exitCode, stdout]).toEqual([2, '']);
  // A missing argument is reported first.
  expect(stderr).toMatch(/--no-such-option|required option/);
  expect(stderr).toContain('--help lists the ');
});

test.each([
  [{}, 80],
  [{ isTerminal: true, columns: 20 }, 40],
  [{ isTerminal: true, columns: 40 }, 40],
  [{ isTerminal: true, columns: 80 }, 80],
  [{ isTerminal: true, columns: 120 }, 100],
  [{ environment: { COLUMNS: '60' } }, 60],
])('no line of help is longer than the screen: %j', async (world, columns) => {
  for (const path of paths.filter((path) => path !== FOREIGN)) {
    const { stdout } = await hdrscope([...path.split(' ').slice(1), '--help'], world);
    const lines = stdout.split('\n');
    // A word that is longer than a line stays whole.
    const long = lines.filter((line) => line.length > columns && line.trim().includes(' '));
    expect([path, long.filter((line) => !LONG_WORD.test(line))]).toEqual([path, []]);
    expect(lines.filter((line) => line.length > columns).length).toBeLessThanOrEqual(4);
  }
});

/** A line that has one word, perhaps with an option before it or a backslash after it. */
const LONG_WORD = /^\s*(--?[\w-]+ )?\S{20,}( \\)?$|'/;

test('a line of help is as long as the screen allows', async () => {
  const longest = async (columns: number): Promise<number> => {
    const { stdout } = await hdrscope(['record', '--help'], { isTerminal: true, columns });
    return Math.max(...stdout.split('\n').map(({ length }) => length));
  };
  expect(await longest(80)).toBeGreaterThan(70);
  expect(await longest(120)).toBeGreaterThan(90);
});
