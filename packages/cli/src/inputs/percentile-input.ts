import {
  type RebuiltText,
  rebuildPercentileText,
  type TextUnit,
  TIME_UNITS,
  type ValueScale,
} from '@hdrscope/inputs/internal';
import type { Selection } from '@hdrscope/interval-log';
import { Refusal, UsageError } from '../command.ts';
import { defineOption } from '../define-command.ts';
import { explained, type Input, wholeText } from './input.ts';

/** How a command treats percentile text as a log. */
export interface TextReading {
  readonly unit: ValueScale;
  readonly textUnit?: TextUnit;
  readonly selection: Selection;
  /** The effect of missing times on the command, for its note to the person. */
  readonly timeNote?: string;
  /** Gets the number of bytes of each chunk. */
  readonly onBytes?: (bytes: number) => void;
}

/** `--text-unit` */
export function textUnitOption(help = 'the unit of the values in percentile text', fallback = 'ms') {
  return defineOption({ value: '<unit>', help, choices: TIME_UNITS, fallback });
}

/** The content of percentile text. */
export interface PercentileInput extends Omit<RebuiltText, 'stated'> {
  readonly text: string;
}

/** @throws Refusal, UsageError, HdrscopeError */
export async function readPercentileInput(
  input: Pick<Input, 'name' | 'source'>,
  { unit, textUnit, selection, timeNote, onBytes }: TextReading,
): Promise<PercentileInput> {
  const { name } = input;
  if (unit.unit === '' && textUnit !== undefined) {
    throw new UsageError('--text-unit and --unit none exclude each other: values are taken as printed then');
  }
  assertSelected(name, selection);
  const text = await wholeText(input, 'percentile text', onBytes);
  const found = await explained(() => rebuildPercentileText(text, { name, scale: unit, unit: textUnit }));
  const { stated } = found;
  if (textUnit !== undefined && stated !== undefined && textUnit !== stated) {
    throw new UsageError(
      `${name} states that its values are in ${stated}: leave --text-unit ${textUnit} out`,
    );
  }
  const losses = timeNote === undefined ? found.losses : [...found.losses, `${name}: ${timeNote}`];
  return { ...found, text, losses };
}

function assertSelected(name: string, { tags, since, until }: Selection): void {
  if (since !== undefined || until !== undefined) {
    throw new Refusal(
      `${name} is percentile text and has no times: --since and --until select nothing of it`,
    );
  }
  if (tags !== undefined && ![...tags].includes(undefined)) {
    throw new Refusal(
      `${name} is percentile text and has no tag: --tag selects nothing of it. To compare it with a part of a log: hdrscope log slice --tag TAG FILE | hdrscope diff ${name} -`,
    );
  }
}
