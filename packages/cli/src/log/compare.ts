import { sumLogs } from '@hdrscope/interval-log';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import type { Io } from '../command.ts';
import {
  addComparing,
  type ComparedSide,
  type ComparingOptions,
  printComparison,
  VERDICTS,
  withValues,
} from '../comparison/comparison-input.ts';
import { nameOfPath } from '../inputs/input-file.ts';
import { MalformedTally } from '../inputs/malformed-tally.ts';
import { type TextUnit, textUnitOption } from '../inputs/percentile-input.ts';
import { addSelection, type SelectingOptions, selectionOf } from '../inputs/selection-options.ts';
import { unitOption } from '../shared-options.ts';
import type { ValueScale } from '../value-scale.ts';
import { openLogs } from './input.ts';

const DESCRIPTION = `Compares percentiles before and after a change, and says whether a difference is real.

${VERDICTS}

Percentile text (.hgrm, its CSV, wrk2 --latency) can be compared as well. Its values are known within
bounds, and a confidence interval contains the true difference for all values within the bounds.`;

interface Options extends SelectingOptions, ComparingOptions {
  readonly unit: ValueScale;
  readonly textUnit?: TextUnit;
}

/** The arguments of `hdrscope log compare`. */
export function parser(): Command {
  const command = createParser('hdrscope log compare', DESCRIPTION, [
    'hdrscope log compare before.hlog after.hlog',
    'hdrscope log compare --percentiles 50,99,99.9 --fail-if-worse 5% before.hlog after.hlog',
    'hdrscope log compare before.hgrm after.hlog',
    'hdrscope log compare --tag get --from 1m --confidence 0.999 --json before.hlog after.hlog',
  ])
    .argument('<before>', 'a log, or percentile text, before the change; - is standard input')
    .argument('<after>', 'the log, or percentile text, after the change');
  addComparing(command, [99])
    .addOption(unitOption())
    .addOption(textUnitOption())
    .option('--json', 'prints JSON');
  return addSelection(command);
}

/** `hdrscope log compare` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const selection = selectionOf(options);
  const { sources, texts, onBytes, finish } = await openLogs(operands, io, true, { ...options, selection });
  const malformed = new MalformedTally();
  const reading = { ...selection, onBytes, onMalformed: malformed.add };
  const sides: ComparedSide[] = [];
  try {
    for (const [at, source] of sources.entries()) {
      const name = nameOfPath(operands[at]!);
      const sum = withValues(await sumLogs([source], reading), name);
      sides.push({ name, values: texts[at] ?? sum, totalCount: sum.totalCount });
    }
  } finally {
    finish();
  }
  const [before, after] = sides as [ComparedSide, ComparedSide];
  const verdict = await printComparison(before, after, options.unit, options, io);
  const refused = await malformed.report(io);
  return Math.max(verdict, refused);
}
