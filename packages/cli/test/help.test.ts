import { commandTree } from '../src/completion/tree.ts';
import { HDRSCOPE } from '../src/program.ts';
import { hdrscope } from './support/fake-io.ts';

const nodes = await commandTree(HDRSCOPE);
const paths = nodes.map(({ path }) => path);

test('there are commands under all groups', () => {
  expect(paths).toEqual(
    expect.arrayContaining(['hdrscope record', 'hdrscope log summary', 'hdrscope ebpf read']),
  );
  expect(new Set(paths).size).toBe(paths.length);
});

// It takes the arguments of another program, and so its help is the one of that.
const FOREIGN = 'hdrscope log process';

test.each(paths.filter((path) => path !== FOREIGN))('%s --help has examples, of itself', async (path) => {
  const [, ...words] = path.split(' ');
  const { exitCode, stdout, stderr } = await hdrscope([...words, '--help']);
  expect([exitCode, stderr]).toEqual([0, '']);
  const [, examples = ''] = stdout.split('\nexamples:\n');
  expect(examples).toContain(`${path} `);
  expect(
    examples
      .trim()
      .split('\n')
      .every((line) => line.includes(path)),
  ).toBe(true);
  expect(stdout).not.toMatch(/default: [{"[]|choices:|undefined/);
  // Of an option its default is told once.
  for (const option of stdout.split(/\n {2}(?=-)/)) expect(option.split('default: ').length).toBeLessThan(3);
  expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120);
});

test.each(paths.filter((path) => path !== FOREIGN))('%s says which option it does not know', async (path) => {
  const [, ...words] = path.split(' ');
  const { exitCode, stdout, stderr } = await hdrscope([...words, '--no-such-option']);
  expect([exitCode, stdout]).toEqual([2, '']);
  // What is missing is told first.
  expect(stderr).toMatch(/--no-such-option|required option/);
  expect(stderr).toContain('--help lists the ');
});
