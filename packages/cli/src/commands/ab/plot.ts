import { curveOf } from '@hdrscope/plot';
import type { Io } from '../../command.ts';
import { findFormats } from '../../output-options.ts';
import { assertDrawable, FORMATS, writePlots } from '../plot/drawing.ts';
import type { Measured } from './measure.ts';

export async function drawRuns({ sides }: Measured, output: string, io: Io): Promise<void> {
  const format = FORMATS.find((one) => findFormats(output)?.includes(one)) ?? 'text';
  assertDrawable(format, { output });
  const { divisor, unit } = sides.scale;
  const curves = (['before', 'after'] as const).flatMap((side) =>
    sides[side].map(({ values }, at) =>
      curveOf(`${side} ${at + 1}`, 'lowest' in values ? values.histogram : values, { valueScale: divisor }),
    ),
  );
  const plot = { kind: 'percentiles' as const, unit: unit === '' ? ('none' as const) : unit, curves };
  await writePlots([plot], format, { output }, [], io);
}
