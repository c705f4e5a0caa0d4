import { button, h, setAttribute, setChildren } from '@hdrscope/page/dom';
import {
  askComparison,
  askExplanation,
  type Division,
  formatMoment,
  type HistoryChoices,
  measureMetric,
  type PageHistory,
} from './history.ts';
import { scrolling } from './report.ts';
import { drawFailure, drawLine, drawNotes } from './results.ts';
import { formatLine, type Runner } from './runner.ts';
import { drawSelect } from './select.ts';
import type { Question } from './views.ts';

/** Runs a command that says what changed, such as `hdrscope explain`, and shows its text. */
export async function showExplanation(
  runner: Runner,
  asked: Question,
  files: ReadonlyMap<string, Blob>,
): Promise<HTMLElement[]> {
  try {
    const result = await runner.run({ ...asked, files });
    const text = result.stdout.trim();
    return [
      ...drawNotes(result),
      ...(text === '' ? [] : [scrolling(h('pre', {}, text), 'What changed')]),
      drawLine(formatLine(asked)),
    ];
  } catch (error) {
    return drawFailure(error);
  }
}

const PERCENTILES = ['50', '90', '99', '99.9'] as const;

/** What the reader has chosen. */
interface Chosen {
  /** Seconds since 1970. */
  readonly changedSec: number;
  /** @default all that there is */
  readonly lengthSec?: number | undefined;
  readonly percentile: string;
}

/** Lengths of time that are compared. */
const LENGTHS: readonly (readonly [text: string, seconds: number])[] = [
  ['a minute', 60],
  ['5 minutes', 300],
  ['an hour', 3600],
  ['6 hours', 21_600],
  ['a day', 86_400],
  ['a week', 604_800],
];

/** Explains what changed in a metric of a history at a moment that the reader chooses. */
export class HistoryExplanation {
  readonly element: HTMLElement = h('section', { 'aria-label': 'What changed' });
  readonly #runner: Runner;
  readonly #history: PageHistory;
  readonly #fields = h('div', { class: 'choices' });
  readonly #report = h('div', { class: 'report', 'aria-live': 'polite' });
  /** How many times it was asked. */
  #asked = 0;

  constructor(history: PageHistory, runner: Runner) {
    this.#history = history;
    this.#runner = runner;
    setChildren(this.element, [h('h3', {}, 'What changed?'), this.#fields, this.#report]);
  }

  /** Offers the moments of a metric, the middle first. */
  show(choices: HistoryChoices): void {
    const { startSec, endSec } = measureMetric(choices.metric, this.#history.metrics);
    this.element.hidden = endSec - startSec < 2;
    this.#asked += 1;
    setChildren(this.#report, []);
    this.#offer(choices, { changedSec: Math.round((startSec + endSec) / 2), percentile: '99.9' });
  }

  #offer(choices: HistoryChoices, chosen: Chosen): void {
    const { startSec, endSec } = measureMetric(choices.metric, this.#history.metrics);
    const choose = (more: Partial<Chosen>): void => this.#offer(choices, { ...chosen, ...more });
    const moment = h('input', {
      type: 'datetime-local',
      step: '1',
      min: formatMoment(Math.ceil(startSec)),
      max: formatMoment(Math.floor(endSec)),
      value: formatMoment(chosen.changedSec),
      'data-choice': 'changed',
    });
    moment.addEventListener('change', () => {
      const changedSec = Date.parse(`${moment.value}Z`) / 1000;
      if (changedSec > startSec && changedSec < endSec) choose({ changedSec });
    });
    const whole = Math.max(chosen.changedSec - startSec, endSec - chosen.changedSec);
    const lengths = LENGTHS.filter(([, seconds]) => seconds < whole);
    setChildren(this.#fields, [
      h('label', { class: 'field' }, 'Changed at (UTC) ', moment),
      drawSelect(
        'Compared',
        'length',
        [['all before and after', ''], ...lengths.map(([text, seconds]) => [text, `${seconds}`] as const)],
        `${chosen.lengthSec ?? ''}`,
        (value) => choose({ lengthSec: value === '' ? undefined : Number(value) }),
      ),
      drawSelect(
        'Percentile',
        'percentile',
        PERCENTILES.map((text) => [`p${text}`, text]),
        chosen.percentile,
        (percentile) => choose({ percentile }),
      ),
      button('Explain', () => {
        const { changedSec, lengthSec = Math.ceil(whole), percentile } = chosen;
        void this.#explain(choices, { changedSec, lengthSec, percentile });
      }),
    ]);
  }

  async #explain(choices: HistoryChoices, division: Division): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    setAttribute(this.element, 'aria-busy', 'true');
    const drawn: HTMLElement[] = [];
    for (const question of [askExplanation(choices, division), askComparison(choices, division)]) {
      for (const element of await showExplanation(this.#runner, question, this.#history.files))
        drawn.push(element);
      // The reader may have chosen another metric meanwhile.
      if (asked !== this.#asked) return;
    }
    setAttribute(this.element, 'aria-busy', undefined);
    setChildren(this.#report, drawn);
  }
}
