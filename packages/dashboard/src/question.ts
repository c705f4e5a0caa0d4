import { type Quantity, quantityOf } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';

/** A stretch of time in milliseconds since 1970: `fromMs` is included, `toMs` is not. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** An objective: so many percent of the values are at most so large. */
export interface Objective {
  /** Above 0, up to 100. */
  readonly percentile: number;
  /** The value as a person wrote it, with its unit: `250ms`, `4KiB`, or a bare number. */
  readonly value: string;
}

/**
 * What a page asks its server for. The address of the page has the same question after `#`, so an address can be sent to
 * somebody else: see `questionParams`.
 */
export interface Question {
  /** The label of the row whose detail is shown: the name of the family and the attributes, as in `rpc.duration method=get`. */
  readonly pick?: string | undefined;
  /** The label of the row that the picked one is compared with. */
  readonly other?: string | undefined;
  /** The time that is shown. Left out: all time since the start, and what comes. */
  readonly range?: TimeRange | undefined;
  /** The time that `range` is compared with. */
  readonly baseline?: TimeRange | undefined;
  /** What the last minute is compared with, where `range` is left out. Left out: the nearest time that shows a change for the worse. */
  readonly against?: Against | undefined;
  /**
   * The attribute keys that keep rows apart: the series of a family that differ in other attributes only are merged into one row.
   * With no keys there is one row for each family. Left out: nothing is merged.
   */
  readonly by?: readonly string[] | undefined;
  /** Attributes that series must have, as `key=value`. Of several with one key, a series must have one. */
  readonly where: readonly string[];
  readonly objectives: readonly Objective[];
  /** The percentile whose change is explained, one of `WHY_PERCENTILES`. Left out: the highest one that has moved. */
  readonly why?: number | undefined;
  /** The name of a tab that is shown in place of the series. */
  readonly tab?: string | undefined;
}

/**
 * A time that the last minute is compared with: the ten minutes before it, an earlier stretch of the last hours, or the same time a day or a
 * week before.
 */
export type Against = 'recent' | 'earlier' | 'day' | 'week';

const ALL_AGAINST: readonly Against[] = ['recent', 'earlier', 'day', 'week'];

/** The percentiles that are explained, the highest one first. */
export const WHY_PERCENTILES: readonly number[] = [99.9, 99, 90, 50];

/** The question of a page that was just opened. */
export const NO_QUESTION: Question = { where: [], objectives: [] };

// An address of this size is still taken by servers and browsers.
const MOST_PARTS = 64;

/** Whether a question is about times that do not go on. */
export function isFixed({ range }: Question): boolean {
  return range !== undefined;
}

/** A question as the query of an address. What is left out is not in it. */
export function questionParams(question: Question): URLSearchParams {
  const { pick, other, range, baseline, against, by, where, objectives, why, tab } = question;
  const params = new URLSearchParams();
  const set = (name: string, value: string | undefined): void => {
    if (value !== undefined) params.set(name, value);
  };
  set('tab', tab);
  set('pick', pick);
  set('other', other);
  set('time', range && rangeText(range));
  set('before', baseline && rangeText(baseline));
  set('against', against);
  set('by', by?.map(encodeURIComponent).join(','));
  for (const attribute of where) params.append('where', attribute);
  for (const { percentile, value } of objectives) params.append('slo', `p${percentile}=${value}`);
  set('why', why?.toString());
  return params;
}

/** The part of a question on which the ranking of its rows by their changes depends. */
export function changesQuestion({ tab, range, baseline, against, by, where }: Question): Question {
  return tab === undefined
    ? { ...NO_QUESTION, range, baseline, against, by, where }
    : { ...NO_QUESTION, tab };
}

/** Equal for equal questions. */
export function keyOfQuestion(question: Question): string {
  return questionParams(question).toString();
}

/** The question of a query. Parts that cannot be read are left out: an address may be old, or typed. */
export function questionOf(params: URLSearchParams): Question {
  const text = (name: string): string | undefined => params.get(name) ?? undefined;
  return {
    tab: text('tab'),
    pick: text('pick'),
    other: text('other'),
    range: parseRange(text('time')),
    baseline: parseRange(text('before')),
    against: ALL_AGAINST.find((one) => one === params.get('against')),
    by: parseKeys(text('by')),
    where: params.getAll('where').slice(0, MOST_PARTS),
    objectives: params
      .getAll('slo')
      .slice(0, MOST_PARTS)
      .map(parseObjective)
      .filter((one) => one !== undefined),
    why: WHY_PERCENTILES.find((percentile) => String(percentile) === params.get('why')),
  };
}

function rangeText({ fromMs, toMs }: TimeRange): string {
  return `${Math.round(fromMs)}-${Math.round(toMs)}`;
}

function parseRange(text: string | undefined): TimeRange | undefined {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? [];
  if (from === undefined || Number(to) <= Number(from)) return undefined;
  return { fromMs: Number(from), toMs: Number(to) };
}

function parseKeys(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const keys = text.split(',').filter((key) => key !== '');
  try {
    return keys.slice(0, MOST_PARTS).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/**
 * Reads an objective such as `p99.9=250ms`.
 *
 * @returns `undefined` when the text is not an objective.
 */
export function parseObjective(text: string): Objective | undefined {
  const [, digits, value] =
    /^p?(\d{1,3}(?:\.\d{1,6})?)(?:<=|≤|=)(.{1,32})$/.exec(text.replaceAll(' ', '')) ?? [];
  const percentile = Number(digits);
  const isRight = value !== undefined && percentile > 0 && percentile <= 100;
  return isRight && quantityOf(value) !== undefined ? { percentile, value } : undefined;
}

/**
 * The value of an objective in the unit of a family.
 *
 * @returns `undefined` when the family counts something else: a time is no size, and only a family without a unit takes a bare number.
 */
export function objectiveValue({ value }: Objective, unit: CountedUnit): number | undefined {
  const quantity = quantityOf(value);
  const scale = UNITS[unit];
  return quantity?.measure === scale.measure ? quantity.amount / scale.size : undefined;
}

/** What a unit measures, and how many nanoseconds, bytes or ones it has. */
const UNITS: Readonly<Record<CountedUnit, { readonly measure: Quantity['measure']; readonly size: number }>> =
  {
    ns: { measure: 'time', size: 1 },
    us: { measure: 'time', size: 1e3 },
    ms: { measure: 'time', size: 1e6 },
    s: { measure: 'time', size: 1e9 },
    bytes: { measure: 'size', size: 1 },
    KiB: { measure: 'size', size: 1024 },
    none: { measure: 'number', size: 1 },
  };

/** Whether the answer has rows of its own, and not those of the table. */
export function hasOwnRows({ range, by, where }: Question): boolean {
  return range !== undefined || by !== undefined || where.length > 0;
}

/** The key of an attribute: `route` of `route=/search`. */
export function keyOf(attribute: string): string {
  const end = attribute.indexOf('=');
  return end < 0 ? attribute : attribute.slice(0, end);
}
