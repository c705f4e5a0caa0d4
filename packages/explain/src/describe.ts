import { formatBounds, formatCount, percentileName, valuesText } from '@hdrscope/kit';
import type { AttributeSide, ChangeExplanation, ExplainedCause, ExplainedSide } from './explanation.ts';

/** A value, or the bounds of the buckets that it may lie in. */
export function formatSide(
  { value: upper, lower, isWide }: Omit<AttributeSide, 'count'>,
  value: (value: number) => string,
): string {
  if (upper === undefined || lower === undefined) return '-';
  return isWide ? formatBounds({ lower, upper }, value) : value(upper);
}

/** A part of the difference; the least that it may be where values are in wide buckets, if that says anything. */
export function formatPart(part: number, isWide: boolean): string {
  if (isWide && part < 0) return 'unknown';
  const percent = isWide ? Math.floor(part * 100 + 1e-9) : Math.round(part * 100);
  return `${isWide ? '≥ ' : ''}${percent === 0 ? 0 : percent} %`;
}

/** The attribute values of a cause, and a separator where several select the same series. */
export function formatNames({ attributes }: ExplainedCause, separator: string): string {
  return attributes
    .map((together) => together.map(({ key, value }) => `${key}=${value}`).join(' & '))
    .join(separator);
}

/** Whether an explanation names a cause, and does not only list its attribute value. */
export function isNamed({ verdict }: ExplainedCause): boolean {
  return verdict === 'explains it' || verdict === 'explains it as well';
}

/** How the series of a cause have changed: `its values changed`. */
export function describeKind({ kind, before, after }: ExplainedCause): string {
  if (kind === 'values') return 'its values changed';
  if (before.count === 0) return 'it is new';
  return after.count === 0 ? 'it is gone' : 'its share of all values changed';
}

/** How many values both sides have: `100 values before, 1,000 values (a sample: as good as 100) after`. */
export function formatCounts(before: ExplainedSide, after: ExplainedSide): string {
  const text = ({ count, asGoodAs }: ExplainedSide): string =>
    `${valuesText(count)}${asGoodAs === undefined ? '' : ` (a sample: as good as ${formatCount(asGoodAs)})`}`;
  return `${text(before)} before, ${text(after)} after`;
}

/**
 * An explanation in sentences: what moved, and what explains it.
 *
 * @param value Formats a value without its unit.
 * @param unit Stands behind values. May be empty.
 */
export function describeExplanation(
  { verdict, explains, causes, percentile, before, after, isWide }: ChangeExplanation,
  value: (value: number) => string,
  unit: string,
): string {
  const name = percentileName(percentile);
  const amount = (side: ExplainedSide): string =>
    `${formatSide({ ...side, value: side.percentile?.value }, value)}${unit === '' ? '' : ` ${unit}`}`;
  const from = isWide
    ? `(before: ${amount(before)}, after: ${amount(after)})`
    : `from ${amount(before)} to ${amount(after)}`;
  if (verdict === 'too few values') {
    return `Too few values for ${name} with 99.9 % confidence: ${formatCounts(before, after)}.`;
  }
  if (verdict === 'undecided') {
    return causes.length === 0
      ? `Whether ${name} moved ${from} depends on where values lie in wide buckets, so there is nothing to explain.`
      : `${name} moved ${from}, but what explains it depends on where values lie in wide buckets.`;
  }
  if (verdict === 'no difference shown')
    return `No difference of ${name} is shown, so there is nothing to explain.`;
  if (verdict === 'nothing explains it') {
    return `${name} moved ${from}, but no attribute value explains it: either all series moved alike, or the series that moved share no attribute value that the others lack.`;
  }
  const named = causes.filter(isNamed);
  if (isWide && named.length > 1) {
    const list = named.map((cause) => formatNames(cause, ' or ')).join(', and ');
    return `${name} moved ${from}, and ${list} explain at least ${formatPart(explains!, true).replace('≥ ', '')} of it together. Wide buckets do not show how much each of them explains.`;
  }
  const sentences = named.map(
    (cause, i) =>
      `${i === 0 ? `${name} moved ${from}, and ` : 'So does '}${causeText(cause, i === 0, isWide)}`,
  );
  // Parts in wide buckets are the least, and do not add up.
  return [...sentences, ...(isWide ? [] : restText(named))].join(' ');
}

/** What the named causes leave to all other series, if anything. */
function restText(named: readonly ExplainedCause[]): string[] {
  const percent = Math.round((1 - named.reduce((sum, { explains }) => sum + explains, 0)) * 100);
  if (percent === 0) return [];
  return [
    percent > 0
      ? `The other ${percent} % come from all other series.`
      : `All other series made the difference ${-percent} % smaller.`,
  ];
}

function causeText(cause: ExplainedCause, isFirst: boolean, isWide: boolean): string {
  const names = formatNames(cause, ' or ');
  return `${names}${isFirst ? ' explains' : ', with'} ${isWide ? 'at least ' : ''}${formatPart(cause.explains, isWide).replace('≥ ', '')} of it: ${describeKind(cause)}.`;
}
