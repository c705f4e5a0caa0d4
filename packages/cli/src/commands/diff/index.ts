import { COMPARING, differencesOf, exitCodeOf, VERDICTS } from '../../comparison/index.ts';
import { RUN_FORMS, RUN_OPTIONS, readSides } from '../../comparison/read-sides.ts';
import { comparisonReport } from '../../comparison/report.ts';
import { defineCommand } from '../../define-command.ts';
import { formatReport, REPORT_FORMATS } from '../../file-reports.ts';
import { findRunFiles } from './sides.ts';

const DESCRIPTION = `Compares percentiles of two programs, or of one before and after a change. A run is a file in any of these forms: ${RUN_FORMS}.

${VERDICTS}

Numbers have the unit that is written with them (12ms), else --unit, else none. Beside a log, --text-unit
states the unit of numbers and of percentile text. Numbers are counted as hdrscope record counts them;
compared with a log, in steps of --unit.

Percentile text has values within bounds, and a confidence interval contains the true difference for all
values within the bounds.`;

export const command = defineCommand({
  path: 'hdrscope diff',
  description: DESCRIPTION,
  examples: [
    'hdrscope diff before.hlog after.hlog',
    'hdrscope diff --before main/*.hlog --after pr/*.hlog --fail-if-worse 5%',
    'hdrscope diff --unit us yesterday.txt today.txt --percentiles 50,99',
    'cat latencies.txt | hdrscope diff --text-unit ms --percentiles 50,99 reference.hgrm -',
    'hdrscope diff --column duration --unit s before.csv after.csv --json',
  ],
  operands: {
    '[file...]': 'one run before and one after; - is standard input',
  },
  options: {
    before: {
      value: '<file...>',
      help: 'the runs of one side: files, or folders of them',
      isRepeated: true,
      fallback: 'the first file',
    },
    after: {
      value: '<file...>',
      help: 'the runs of the other side',
      isRepeated: true,
      fallback: 'the second file',
    },
    ...COMPARING,
    ...RUN_OPTIONS,
    plot: { help: 'draws both curves below the table', fallback: 'on a terminal' },
    noPlot: { help: 'draws no curves' },
  },
  formats: REPORT_FORMATS,
  formatNotes: 'junit is XML, markdown is for pull requests',
  output: 'when done',
  async run({ options, operands, format }, io) {
    const { plot = io.stdout.isTerminal } = options;
    const files = await findRunFiles(operands, options);
    const { before, after, scale, reading } = await readSides(files, options, 'hdrscope diff', io);
    const differences = differencesOf(before, after, scale, options);
    await io.stdout.write(formatReport(comparisonReport(differences), format, io));
    if (plot && format === 'text') {
      const { plotOf } = await import('../../comparison/plot.ts');
      await io.stdout.write(`\n${plotOf([before, after], scale, io)}`);
    }
    return reading.report(exitCodeOf(differences));
  },
});
