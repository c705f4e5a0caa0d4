import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { type LogKind, randomLog } from './support/random-log.ts';

const hdrscope = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const run = promisify(execFile);

const LOGS: Readonly<Record<string, LogKind>> = {
  absolute: { times: 'start' },
  relative: { times: 'relative' },
  base: { times: 'base' },
  'no-start': { times: 'none' },
  'two-starts': { times: 'two-starts' },
  doubles: { times: 'start', isDouble: true },
};

const CORRECT = '-correctLogWithKnownCoordinatedOmission';
const RATIO = '-outputValueUnitRatio';
const TICKS = '-percentilesOutputTicksPerHalf';

/** The log, and the arguments without -i and -o. */
const RUNS: readonly (readonly [log: string, args: string, timeZone?: string])[] = [
  ['absolute', ''],
  ['relative', ''],
  ['base', ''],
  ['no-start', ''],
  ['two-starts', ''],
  ['doubles', ''],
  ['absolute', '-csv'],
  ['doubles', '-csv'],
  ['absolute', '-tag A'],
  ['relative', '-tag get=1 -csv'],
  ['doubles', '-tag A'],
  ['absolute', '-start 7.5'],
  ['relative', '-end 20'],
  ['base', '-start 5 -end 25.25'],
  ['two-starts', '-start 3 -end 0x1p4'],
  ['doubles', '-start 5 -end 25'],
  ['absolute', '-mwp 99.9 -mwpl 5000'],
  ['relative', '-mwp 50'],
  ['base', '-mwpl 1 -csv'],
  ['no-start', '-mwp 0 -mwpl 10000 -tag A'],
  ['two-starts', '-mwp 1e-5 -mwpl 100000000'],
  // For doubles, Java keeps reporting the maximum of values that have left the window.
  ['doubles', '-mwp 75.5 -mwpl 100000000'],
  ['relative', `${CORRECT} 1000000`],
  ['absolute', `${CORRECT} 50000.7 -csv -mwp 90 -mwpl 4000`],
  ['base', `${CORRECT} 10000000 -start 4`],
  ['no-start', `${CORRECT} 0.5`],
  ['relative', `${RATIO} 1`],
  ['doubles', `${RATIO} 1 -csv`],
  ['two-starts', `${RATIO} 0.7d ${TICKS} 1`],
  ['absolute', `${TICKS} 20 -alltags -v`],
  ['doubles', `${TICKS} 2 ${RATIO} 1e3`],
  ['relative', '', 'Europe/Berlin'],
  ['absolute', '-csv', 'Asia/Kolkata'],
];

const STDOUT_RUNS: readonly (readonly [log: string, args: string])[] = [
  ['absolute', '-listtags'],
  ['doubles', '-listtags -end 10'],
  ['relative', '-mwp 99'],
  ['base', '-csv -tag A'],
  ['doubles', '-start 2'],
];

describeWithPeers(['hdrhistogram-java'])("HdrHistogram's log processor", () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-log-processor-'));
    Object.entries(LOGS).forEach(([name, kind], i) => {
      writeFileSync(pathOf(name), randomLog(20_261_121 + i, kind));
    });
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function pathOf(log: string): string {
    return join(folder, `${log}.hlog`);
  }

  async function java(args: readonly string[], timeZone: string): Promise<string> {
    const { stdout, stderr } = await run(
      'java',
      [
        ...['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', programOf('hdrhistogram-java')],
        ...['org.HdrHistogram.HistogramLogProcessor', ...args],
      ],
      { env: { ...process.env, TZ: timeZone } },
    );
    expect(stderr).toBe('');
    return stdout;
  }

  async function ours(args: readonly string[], timeZone: string): Promise<string> {
    const env = { ...process.env, TZ: timeZone };
    const { stdout } = await run(process.execPath, [hdrscope, 'log', 'process', ...args], { env });
    return stdout;
  }

  /** The text of each file that a run has written, by the end of its name. */
  function filesOf(output: string): Record<string, string> {
    const endings = ['', '.hgrm', '.mwp'].filter((ending) => existsSync(output + ending));
    return Object.fromEntries(
      endings.map((ending) => {
        const text = readFileSync(output + ending, 'utf8');
        // Only version 2.1.11 spells it like this.
        return [ending, text.replace('WindoCount', 'WindowCount')];
      }),
    );
  }

  test.each(RUNS.map(([log, args, timeZone = 'UTC']) => [log, args, timeZone] as const))(
    'writes the same files as ours: %s %s (%s)',
    async (log, args, timeZone) => {
      const list = ['-i', pathOf(log), ...args.split(' ').filter(Boolean)];
      const [theirs, own] = [join(folder, 'java'), join(folder, 'ours')];
      for (const file of readdirSync(folder)) if (!file.endsWith('.hlog')) rmSync(join(folder, file));

      const printed = await Promise.all([
        java([...list, '-o', theirs], timeZone),
        ours([...list, '-o', own], timeZone),
      ]);
      expect(printed).toEqual(['', '']);
      expect(Object.keys(filesOf(theirs))).toHaveLength(args.includes('-mwp') ? 3 : 2);
      expect(filesOf(own)).toEqual(filesOf(theirs));
    },
  );

  test.each(STDOUT_RUNS)('prints the same as ours: %s %s', async (log, args) => {
    const list = ['-i', pathOf(log), ...args.split(' ')];
    const [theirs, own] = await Promise.all([java(list, 'UTC'), ours(list, 'UTC')]);

    expect(theirs.split('\n').length).toBeGreaterThan(2);
    expect(own).toBe(theirs);
  });
});
