import { Histogram } from '@hdrscope/core';
import { type CountsForm, type RequestForm, readRequests } from '@hdrscope/inputs';
import {
  errorNotes,
  hasRequests,
  numberUnit,
  requestFacts,
  type SketchForm,
} from '@hdrscope/inputs/internal';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { defineOptions, type OptionsOf, toFlag } from '../../define-command.ts';
import { listReadBy } from '../../inputs/forms.ts';
import { bytesOf, explained, type Input } from '../../inputs/input.ts';
import { LineTally } from '../../inputs/line-tally.ts';
import type { Inputs } from '../../inputs/open-inputs.ts';
import { groupOption, LOG_FORMAT, WHERE } from '../../options.ts';
import { writeLines } from '../../output-options.ts';
import { formatGroups, groupInputs } from './groups.ts';
import { outputFormats, type Recorded } from './outputs.ts';

/** How requests are grouped and chosen. */
export const REQUEST_OPTIONS = defineOptions({
  by: groupOption('has a row', 'all requests are one distribution'),
  where: {
    ...WHERE,
    help: 'key=value: only requests with this label; may be repeated',
    fallback: 'all requests',
  },
  logFormat: LOG_FORMAT,
  routes: {
    value: '<list>',
    help: 'routes of an access log, as in /cart/:id,/files/*; other paths get theirs by what their segments look like',
    parse: (text: string) => text.split(',').map((one) => one.trim()),
    default: [],
    fallback: 'none',
  },
});

/** The forms of inputs that `record` counts. */
export type RecordKind = 'numbers' | RequestForm | CountsForm | SketchForm;

export const TAKEN: readonly RecordKind[] = listReadBy('record');

/** Options of numbers, which these inputs do not take. */
export const OF_NUMBERS = ['unit', 'resolution', 'expectedInterval', 'field', 'separator'] as const;

/** Options as the command line has them. */
export interface LoadOptions extends OptionsOf<typeof REQUEST_OPTIONS> {
  readonly digits: number;
  readonly percentiles: readonly number[];
  readonly format: keyof typeof outputFormats;
  readonly output?: string;
  readonly plot: boolean;
}

/** Counts the requests of load tests and access logs, and shows them as one distribution or by their labels. @throws Refusal, UsageError */
export async function recordLoad(
  { inputs, progress }: Inputs<RecordKind>,
  options: LoadOptions,
  io: Io,
): Promise<number> {
  const numbers = inputs.find(({ kind }) => kind === 'numbers');
  if (numbers !== undefined)
    throw new Refusal(`${numbers.name} has numbers, and others have requests: record them separately`);
  const found = inputs as readonly Input<RequestForm | CountsForm>[];
  assertNoNumberOptions(options, OF_NUMBERS, `${found[0]!.name} has its own unit`);
  const { by, percentiles, format, output } = options;
  const { kind } = found[0]!;
  const isOne =
    by.length === 0 && hasRequests(kind) && found.length === 1 && Object.keys(options.where).length === 0;
  if (!isOne && format !== 'text' && format !== 'json')
    throw new UsageError(
      `--format ${format} is of all requests of one file, and groups are text or json: leave out --by and --where`,
    );
  const { onBytes, finish } = progress;
  const badLines = new LineTally();
  if (isOne) {
    const recorded = await countRequests({ ...found[0]!, kind }, options, { onBytes, badLines }).finally(
      finish,
    );
    const exitCode = await badLines.report(io);
    if (recorded.histogram.totalCount === 0) throw new Refusal(`${recorded.name} has no requests to count`);
    for (const note of errorNotes(requestFacts(kind, requestOptions(options))))
      await io.stderr.write(`hdrscope: ${note}\n`);
    await writeLines(outputFormats[format](recorded, options, io), output, io);
    return exitCode;
  }
  const grouped = await groupInputs(found, { ...options, onBytes, badLines }).finally(finish);
  const exitCode = await badLines.report(io);
  if (grouped.groups.length === 0) throw new Refusal(`${grouped.name} has no values to count`);
  for (const note of grouped.notes) await io.stderr.write(`hdrscope: ${note}\n`);
  await writeLines(formatGroups(grouped, percentiles, format === 'json' ? 'json' : 'text', io), output, io);
  return exitCode;
}

/** @throws UsageError when an option of numbers is given. */
export function assertNoNumberOptions(
  options: object,
  names: readonly (typeof OF_NUMBERS)[number][],
  reason: string,
): void {
  const wrong = names.find((name) => (options as Readonly<Record<string, unknown>>)[name] !== undefined);
  if (wrong !== undefined)
    throw new UsageError(`${toFlag(wrong)} is for numbers, and ${reason}: leave it out`);
}

/** Counts all requests of an input as one distribution. */
async function countRequests(
  input: Input<RequestForm>,
  options: LoadOptions,
  { onBytes, badLines }: { readonly onBytes: (bytes: number) => void; readonly badLines: LineTally },
): Promise<Recorded> {
  const { digits, percentiles } = options;
  const { kind, name } = input;
  const { errorMs } = await explained(() => requestFacts(kind, requestOptions(options)));
  const histogram = new Histogram({ significantDigits: digits });
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  const onRequest = (durationMs: number): void => {
    const ticks = Math.round(durationMs * TICKS_PER_MS);
    histogram.record(ticks);
    if (ticks < least) least = ticks;
    if (ticks > most) most = ticks;
  };
  await explained(() =>
    readRequests(
      kind,
      bytesOf(input, onBytes),
      { onRequest },
      { ...requestOptions(options), name, onBadLine: badLines.add },
    ),
  );
  const unit = numberUnit('ms');
  return { histogram, least, most, unit, digits, name, percentiles, ...(errorMs && { errorMs }) };
}

// A tick of milliseconds is a nanosecond.
const TICKS_PER_MS = 1e6;

export function requestOptions({ logFormat, routes }: OptionsOf<typeof REQUEST_OPTIONS>): {
  readonly logFormat?: string;
  readonly routes: readonly string[];
} {
  return { routes, ...(logFormat !== undefined && { logFormat }) };
}

/** @throws UsageError when numbers are to be grouped. */
export function assertUngrouped({ by, where, routes }: OptionsOf<typeof REQUEST_OPTIONS>): void {
  const given = [
    ['--by', by.length > 0],
    ['--where', Object.keys(where).length > 0],
    ['--routes', routes.length > 0],
  ].find(([, isGiven]) => isGiven);
  if (given !== undefined)
    throw new UsageError(
      `${given[0]} is for access logs and load tests, and numbers have no labels: leave it out`,
    );
}
