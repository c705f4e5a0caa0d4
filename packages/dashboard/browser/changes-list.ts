import { formatShare } from '@hdrscope/kit';
import { button, h, setAttribute, setChildren, setText } from '@hdrscope/page/dom';
import { formatCount } from '@hdrscope/plot';
import type { Zone } from '@hdrscope/plot/internal';
import type { ChangesMessage, RowChange } from '../src/messages.ts';
import type { Against } from '../src/question.ts';
import { momentText, rangeText } from './clock.ts';

// The table has the others, in the same order.
const MOST_LISTED = 3;

/** Reacts to what people do with the list. */
export interface ChangesListeners {
  onPick(label: string): void;
  /** `undefined`: the page chooses. */
  onAgainst(against: Against | undefined): void;
}

/** The times that the last minute is compared with; '' leaves the choice to the page. */
const CHOICES: Readonly<Record<Against | '', string>> = {
  '': 'the last quiet time',
  recent: 'the 10 minutes before',
  earlier: 'earlier hours',
  day: 'yesterday at this time',
  week: 'a week ago at this time',
};

/** The rows that have changed, the worst one first: the first of them in words, each of which picks its row. */
export class ChangesList {
  readonly element: HTMLElement;
  readonly #headline = h('p', { class: 'headline' });
  readonly #rows = h('ol', { 'aria-label': 'Rows that changed' });
  readonly #against = h('select', { 'aria-label': 'Compare the last minute with' });
  readonly #choice = h('label', { class: 'compare' }, 'Compare with ', this.#against);
  readonly #listeners: ChangesListeners;
  #shown = '';

  constructor(listeners: ChangesListeners) {
    this.#listeners = listeners;
    this.element = h(
      'div',
      { class: 'changes', hidden: true },
      h('div', { class: 'line' }, this.#headline, this.#choice),
      this.#rows,
    );
    for (const [value, text] of Object.entries(CHOICES)) this.#against.append(h('option', { value }, text));
    this.#against.addEventListener('change', () => {
      const { value } = this.#against;
      listeners.onAgainst(value === '' ? undefined : (value as Against));
    });
  }

  /**
   * @param changes `undefined` until the answer comes, or when the page does not remember two times.
   * @param against The time that the reader has chosen to compare with; `undefined` when the page chooses.
   */
  show(
    changes: ChangesMessage | undefined,
    { picked, against, zone }: { picked: string | undefined; against: Against | undefined; zone: Zone },
  ): void {
    this.element.hidden = changes === undefined;
    if (changes === undefined) return;
    const { known } = changes;
    this.#choice.hidden = changes.against === null || (known.length < 2 && against === undefined);
    for (const option of this.#against.options) {
      // A page that has just started has no yesterday.
      option.hidden = option.value !== '' && !known.includes(option.value as Against);
    }
    this.#against.value = against ?? '';
    const shown = JSON.stringify([changes, zone.name]);
    if (shown !== this.#shown) {
      this.#shown = shown;
      setText(this.#headline, headlineText(changes, zone));
      setAttribute(this.element, 'data-changed', changes.rows.length + changes.errors.length > 0);
      setChildren(
        this.#rows,
        changes.rows
          .slice(0, MOST_LISTED)
          .map((one) => this.#item(one, changeText(one, changes.after.toMs, zone))),
      );
    }
    changes.rows.slice(0, MOST_LISTED).forEach(({ label }, i) => {
      const item = this.#rows.children[i]!.firstElementChild!;
      setAttribute(item, 'aria-pressed', String(label === picked));
    });
  }

  #item(change: RowChange, text: string): HTMLElement {
    const pick = button('', () => this.#listeners.onPick(change.label), { title: 'Pick this row' });
    pick.append(h('b', {}, change.label), `: ${text}`);
    return h('li', {}, pick);
  }
}

/** What changed in one line, with the times that are compared. */
export function headlineText(changes: ChangesMessage, zone: Zone): string {
  const { rows, leftOut, rowCount, errors, before, after } = changes;
  const failed = errors.map(
    (one) =>
      `Errors of ${one.metric} ${formatShare(one.before)} → ${formatShare(one.after)} since ${momentText(one.sinceMs, after.toMs, zone)}. `,
  );
  const times = `The page compares ${rangeText(after, zone)} with ${whenText(changes.against)}${rangeText(before, zone)}`;
  if (rows.length === 0) {
    const start = failed.length === 0 ? 'Nothing changed: the' : `${failed.join('')}The`;
    return `${start} differences of all ${formatCount(rowCount)} rows may be chance. The largest row is shown first. ${times}${othersText(changes)}.`;
  }
  const count = rows.length + leftOut;
  const some = `${leftOut > 0 ? 'At least ' : ''}${formatCount(rows.length)} of ${formatCount(Math.max(rowCount, count))} rows changed`;
  const rest = rows.length > MOST_LISTED ? '; the table has all of them first' : '';
  return `${failed.join('')}${some}${rest}. ${times}.`;
}

/** What the time before is, where it is not the time right before. */
function whenText(against: Against | null): string {
  if (against === 'day') return 'the same time yesterday, ';
  return against === 'week' ? 'the same time a week ago, ' : '';
}

/** The times further back that the page looks at while nothing has changed. */
function othersText({ against, known }: ChangesMessage): string {
  const names = known.filter((one) => one !== against).map((one) => OTHERS[one]);
  const last = names.pop();
  if (against !== 'recent' || last === undefined) return '';
  return `, also with ${names.length === 0 ? last : `${names.join(', ')} and ${last}`}`;
}

const OTHERS: Readonly<Record<Against, string>> = {
  recent: 'the time before',
  earlier: 'earlier hours',
  day: 'yesterday',
  week: 'last week',
};

/**
 * A change in words: `p99.9 66.8 ms → 4.16 s since 15:10:00. 31 % of its values are above 70 ms; before, 0.1 % were. 8 % of all values of
 * its metric moved above it. Errors 0 % → 2 %.`
 */
export function changeText(change: RowChange, nowMs: number, zone: Zone): string {
  const { percentile, before, after, sinceMs, isNew, isUp, limit, above, isWide, shareOfMetric } = change;
  const moved = isNew ? `${percentile} ${after}, new` : `${percentile} ${before} → ${after}`;
  const [least, most] = isWide ? ['at least ', 'at most '] : ['', ''];
  const now = `${isUp ? least : most}${formatShare(above.after)}`;
  const then = `before, ${isUp ? most : least}${formatShare(above.before)}${isNew ? ' of the values of its metric' : ''} were`;
  const parts = `${sentence(now)} of its values are above ${limit}; ${then}`;
  const metric = `${formatShare(shareOfMetric)} of all values of its metric moved ${isUp ? 'above' : 'below'} it`;
  return `${moved} since ${momentText(sinceMs, nowMs, zone)}. ${parts}. ${metric}.${errorsText(change.errors)}`;
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function errorsText(errors: RowChange['errors']): string {
  if (errors === undefined || (errors.before ?? 0) + (errors.after ?? 0) === 0) return '';
  const text = (share: number | null): string => (share === null ? 'unknown' : formatShare(share));
  return ` Errors ${text(errors.before)} → ${text(errors.after)}.`;
}

/** The mark of a row that has changed: `▲ 31 %` of its values are larger. */
export function changeMark({ isUp, share }: RowChange): string {
  const text = share >= 0.01 ? `${Math.round(share * 100)} %` : formatShare(share);
  return ` ${isUp ? '▲' : '▼'} ${text}`;
}
