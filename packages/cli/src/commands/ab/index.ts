import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExitCode, UsageError } from '../../command.ts';
import { COMPARING } from '../../comparison/index.ts';
import { RUN_FORMS, RUN_OPTIONS } from '../../comparison/read-sides.ts';
import { defineCommand } from '../../define-command.ts';
import { printError } from '../../ending.ts';
import { listReports, REPORT, REPORT_FORMATS, writeReports } from '../../file-reports.ts';
import { DURATION } from '../../moment.ts';
import { integer } from '../../options.ts';
import { refusing } from '../../system-error.ts';
import { measure } from './measure.ts';
import { drawRuns, reportOf } from './report.ts';
import { RUN_FILE } from './run.ts';

const DESCRIPTION = `Runs two load tests in turn and compares them, as hdrscope diff does. Each command runs in a shell, and writes its values to
the file that the environment variable ${RUN_FILE} names, or to standard output: ${RUN_FORMS}.

Pairs of runs alternate, ABBA or BAAB, so that a machine that becomes slower harms both sides alike; --seed decides which. Warm-ups of
each side come first and are thrown away. After a half and three quarters of the runs, --fail-if-worse ends the comparison when its result is
clear: a percentile is worse, or for all of them an increase above the tolerance is excluded. Each look has a part of the error, so all of
them together keep --confidence.

Ctrl-C compares what was measured so far. The exit code is 4 when a load test fails, or its values cannot be read whole.`;

export const command = defineCommand({
  path: 'hdrscope ab',
  description: DESCRIPTION,
  examples: [
    "hdrscope ab --before './load.sh main' --after './load.sh branch' --fail-if-worse 5%",
    `hdrscope ab --before 'k6 run --out json=$${RUN_FILE} a.js' --after 'k6 run --out json=$${RUN_FILE} b.js' --runs 6`,
    "hdrscope ab --before 'node old.js' --after 'node new.js' --unit us --max-time 20m --report ab.md --report ab.xml",
  ],
  options: {
    before: {
      value: '<command>',
      help: 'the load test of one side',
      required: "a command, as in './load.sh main'",
    },
    after: {
      value: '<command>',
      help: 'the load test of the other side',
      required: "a command, as in './load.sh branch'",
    },
    runs: {
      value: '<n>',
      help: 'how many runs each side has at most',
      parse: integer(2, 1000),
      default: 10,
    },
    warmUps: {
      value: '<n>',
      help: 'how many runs of each side are thrown away first',
      parse: integer(0, 100),
      default: 1,
    },
    maxTime: { ...DURATION, help: 'begins no pair of runs that would end later', fallback: 'no limit' },
    seed: { value: '<n>', help: 'decides the order of the runs', parse: integer(0), default: 1 },
    keep: { value: '<folder>', help: 'keeps the files of all runs there', fallback: 'they are deleted' },
    ...COMPARING,
    report: REPORT,
    plot: {
      value: '<file>',
      help: 'draws the percentiles of all runs (.svg, .png, .html)',
      fallback: 'no picture',
    },
    ...RUN_OPTIONS,
  },
  formats: REPORT_FORMATS,
  formatNotes: 'junit is XML, markdown is for pull requests',
  output: 'by command',
  async run({ options, format }, io) {
    const outputs = listReports(options, format);
    const { runs, minRuns, failIfWorse, mustExclude, keep, plot } = options;
    if ((failIfWorse ?? mustExclude) !== undefined && runs < minRuns) {
      throw new UsageError(`--runs ${runs} is less than --min-runs ${minRuns}, which --fail-if-worse needs`);
    }
    // What was measured is compared after a signal, too.
    io.endSlowly?.();
    const { TMPDIR = tmpdir() } = io.environment;
    const folder = keep ?? (await mkdtemp(join(TMPDIR, 'hdrscope-ab-')));
    await mkdir(folder, { recursive: true });
    // A comparison that fails must not leave the verdict of an earlier one.
    for (const file of [...outputs.map((output) => output.file), plot])
      if (file !== undefined && file !== '-') await refusing(file, () => rm(file, { force: true }));
    try {
      const measured = await measure(options, folder, io);
      const afterwards = { ...io, signal: new AbortController().signal };
      await writeReports(outputs, reportOf(measured, options.seed), afterwards);
      if (plot !== undefined) await drawRuns(measured, plot, afterwards);
      return measured.exitCode;
    } catch (error) {
      if (error instanceof UsageError || io.signal.aborted) throw error;
      await printError(error, io);
      return ExitCode.failed;
    } finally {
      if (keep === undefined) await rm(folder, { recursive: true });
    }
  },
});
