import { formatShare } from '@hdrscope/kit';
import { formatCount } from '@hdrscope/plot';
import type { Zone } from '@hdrscope/plot/internal';
import type { ChangesMessage, RowChange } from '../src/messages.ts';
import { rangeText, timeText } from './clock.ts';
import { button, h, setAttribute, setChildren, setText } from './dom.ts';

// The table has the others, in the same order.
const MOST_LISTED = 3;

/** The rows that have changed, the worst one first: the first of them in words, each of which picks its row. */
export class ChangesList {
  readonly element: HTMLElement;
  readonly #headline = h('p', { class: 'headline' });
  readonly #rows = h('ol', { 'aria-label': 'Rows that changed' });
  readonly #onPick: (label: string) => void;
  #shown = '';

  constructor(onPick: (label: string) => void) {
    this.#onPick = onPick;
    this.element = h('div', { class: 'changes', hidden: true }, this.#headline, this.#rows);
  }

  /** @param changes `undefined` until the answer comes, or when the page does not remember two times. */
  show(changes: ChangesMessage | undefined, picked: string | undefined, zone: Zone): void {
    this.element.hidden = changes === undefined;
    if (changes === undefined) return;
    const shown = JSON.stringify([changes, zone.name]);
    if (shown !== this.#shown) {
      this.#shown = shown;
      setText(this.#headline, headlineText(changes, zone));
      setAttribute(this.element, 'data-changed', changes.rows.length + changes.errors.length > 0);
      setChildren(
        this.#rows,
        changes.rows.slice(0, MOST_LISTED).map((one) => this.#item(one, zone)),
      );
    }
    changes.rows.slice(0, MOST_LISTED).forEach(({ label }, i) => {
      const item = this.#rows.children[i]!.firstElementChild!;
      setAttribute(item, 'aria-pressed', String(label === picked));
    });
  }

  #item(change: RowChange, zone: Zone): HTMLElement {
    const pick = button('', () => this.#onPick(change.label), { title: 'Pick this row' });
    pick.append(h('b', {}, change.label), `: ${changeText(change, zone)}`);
    return h('li', {}, pick);
  }
}

function headlineText(changes: ChangesMessage, zone: Zone): string {
  const { rows, leftOut, rowCount, errors, before, after } = changes;
  const failed = errors.map(
    (one) =>
      `Errors of ${one.metric} ${formatShare(one.before)} → ${formatShare(one.after)} since ${timeText(one.sinceMs, zone)}. `,
  );
  const times = `${rangeText(after, zone)}, compared with ${rangeText(before, zone)}`;
  if (rows.length === 0) {
    const start = failed.length === 0 ? 'Nothing changed: no' : `${failed.join('')}No`;
    return `${start} shift of the ${formatCount(rowCount)} rows is more than chance gives. The largest row is shown first. ${times}.`;
  }
  const count = rows.length + leftOut;
  const some = `${leftOut > 0 ? 'At least ' : ''}${formatCount(rows.length)} of ${formatCount(Math.max(rowCount, count))} rows changed`;
  const rest = rows.length > MOST_LISTED ? '; the table has all of them first' : '';
  return `${failed.join('')}${some}${rest}. ${times}.`;
}

/**
 * A change in words: `p99.9 66.8 ms → 4.16 s since 15:10:00. 31 % of its values are above 70 ms, 0.1 % before: 8 % of its metric moved. Errors
 * 0 % → 2 %.`
 */
export function changeText(change: RowChange, zone: Zone): string {
  const { percentile, before, after, sinceMs, isNew, isUp, limit, above, isWide, shareOfMetric } = change;
  const moved = isNew ? `${percentile} ${after}, new` : `${percentile} ${before} → ${after}`;
  const [least, most] = isWide ? ['at least ', 'at most '] : ['', ''];
  const now = `${isUp ? least : most}${formatShare(above.after)}`;
  const then = `${isUp ? most : least}${formatShare(above.before)}${isNew ? ' of its metric' : ''} before`;
  const parts = `${sentence(now)} of its values are above ${limit}, ${then}`;
  const metric = `${formatShare(shareOfMetric)} of its metric moved`;
  return `${moved} since ${timeText(sinceMs, zone)}. ${parts}: ${metric}.${errorsText(change.errors)}`;
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
