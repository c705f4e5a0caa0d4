import { spawnSync } from 'node:child_process';
import { lackOfProgram, testUnless } from '@hdrscope/testing';
import { Command } from 'commander';
import { commandTree } from '../../src/commands/completion/index.ts';
import type { DefinedCommand } from '../../src/define-command.ts';
import { runCli } from '../../src/program.ts';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

const script = async (shell: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await hdrscope(['completion', shell]);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
};

/** The words that bash offers for the last word, after it has read the script. */
async function offered(...words: string[]): Promise<string[]> {
  const path = folder.write('completion.bash', await script('bash'));
  const ask = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _hdrscope; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync(
    'bash',
    ['--norc', '-c', ask, 'bash', path, 'hdrscope', ...words],
    {
      encoding: 'utf8',
      cwd: folder.pathOf(''),
    },
  );
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((word) => word !== '');
}

testUnless(lackOfProgram('bash'))('bash completes commands, and the commands of groups', async () => {
  expect(await offered('')).toEqual(expect.arrayContaining(['record', 'diff', 'advise', 'log', 'ebpf']));
  expect(await offered('re')).toEqual(['record']);
  expect(await offered('log', 'su')).toEqual(['summary']);
  expect(await offered('log', '')).toContain('reinterval');
});

testUnless(lackOfProgram('bash'))('bash completes options and their values', async () => {
  expect(await offered('record', '--unit', '')).toEqual(['ns', 'us', 'ms', 's', 'bytes', 'KiB', 'none']);
  expect(await offered('record', '--unit', '=', 'm')).toEqual(['ms']);
  expect(await offered('record', '--unit', '=')).toContain('ns');
  expect(await offered('record', '--di')).toEqual(['--digits']);
  expect(await offered('record', '--unit', 'ms', '--exp')).toEqual(['--expected-interval']);
  expect(await offered('diff', '--fail')).toEqual(['--fail-if-worse']);
  expect(await offered('log', 'summary', '--help')).toEqual(['--help']);
  // A value that cannot be guessed gets no completion.
  expect(await offered('record', '--digits', '')).toEqual([]);
  expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
});

testUnless(lackOfProgram('bash'))(
  'bash completes units of logs, and the arguments of log process',
  async () => {
    const units = ['ns', 'us', 'ms', 's', 'bytes', 'KiB', 'none'];
    for (const words of [['diff'], ['log', 'summary'], ['log', 'tail'], ['log', 'convert']]) {
      expect(await offered(...words, '--unit', '')).toEqual(units);
    }
    expect(await offered('diff', '--text-unit', '')).toEqual(['ns', 'us', 'ms', 's']);
    expect(await offered('plot', '--unit', 'K')).toEqual(['KiB']);
    expect(await offered('plot', '--format', 's')).toEqual(['svg']);
    expect(await offered('log', 'process', '-m')).toEqual(['-mwp', '-mwpl']);
    folder.write('a.hlog', '');
    expect(await offered('log', 'process', '-i', 'a.h')).toEqual(['a.hlog']);
    expect(await offered('log', 'process', '-mwp', '')).toEqual([]);
  },
);

testUnless(lackOfProgram('bash'))('bash completes files, also with blanks in their names', async () => {
  folder.write('my log.hlog', '');
  folder.write('my numbers.txt', '');
  expect(await offered('log', 'summary', 'my')).toEqual(['my log.hlog', 'my numbers.txt']);
  expect(await offered('record', '-o', 'my n')).toEqual(['my numbers.txt']);
  // A file with the name of a command is not a command.
  expect(await offered('record', 'log', '--un')).toEqual(['--unit']);
});

testUnless(lackOfProgram('zsh'))('zsh can read its script', async () => {
  const path = folder.write('_hdrscope', await script('zsh'));
  expect(spawnSync('zsh', ['-n', path], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

testUnless(lackOfProgram('fish'))('fish can read its script', async () => {
  const path = folder.write('hdrscope.fish', await script('fish'));
  expect(spawnSync('fish', ['--no-execute', path], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  });
});

testUnless(lackOfProgram('fish'))('fish completes commands, options and their values', async () => {
  const path = folder.write('asked.fish', await script('fish'));
  const completed = (line: string): string[] => {
    const { stdout } = spawnSync(
      'fish',
      ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', path, line],
      {
        encoding: 'utf8',
      },
    );
    return stdout.split('\n').map((offer) => offer.split('\t')[0]!);
  };
  expect(completed('hdrscope log su')).toEqual(['summary', '']);
  expect(completed('hdrscope record --di')).toEqual(['--digits', '']);
  expect(completed('hdrscope record --unit K')).toEqual(['KiB', '']);
  expect(completed('hdrscope log process -mw')).toEqual(['-mwp', '-mwpl', '']);
  expect(completed('hdrscope completion ')).toEqual(['bash', 'fish', 'zsh', '']);
});

test.each(['bash', 'zsh', 'fish'])('the script for %s names every command and its choices', async (shell) => {
  const text = await script(shell);
  for (const path of [
    'hdrscope record',
    'hdrscope log summary',
    'hdrscope log reinterval',
    'hdrscope completion',
  ]) {
    expect(text).toContain(`'${path}'`);
  }
  expect(text).toContain('base64');
  expect(text).not.toContain('undefined');
});

test('completion prints its script only, and reads nothing', async () => {
  const asked: string[] = [];
  const nothing = { isTerminal: false, columns: undefined, write: async () => {} };
  const io = {
    stdout: { ...nothing, write: async (text: string) => void asked.push(text) },
    stderr: nothing,
    stdin: {
      [Symbol.asyncIterator]: () => {
        throw new Error('standard input is read');
      },
    },
    environment: {},
    signal: new AbortController().signal,
    monotonicMs: () => 0,
  };
  expect(await runCli(['completion', 'bash'], io)).toBe(0);
  expect(asked).toHaveLength(1);
});

test('completes a command from its parser, without running the command', async () => {
  const command: DefinedCommand = {
    parser: () => new Command().option('-d, --deep', 'looks deeper: everywhere').argument('<file>'),
    run: () => {
      throw new Error('the command runs');
    },
  };
  const group = { path: 'tool', description: '', examples: [] };
  const load = async () => ({ command });
  const [outer, inner] = await commandTree({ ...group, commands: { probe: ['looks', load] } });
  expect(outer).toMatchObject({ path: 'tool', commands: [{ name: 'probe', summary: 'looks' }] });
  expect(inner).toEqual({
    path: 'tool probe',
    options: [
      { flags: ['--deep', '-d'], value: undefined, description: 'looks deeper' },
      { flags: ['--help', '-h'], value: undefined, description: 'prints help' },
    ],
    commands: [],
    operand: 'file',
  });
});

test('refuses a shell that it does not know', async () => {
  const { exitCode, stderr } = await hdrscope(['completion', 'tcsh']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
