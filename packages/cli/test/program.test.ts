import { Termination } from '../src/command.ts';
import { hdrscope, type World } from './support/fake-io.ts';
import { intervalLine } from './support/logs.ts';

test('lists its commands', async () => {
  const { exitCode, stdout, stderr } = await hdrscope(['--help']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('usage: hdrscope COMMAND [options]');
  expect(stdout).toMatch(/^ {2}log +works on interval logs \(\.hlog\)$/m);
  expect(stdout).toMatch(/exit codes:\n {2}0 done;/);
});

test('prints its usage without a command, and fails', async () => {
  const { exitCode, stdout, stderr } = await hdrscope(['log']);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain('usage: hdrscope log COMMAND [options]');
});

const COMMANDS = ['summary', 'tail', 'merge', 'slice', 'reinterval', 'convert'];

test.each(COMMANDS)('log %s has help with examples', async (command) => {
  const { exitCode, stdout, stderr } = await hdrscope(['log', command, '--help']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`Usage: hdrscope log ${command} [options]`);
  expect(stdout).toContain(`\nexamples:\n  hdrscope log ${command} `);
  expect(stdout).not.toContain('(default: {');
  expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
  expect((await hdrscope(['log', 'help', command])).stdout).toBe(stdout);
});

test.each([
  [['lgo'], "hdrscope: hdrscope has no command 'lgo': did you mean log?"],
  [['plto', 'x.hlog'], "hdrscope: hdrscope has no command 'plto': did you mean plot?"],
  [['elephant'], "hdrscope: hdrscope has no command 'elephant': hdrscope --help lists the commands"],
  [['record', '--output', 'json'], 'hdrscope: --output is the file: --format json says what is written'],
  [['log', 'summary', '--markdown', '--json', '-'], '--json and --markdown exclude each other'],
  [['log', 'summary', '--format', 'text', '--json', '-'], '--json and --format text exclude each other'],
  [['log', 'summary', '--percntiles', '50', '-'], '(Did you mean --percentiles?)'],
  [['log', 'sum'], "hdrscope: hdrscope log has no command 'sum': did you mean summary?"],
  [['--verbose'], "hdrscope: hdrscope has no option '--verbose': hdrscope --help lists the commands"],
  [['log', 'summary'], "hdrscope: missing required argument 'file'"],
  [['log', 'summary', '--jsno', '-'], "hdrscope: unknown option '--jsno'"],
  [
    ['log', 'summary', '--unit', 'h', '-'],
    "hdrscope: --unit must be ns, us, ms, s, bytes, KiB, none, got 'h'",
  ],
  [
    ['log', 'summary', '--percentiles', '101', '-'],
    'hdrscope: --percentiles must be percentiles from 0 to 100',
  ],
  [['log', 'summary', '--since', 'noon', '-'], 'hdrscope: --since must be seconds or a duration'],
  [['log', 'summary', '-', '-'], 'hdrscope: - is standard input, which can be read only once'],
  [['log', 'slice', '-'], 'hdrscope: hdrscope log slice needs --since, --until, --tag or --no-tag'],
  [['log', 'reinterval', '0s', '-'], 'hdrscope: the length must be a duration above 0'],
  [['log', 'convert', '-'], 'hdrscope: --format is required: v2, ndjson, csv, hgrm'],
  [['diff', '-', '-', '--fail-if-worse', '5'], 'hdrscope: --fail-if-worse must be a percentage'],
])('refuses %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await hdrscope(args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('    at ');
});

test('names a file that it cannot read', async () => {
  const missing = await hdrscope(['log', 'summary', '/nowhere/a.hlog']);
  expect(missing).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'hdrscope: no such file: /nowhere/a.hlog\n',
  });
  expect((await hdrscope(['log', 'summary', '/'])).stderr).toBe(
    'hdrscope: / is a folder, and a file is needed\n',
  );
});

test('HDRSCOPE_DEBUG shows where an error arose', async () => {
  const { stderr } = await hdrscope(['lgo'], { environment: { HDRSCOPE_DEBUG: '1' } });
  expect(stderr).toContain('    at ');
});

test.each([
  ['its output is closed', new Termination('nobody reads', 0), 0, ''],
  ['it is interrupted', new Termination('SIGINT', 130), 130, ''],
  [
    'the disk is full',
    new Termination('no space', 1),
    1,
    'hdrscope: the output cannot be written: no space\n',
  ],
])('ends when %s', async (_, reason, exitCode, stderr) => {
  const stdin = [1, 2].map((at) => intervalLine({ at, ms: [1] })).join('');
  const onOutput: World['onOutput'] = (_text, end) => end(reason);
  const within = 'a program has no output that fails between two texts';
  const ran = await hdrscope(['log', 'tail', '-'], { stdin, onOutput, within });
  expect([ran.exitCode, ran.stderr]).toEqual([exitCode, stderr]);
});
