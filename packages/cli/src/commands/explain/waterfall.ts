import {
  describeExplanation,
  type ExplainedCause,
  formatNames,
  formatPart,
} from '@hdrscope/history/internal';
import { scaled, valueFormat } from '@hdrscope/inputs/internal';
import { percentileName, valuesText } from '@hdrscope/kit';
import type { WaterfallPlot } from '@hdrscope/plot/render';
import { type Io, Refusal } from '../../command.ts';
import { writeWhole } from '../../output-options.ts';
import { plotTitle, shownUnitOf } from '../query/answer.ts';
import type { Explained } from './report.ts';

/**
 * Draws what an explanation names, and writes the picture.
 *
 * @param output A path; `-` is standard output.
 * @throws Refusal when the explanation has no parts, or the file cannot be written.
 */
export async function drawExplanation(
  explained: Explained,
  format: 'svg' | 'png',
  output: string | undefined,
  io: Io,
): Promise<void> {
  const plot = waterfallOf(explained);
  const render = await import('@hdrscope/plot/render');
  const picture = format === 'svg' ? render.renderSvg(plot) : await render.renderPng(plot);
  if (output !== undefined && output !== '-') await writeWhole([picture], output, io.signal);
  else if (typeof picture === 'string') await io.stdout.write(picture);
}

/** The parts of a difference as steps from the percentile before to that after. */
function waterfallOf({ explanation, metric }: Explained): WaterfallPlot {
  const { verdict, isWide, percentile, causes, unit: ucum = '', before, after } = explanation;
  const shownUnit = shownUnitOf(ucum);
  const { unit, title, scale } = shownUnit;
  if (isWide) {
    throw new Refusal(
      'parts of values in wide buckets have bounds, and are not drawn: --format text and json have them',
    );
  }
  const isExplained = verdict === 'explained';
  if (!isExplained && verdict !== 'nothing explains it') {
    throw new Refusal(
      `there are no parts to draw: ${describeExplanation(explanation, valueFormat([], scale), title)}`,
    );
  }
  const [from, to] = [before, after].map((side) => scaled(side.percentile!.value, scale)) as [number, number];
  const named = causes.filter(({ verdict }) => verdict.startsWith('explains it'));
  const left = named.reduce((rest, { explains }) => rest - explains, 1);
  const name = percentileName(percentile);
  return {
    kind: 'waterfall',
    title: plotTitle(`What moved ${name} of ${metric}`, shownUnit),
    subtitle: `${valuesText(before.count)} before, ${valuesText(after.count)} after`,
    unit,
    before: { name: 'before', value: from },
    steps: [
      ...named.map((cause) => step(nameOf(cause), cause.explains, to - from)),
      ...(Math.abs(left) < LEAST_PART
        ? []
        : [step(isExplained ? 'all other series' : 'no attribute value explains it', left, to - from)]),
    ],
    after: { name: 'after', value: to },
  };
}

/** A smaller part is the rounding of sums. */
const LEAST_PART = 1e-9;

function nameOf(cause: ExplainedCause): string {
  return cause.kind === 'share' ? `share of ${formatNames(cause, ' or ')}` : formatNames(cause, ' or ');
}

function step(name: string, part: number, whole: number): WaterfallPlot['steps'][number] {
  return { name, change: part * whole, note: formatPart(part, false) };
}
