import type { CountsForm, RequestForm } from '@hdrscope/inputs';
import {
  errorNotes,
  figuresJson,
  hasCounts,
  requestFacts,
  summarizeCountsGroups,
  summarizeRequestGroups,
  type ValueGroup,
  valueScaleOf,
} from '@hdrscope/inputs/internal';
import { formatCount } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { columnsFor, figureCells, jsonDocument } from '../../figures.ts';
import { bytesOf, explained, type Input } from '../../inputs/input.ts';
import type { LineTally } from '../../inputs/line-tally.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { type Column, shownTable } from '../../screen/table.ts';

/** What is grouped, and how. */
interface Grouping {
  readonly by: readonly string[];
  readonly where: Readonly<Record<string, string>>;
  readonly logFormat?: string | undefined;
  readonly routes: readonly string[];
  readonly percentiles: readonly number[];
  readonly digits: number;
  readonly onBytes: (bytes: number) => void;
  readonly badLines: LineTally;
}

/** Groups of values, the labels that tell them apart, and what a reader should know of them. */
export interface Grouped {
  readonly name: string;
  /** How many requests there are. @default groups may have the same ones */
  readonly requests?: number;
  readonly keys: readonly string[];
  readonly groups: readonly ValueGroup[];
  readonly notes: readonly string[];
  /** The unit of the values. @default 'ms' */
  readonly unit?: CountedUnit;
}

/**
 * Groups the values of inputs of one form by their labels.
 *
 * @throws Refusal, UsageError
 */
export async function groupInputs(
  inputs: readonly Input<RequestForm | CountsForm>[],
  { by, where, logFormat, routes, percentiles, digits, onBytes, badLines }: Grouping,
): Promise<Grouped> {
  const kind = findOneForm(inputs);
  const name = inputs.map((input) => input.name).join(', ');
  const asked = { by, where, percentiles, significantDigits: digits };
  const onBadLine = badLines.add;
  if (hasCounts(kind)) {
    if (inputs.length > 1)
      throw new UsageError(`record takes one file of the form ${kind}, got ${inputs.length}`);
    const bytes = bytesOf(inputs[0]!, onBytes);
    const groups = await explained(() => summarizeCountsGroups(kind, bytes, asked, { name, onBadLine }));
    return { name, groups, keys: Object.keys(groups[0]?.labels ?? {}), notes: [] };
  }
  const options = { onBadLine, routes, ...(logFormat !== undefined && { logFormat }) };
  const read = inputs.map((input) => ({ name: input.name, bytes: bytesOf(input, onBytes) }));
  const { groups, beyond } = await explained(() => summarizeRequestGroups(kind, read, asked, options));
  const requests = groups.reduce((sum, { figures }) => sum + Number(figures.count), 0);
  return {
    name,
    requests,
    groups,
    keys: [...new Set(by)],
    notes: groupingNotes(kind, beyond, where, options),
  };
}

/** The form that all inputs have. @throws Refusal */
export function findOneForm<Form extends RequestForm | CountsForm>(inputs: readonly Input<Form>[]): Form {
  const [{ kind, name }] = inputs as [Input<Form>];
  const other = inputs.find((one) => one.kind !== kind);
  if (other === undefined) return kind;
  throw new Refusal(`${name} is ${kind} and ${other.name} is ${other.kind}: record them separately`);
}

/** What a reader should know of groups of requests. */
export function groupingNotes(
  kind: RequestForm,
  beyond: number,
  where: Readonly<Record<string, string>>,
  options: Parameters<typeof requestFacts>[1],
): string[] {
  const place =
    where.route === undefined ? 'counted as (other)' : 'left out, because their routes are not known';
  const others =
    beyond === 0
      ? []
      : [
          `${formatCount(beyond)} requests are in more groups than are kept apart, which is 1,000: they are ${place}`,
        ];
  return [...errorNotes(requestFacts(kind, options)), ...others];
}

/** Groups for programs. */
export function groupsJson(groups: readonly ValueGroup[]): readonly object[] {
  return groups.map(({ labels, figures, errors }) => ({
    ...figuresJson(figures),
    labels,
    failed: errors?.failed ?? null,
    requests: errors?.requests ?? null,
  }));
}

/** The output of groups: JSON, or a table. */
export async function* formatGroups(
  { name, requests, keys, groups, unit = 'ms' }: Grouped,
  percentiles: readonly number[],
  format: 'text' | 'json',
  io: Io,
): AsyncGenerator<string, void> {
  if (format === 'json') {
    yield jsonDocument({ groups: groupsJson(groups) });
    return;
  }
  const hasErrors = groups.some(({ errors }) => errors !== undefined);
  const shown = columnsFor({ percentiles }, ['count', 'mean']);
  const figures = groups.map((group) => group.figures);
  const cells = figureCells(shown, figures, valueScaleOf(unit).unit);
  const columns: Column[] = [
    ...keys.map((title) => ({ title, isText: true })),
    ...(hasErrors ? [{ title: 'failed', spare: 1 }] : []),
    ...shown,
  ];
  const rows = groups.map(({ labels, errors }, at) => [
    ...keys.map((key) => labels[key]!),
    ...(hasErrors ? [errors === undefined ? '-' : formatCount(errors.failed)] : []),
    ...cells[at]!,
  ]);
  const by = keys.length === 0 ? '' : ` by ${keys.join(', ')}`;
  yield `${wrapToScreen(`${requests === undefined ? '' : `${requestsText(requests)} of `}${name}${by}${unit === 'none' ? '' : `, in ${unit}`}`, io)}\n\n${shownTable(columns, rows, io).join('\n')}\n`;
}

function requestsText(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'request' : 'requests'}`;
}
