import { existsSync, rmSync } from 'node:fs';
import { commandTree } from '../src/commands/completion/index.ts';
import type { CommandNode } from '../src/group.ts';
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

// It writes into a folder.
const TO_FOLDER = 'hdrscope history import';
const writers = nodes.filter(
  ({ path, options }) =>
    ![TO_FOLDER, FOREIGN].includes(path) && options.some(({ flags }) => flags.includes('-o')),
);

/** Runs a command with as many words as it needs. */
async function runWith({ path, operand }: CommandNode, options: readonly string[]) {
  const word = typeof operand === 'string' ? '-' : operand[0]!;
  for (let words = 0; ; words++) {
    const args = [...path.split(' ').slice(1), ...Array<string>(words).fill(word), ...options];
    const result = await hdrscope(args);
    if (!/missing required argument/.test(result.stderr) || words === 4) return result;
  }
}

test.each(
  writers.flatMap((node) =>
    ['y.xyz', 'y.tar.gz', 'y.JSONX', 'y.doc'].map((file) => [node.path, file, node] as const),
  ),
)('%s -o %s is refused: the ending stands for nothing that the command writes', async (path, file, node) => {
  rmSync(file, { force: true });
  const { exitCode, stdout, stderr } = await runWith(node, ['-o', file]);
  expect([exitCode, stdout, existsSync(file)]).toEqual([2, '', false]);
  const [, known = ''] =
    /^hdrscope: --output \S+ has the ending of a format that .* does not write: it writes (.*), and .*\n/.exec(
      stderr,
    ) ?? [];
  expect(stderr).toContain(`--output ${file} `);
  expect(stderr).toContain(`that ${path} does not write: it writes `);
  expect(known).toMatch(/\(\.[a-z]+/);
});

test('there are many commands that write files', () => {
  expect(writers.length).toBeGreaterThan(20);
});

const SINCE = nodes.filter(({ options }) => options.some(({ flags }) => flags.includes('--since')));

test.each(
  SINCE.flatMap((node) =>
    (
      [
        ['--from', '--since'],
        ['--start', '--since'],
        ['--to', '--until'],
        ['--end', '--until'],
      ] as const
    )
      .filter(
        ([typed, meant]) =>
          node.options.some(({ flags }) => flags.includes(meant)) &&
          !node.options.some(({ flags }) => flags.includes(typed)),
      )
      .map((words) => [node.path, ...words, node] as const),
  ),
)('%s %s suggests %s', async (_path, typed, meant, node) => {
  const { exitCode, stderr } = await runWith(node, [typed, '10']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`unknown option '${typed}'\n(Did you mean ${meant}?)`);
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
