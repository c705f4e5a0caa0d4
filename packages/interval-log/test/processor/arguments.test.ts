import { parseProcessorArgs } from '../../src/processor/arguments.ts';
import { PROCESSOR_ARGUMENTS } from '../../src/processor/usage.ts';
import { runInMemory } from './support.ts';

test.each([
  ['', {}],
  ['-i a.hlog -o out -tag A', { inputPath: 'a.hlog', outputPath: 'out', tag: 'A' }],
  ['--csv --listtags -v', { csv: true, listTags: true, verbose: true }],
  ['-start 1.5 -end 0x1p4', { startSec: 1.5, endSec: 16 }],
  ['-outputValueUnitRatio 1000d', { valueScale: 1000 }],
  ['-percentilesOutputTicksPerHalf 20', { ticksPerHalfDistance: 20 }],
  ['-correctLogWithKnownCoordinatedOmission 1e6', { expectedInterval: 1e6 }],
  ['-mwp 99.9', { movingWindow: { percentile: 99.9 } }],
  ['-mwpl 5000', { movingWindow: { lengthMs: 5000 } }],
  ['-mwpl 5000 -mwp 50', { movingWindow: { percentile: 50, lengthMs: 5000 } }],
  ['-start 1 -start 2 -alltags', { startSec: 2 }],
  // As in Java, the next argument is the value, even if it begins with a dash.
  ['-o -csv', { outputPath: '-csv' }],
])('parses the arguments "%s"', (args, options) => {
  expect(parseProcessorArgs(args.split(' ').filter(Boolean))).toEqual({ kind: 'process', options });
});

test('PROCESSOR_ARGUMENTS lists exactly the arguments that are accepted', () => {
  const listed = PROCESSOR_ARGUMENTS.map(({ name }) => name);
  let message = '';
  try {
    parseProcessorArgs(['-nonsense']);
  } catch (error) {
    ({ message } = error as Error);
  }
  const taken = /one of (.*), got/.exec(message)![1]!.split(', ');
  expect(listed.toSorted()).toEqual(taken.toSorted());
  for (const { name, value } of PROCESSOR_ARGUMENTS) {
    const args = value === undefined ? [name] : [name, '1'];
    expect(() => parseProcessorArgs(args)).not.toThrow();
    if (value !== undefined) expect(() => parseProcessorArgs([name])).toThrow('must be followed by a value');
  }
});

test('-h asks for help, whatever follows', () => {
  expect(parseProcessorArgs(['-csv', '-h', '-nonsense'])).toEqual({ kind: 'help' });
  expect(parseProcessorArgs(['--help'])).toEqual({ kind: 'help' });
});

test.each([
  [['-start', '5s'], '-start must be a number, got "5s"'],
  [['-mwpl', '1.5'], '-mwpl must be an integer from -9223372036854775808 to 9223372036854775807, got "1.5"'],
  [
    ['-percentilesOutputTicksPerHalf', '0'],
    '-percentilesOutputTicksPerHalf must be an integer of at least 1, got 0',
  ],
  [['-outputValueUnitRatio', '0'], '-outputValueUnitRatio must be a finite number above 0, got 0'],
  [['-csv', '-tag'], '-tag must be followed by a value, and is the last argument'],
  [['toString'], /^an argument must be one of -h, .*, got "toString"$/],
])('refuses %j', (args, message) => {
  expect(() => parseProcessorArgs(args)).toThrow(
    expect.objectContaining({
      code: 'ERR_INVALID_OPTION',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    }),
  );
});

test('a wrong argument prints its error and the usage to standard error, and the exit code is 1', async () => {
  const { exitCode, stdout, stderr } = await runInMemory(['-end', 'soon']);

  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^hdrscope log process: -end must be a number, got "soon"\n\nUsage: /);
});

test('the help names every argument', async () => {
  const { exitCode, stdout, stderr } = await runInMemory(['-h']);

  expect([exitCode, stderr]).toEqual([0, '']);
  for (const name of ['-alltags', '-mwp', '-mwpl', '-percentilesOutputTicksPerHalf', '-listtags']) {
    expect(stdout).toContain(` ${name} `);
  }
});
