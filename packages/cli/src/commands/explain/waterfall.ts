import { describeExplanation } from '@hdrscope/explain/internal';
import { scaled, valueFormat } from '@hdrscope/inputs/internal';
import { explanationWaterfall } from '@hdrscope/plot/internal';
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

/** @throws Refusal */
function waterfallOf({ explanation, metric }: Explained): WaterfallPlot {
  const shownUnit = shownUnitOf(explanation.unit ?? '');
  const { unit, title, scale } = shownUnit;
  if (explanation.isWide) {
    throw new Refusal(
      'parts of values in wide buckets have bounds, and are not drawn: --format text and --format json show them',
    );
  }
  const convert = (value: number): number => scaled(value, scale);
  const plot = explanationWaterfall(explanation, { metric: plotTitle(metric, shownUnit), unit, convert });
  if (plot !== undefined) return plot;
  const reason = describeExplanation(explanation, valueFormat([], scale), title);
  throw new Refusal(`there are no parts to draw: ${reason}`);
}
