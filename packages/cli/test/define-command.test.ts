import { readArguments } from '../src/arguments.ts';
import type { Io } from '../src/command.ts';
import { defineCommand } from '../src/define-command.ts';
import { integer } from '../src/options.ts';

const command = defineCommand({
  path: 'tool',
  description: 'Counts.',
  examples: ['tool --name a'],
  operands: { '[file]': { help: 'a file', fallback: '-' } },
  options: {
    name: { value: '<name>', help: 'its name', required: 'a name, as in a' },
    perDecade: { short: '-d', value: '<count>', help: 'how many', parse: integer(1, 9), default: 3 },
    unit: { value: '<unit>', help: 'the unit', choices: ['s', 'ms'], parse: (unit: string) => `in ${unit}` },
    label: { value: '<text>', help: 'a label', isRepeated: true, fallback: 'none' },
    noPlot: { help: 'draws nothing', default: true },
    token: { value: '[text]', help: 'a token' },
  },
  formats: ['text', 'json'],
  async run({ options, operands, format }, io) {
    // The compiler knows the types of all values.
    const { name, perDecade, unit, label, plot, token } = options;
    const known: [string, number, string | undefined, readonly string[], boolean, string | true | undefined] =
      [...([name, perDecade, unit, label, plot, token] as const)];
    await io.stdout.write(JSON.stringify([...known, operands, format]));
    return 0;
  },
});

async function run(...words: string[]): Promise<unknown> {
  let printed = '';
  const write = async (text: string): Promise<void> => {
    printed += text;
  };
  const output = { isTerminal: false, columns: undefined, write };
  const io = { stdout: output, stderr: output, environment: {} } as unknown as Io;
  const given = await readArguments(command.parser(), words, io);
  if (given === undefined) return printed;
  await command.run(given, io);
  return JSON.parse(printed);
}

test('a table of options gives flags, values and defaults', async () => {
  expect(await run('--name', 'a')).toEqual(['a', 3, null, [], true, null, [], 'text']);
  const words = ['--name', 'a', '-d', '4', '--unit', 's', '--label', 'x', '--label', 'y', '--no-plot'];
  expect(await run(...words, 'file', '--json', '--token')).toEqual([
    'a',
    4,
    'in s',
    ['x', 'y'],
    false,
    true,
    ['file'],
    'json',
  ]);
});

test.each([
  [[], '--name is required: a name, as in a'],
  [['--name', ''], '--name is required: a name, as in a'],
  [['--name', 'a', '--per-decade', '10'], "--per-decade must be an integer from 1 to 9, got '10'"],
  [['--name', 'a', '--unit', 'h'], "--unit must be s, ms, got 'h'"],
  [['--name', 'a', 'file', 'another'], 'too many arguments'],
])('refuses %j', async (words, message) => {
  await expect(run(...words)).rejects.toThrow(message);
});

test('the help states what is required, and each default once', async () => {
  expect(await run('--help')).toContain(`Usage: tool [options] [file]

Counts.

Arguments:
  file                      a file (default: -)

Options:
  --name <name>             its name; required
  -d, --per-decade <count>  how many (default: 3)`);
});
