import { percentileName } from '@hdrscope/kit';
import {
  button,
  type Choice,
  choice,
  h,
  setAttribute,
  setChildren,
  setText,
  table,
} from '@hdrscope/page/dom';
import { formatCount } from '@hdrscope/plot';
import type { Zone } from '@hdrscope/plot/internal';
import type { WhyCause, WhyMessage } from '../src/messages.ts';
import { WHY_PERCENTILES } from '../src/question.ts';
import { longRangeText } from './clock.ts';
import { drawWaterfall } from './waterfall.ts';

const HIGHEST = 'highest';

/** Reacts to what people do in the panel. */
export interface WhyListeners {
  onOpen(isOpen: boolean): void;
  /** `undefined`: the highest percentile that has moved. */
  onPercentile(percentile: number | undefined): void;
}

/** What moved, and its first cause, in one line; and the whole answer when it is open. */
export class WhyPanel {
  readonly element: HTMLElement;
  readonly #summary = h('p', { class: 'summary' }, 'Looking for changes …');
  readonly #toggle: HTMLButtonElement;
  readonly #times = h('p', { class: 'subtitle' });
  readonly #text = h('p');
  readonly #percentiles: Choice<string>;
  readonly #causes = h('ol');
  readonly #waterfall = h('ul', { class: 'waterfall', 'aria-label': 'Parts of the change' });
  readonly #others = h('div');
  readonly #note = h('p', { class: 'subtitle' });
  readonly #answer: HTMLElement;
  #shown = '';

  /** @param changes Stands above the line: which rows have changed. */
  constructor(changes: HTMLElement, listeners: WhyListeners) {
    this.#toggle = button('Why?', () => listeners.onOpen(this.#answer.hidden === true), {
      'aria-controls': 'why',
      title: 'Explain the change (w)',
    });
    const names = WHY_PERCENTILES.map((one) => [percentileName(one), percentileName(one)]);
    const values = { [HIGHEST]: 'Highest that changed', ...Object.fromEntries(names) };
    this.#percentiles = choice('Percentile', values, HIGHEST, (value) =>
      listeners.onPercentile(WHY_PERCENTILES.find((one) => percentileName(one) === value)),
    );
    this.#answer = h(
      'div',
      { class: 'answer', id: 'why', hidden: true },
      this.#times,
      this.#percentiles.element,
      this.#text,
      this.#causes,
      this.#waterfall,
      this.#others,
      this.#note,
    );
    this.element = h(
      'section',
      { class: 'why', 'aria-label': 'What changed' },
      h('h2', { class: 'hidden-text' }, 'What changed'),
      changes,
      h('div', { class: 'line' }, this.#summary, this.#toggle),
      this.#answer,
    );
  }

  /** @param message `undefined` until the answer comes. The panel shows the one before. */
  show(
    message: WhyMessage | undefined,
    { isOpen, percentile, zone }: { isOpen: boolean; percentile: number | undefined; zone: Zone },
  ): void {
    this.#answer.hidden = !isOpen;
    setAttribute(this.#toggle, 'aria-expanded', String(isOpen));
    this.#percentiles.press(percentile === undefined ? HIGHEST : percentileName(percentile));
    if (message === undefined) return;
    setText(this.#summary, message.summary);
    setText(this.#toggle, message.percentile === null ? 'Details' : 'Why?');
    setAttribute(this.element, 'data-moved', message.percentile !== null);
    const shown = JSON.stringify([message, zone.name]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#drawAnswer(message, zone);
  }

  #drawAnswer(message: WhyMessage, zone: Zone): void {
    const { metric, before, after, percentile, text, causes, waterfall } = message;
    const usual = before.fromMs === before.toMs ? '' : `, compared with ${longRangeText(before, zone)}`;
    setText(this.#times, `All series of ${metric}, ${longRangeText(after, zone)}${usual}`);
    setText(this.#text, text);
    const [named, others] = [true, false].map((isNamed) => causes.filter((one) => one.isNamed === isNamed));
    setChildren(
      this.#causes,
      named!.map((one) => h('li', {}, h('b', {}, one.names), causeText(one, percentile))),
    );
    this.#waterfall.hidden = waterfall === undefined;
    if (waterfall !== undefined) drawWaterfall(this.#waterfall, waterfall);
    setChildren(this.#others, others!.length === 0 ? [] : listOthers(others!));
    setText(this.#note, noteText(message));
  }
}

/** What a cause has to do with the change: `: p99.9 66.8 ms → 4.16 s, 92 % of the change: its values changed`. */
function causeText({ before, after, part, kind }: WhyCause, percentile: number | null): string {
  const share = part === 'unknown' ? 'an unknown part' : part;
  return `: ${percentileName(percentile ?? 0)} ${before} → ${after}, ${share} of the change: ${kind}`;
}

function listOthers(others: readonly WhyCause[]): HTMLElement[] {
  const rows = others.map(({ names, before, after, part, verdict }) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, names),
      h('td', {}, before),
      h('td', {}, after),
      h('td', {}, part),
      h('td', { class: 'verdict' }, VERDICTS[verdict]),
    ),
  );
  const titles = ['Attribute', 'Before', 'After', 'Explains', 'Verdict'];
  const region = { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Other attributes' };
  return [h('h3', {}, 'Other attributes'), h('div', region, table(titles, rows))];
}

/** Verdicts in words that need no help. */
const VERDICTS: Readonly<Record<WhyCause['verdict'], string>> = {
  'explains it': 'cause',
  'explains it as well': 'cause',
  overlaps: 'shares values with the cause',
  part: 'changed as well',
  'not shown': 'may be chance',
  undecided: 'undecided',
};

/** What the answer leaves out. */
function noteText({ together, isShortened }: WhyMessage): string {
  const notes = [
    ...(together > 0
      ? [`The ${formatCount(together)} smallest series are taken together, so none of them is named.`]
      : []),
    ...(isShortened ? ['Earlier intervals are left out: with so many series they take too long.'] : []),
  ];
  return notes.join(' ');
}
