import { commandTree } from '../src/completion/tree.ts';
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
    expect(
      examples
        .trim()
        .split('\n')
        .every((line) => line.includes(path)),
    ).toBe(true);
    expect(stdout).not.toMatch(/default: [{"[]|choices:|undefined/);
    // The help states the default of an option once.
    for (const option of stdout.split(/\n {2}(?=-)/))
      expect(option.split('default: ').length).toBeLessThan(3);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120);
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
