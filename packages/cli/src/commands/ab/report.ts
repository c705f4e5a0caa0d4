import { valueFormat } from '@hdrscope/inputs/internal';
import { formatCount, percentileName } from '@hdrscope/kit';
import { curveOf } from '@hdrscope/plot';
import type { Io } from '../../command.ts';
import { type ComparedRun, histogramOf } from '../../comparison/index.ts';
import { comparisonReport } from '../../comparison/report.ts';
import { percentText } from '../../comparison/words.ts';
import type { Report } from '../../file-reports.ts';
import { decimalText } from '../../format.ts';
import { findFormats } from '../../output-options.ts';
import type { Column } from '../../screen/table.ts';
import { assertDrawable, FORMATS, writePlots } from '../plot/drawing.ts';
import type { Measured } from './measure.ts';

/** The report of a comparison, with its runs and how busy the machine was. */
export function reportOf(measured: Measured, seed: number): Report {
  const { differences, runs, ending } = measured;
  const report = comparisonReport(differences);
  const [columns, rows] = runTable(measured);
  const more = { heading: `${runs.length} runs`, columns, rows };
  return {
    ...report,
    sections: report.sections.map((section) => ({
      ...section,
      ...{ sentences: [...section.sentences, endingText(measured)], more },
    })),
    json: () => ({
      ...report.json(),
      ...{ ending, seed },
      runs: runs.map(({ side, number, seconds, busy }) => ({
        ...{ side, number, seconds },
        busy: Number.isNaN(busy) ? null : busy,
      })),
    }),
  };
}

function endingText({ ending, sides: { before }, looks, confidence }: Measured): string {
  const pairs = `${before.length} ${before.length === 1 ? 'pair' : 'pairs'} of runs`;
  const level =
    looks === 1
      ? ''
      : ` All ${looks} looks at the runs together have a confidence of ${percentText(confidence)}.`;
  return `Ended after ${pairs}: ${ending}.${level}`;
}

/** A row for each run, in the order of time. */
function runTable({ runs, sides, differences }: Measured): [Column[], string[][]] {
  const percentiles = differences.comparison.percentiles.map(({ percentile }) => percentile);
  const valuesOf = (run: ComparedRun): number[] =>
    percentiles.map((percentile) => histogramOf(run).valueAtPercentile(percentile));
  const rows = runs.map((run) => ({ run, compared: sides[run.side][run.number - 1]! }));
  const format = valueFormat(
    rows.flatMap(({ compared }) => valuesOf(compared)),
    sides.scale,
  );
  return [
    [
      { title: 'run', isText: true },
      { title: 'values' },
      ...percentiles.map((percentile) => ({ title: percentileName(percentile) })),
      { title: 'seconds', spare: 2 },
      { title: 'busy', spare: 1 },
    ],
    rows.map(({ run: { side, number, seconds, busy }, compared }) => [
      `${side} ${number}`,
      formatCount(compared.totalCount),
      ...valuesOf(compared).map(format),
      decimalText(seconds, 1),
      percentText(busy, 2),
    ]),
  ];
}

// Plot.

export async function drawRuns({ sides }: Measured, output: string, io: Io): Promise<void> {
  const format = FORMATS.find((one) => findFormats(output)?.includes(one)) ?? 'text';
  assertDrawable(format, { output });
  const { divisor, unit } = sides.scale;
  const curves = (['before', 'after'] as const).flatMap((side) =>
    sides[side].map((run, at) => curveOf(`${side} ${at + 1}`, histogramOf(run), { valueScale: divisor })),
  );
  const plot = { kind: 'percentiles' as const, unit: unit === '' ? ('none' as const) : unit, curves };
  await writePlots([plot], format, { output }, [], io);
}
