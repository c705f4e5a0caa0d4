import { areWide, formatShare, percentileName } from '@hdrscope/kit';
import { h, setChildren, table } from '@hdrscope/page/dom';
import { formatCount, formatValue } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { boundsText } from '../src/bounds-text.ts';
import type { Change, Comparison } from '../src/messages.ts';
import { withInfinity } from './state.ts';

/** The percentiles of two times or of two rows, with their differences and verdicts. */
export class ComparisonTable {
  readonly element: HTMLElement = h('section', { class: 'results', hidden: true });

  show(comparison: Comparison | undefined, unit: CountedUnit): void {
    this.element.hidden = comparison === undefined;
    if (comparison === undefined) return;
    const { before, after, confidence, digits, changes } = comparison;
    const sides = [before, after].map(
      ({ name, count, asGoodAs }) =>
        `${name} (${formatCount(count)} values${asGoodAs === undefined ? '' : `, a sample: as good as ${formatCount(asGoodAs)}`})`,
    );
    const titles = [
      'Percentile',
      ...sides,
      'Difference',
      `Interval of ${formatShare(confidence)}`,
      'Verdict',
    ];
    const rows = changes.map((change) => rowOf(change, unit, digits));
    setChildren(this.element, [
      h('h3', {}, 'Changes'),
      h(
        'div',
        { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Changes' },
        table(titles, rows),
      ),
      h(
        'p',
        {},
        'The intervals hold if values are independent. One stall slows many values, so compare several times.',
      ),
    ]);
  }
}

function rowOf(change: Change, unit: CountedUnit, digits: number): HTMLElement {
  const { percentile, lower, upper, verdict } = change;
  const [before, after] = [withInfinity(change.before), withInfinity(change.after)];
  const shown = { counted: unit, digits };
  const isWide = areWide(before, digits) || areWide(after, digits);
  const difference = isWide
    ? intervalText(after.lower - before.upper, after.upper - before.lower, unit)
    : signedText(after.upper - before.upper, unit);
  const interval = lower === null || upper === null ? '-' : intervalText(lower, upper, unit);
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, percentileName(percentile)),
    h('td', {}, boundsText(before, shown)),
    h('td', {}, boundsText(after, shown)),
    h('td', {}, difference),
    h('td', {}, interval),
    h('td', { class: 'verdict', 'data-verdict': verdict }, `${SIGNS[verdict]}${verdict}`),
  );
}

/** A sign before each verdict, for people who see few colours or look quickly. */
const SIGNS: Readonly<Record<Change['verdict'], string>> = {
  worse: '▲ ',
  better: '▼ ',
  'no difference shown': '',
  'too few values': '',
};

function intervalText(lower: number, upper: number, unit: CountedUnit): string {
  return `${signedText(lower, unit)} to ${signedText(upper, unit)}`;
}

/** A difference with its sign: `+12 ms`. */
export function signedText(difference: number, unit: CountedUnit): string {
  if (difference === 0) return '0';
  if (Number.isNaN(difference)) return '-';
  return `${difference > 0 ? '+' : '−'}${formatValue(Math.abs(difference), unit)}`;
}
