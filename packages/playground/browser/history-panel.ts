import { button, h, setChildren } from '@hdrscope/page/dom';
import { download } from '@hdrscope/page/download';
import { currentTheme } from '@hdrscope/page/theme';
import type { Plot } from '@hdrscope/plot';
import type { Charts } from './charts.ts';
import { HistoryExplanation } from './explanation.ts';
import {
  ANSWER_FORMS,
  askAnswer,
  askGroups,
  askHistoryPlots,
  type HistoryChoices,
  type PageHistory,
} from './history.ts';
import { loadCharts } from './parts.ts';
import { drawFailure, drawFigures, drawLine, drawNotes, drawUnit } from './results.ts';
import { formatLine, type Runner } from './runner.ts';
import { drawSelect } from './select.ts';

const WHOLE = 'all the time';

/** Shows a history: the figures of a metric, and its plots. */
export class HistoryPanel {
  readonly element: HTMLElement = h('section', { class: 'panel', 'aria-label': 'The history' });
  readonly #runner: Runner;
  readonly #history: PageHistory;
  readonly #fields = h('div', { class: 'choices' });
  readonly #figures = h('div', { class: 'figures', 'aria-live': 'polite' });
  readonly #plots = h('div', { class: 'plots' });
  readonly #explanation: HistoryExplanation;
  #choices: HistoryChoices;
  /** How many times the commands were asked. */
  #asked = 0;
  #charts: InstanceType<Charts['ChartGrid']> | undefined;

  constructor(history: PageHistory, runner: Runner) {
    this.#history = history;
    this.#runner = runner;
    this.#choices = { metric: history.metrics[0].metric, by: undefined };
    this.#explanation = new HistoryExplanation(history, runner);
    const { size } = history.files;
    setChildren(this.element, [
      h('h2', {}, history.name),
      h('p', { class: 'sentence' }, `a history of ${size === 1 ? 'a file' : `${size} files`}`),
      this.#fields,
      this.#figures,
      this.#explanation.element,
      this.#plots,
      ...this.#drawDownload(),
    ]);
  }

  /** Asks the commands, the figures first. */
  async show(): Promise<void> {
    this.#asked += 1;
    const round = this.#asked;
    this.#drawChoices();
    this.#explanation.show(this.#choices);
    await this.#showFigures();
    // The reader may have chosen something else meanwhile.
    if (round === this.#asked) await this.#showPlots(round);
  }

  /** Draws the plots again, in the colours of the theme. */
  redraw(): void {
    this.#charts?.draw({ theme: currentTheme(), zone: { name: 'UTC', offsetMs: () => 0 } });
  }

  #drawChoices(): void {
    const { metrics } = this.#history;
    const names = [...new Set(metrics.map(({ metric }) => metric))];
    const { metric, by } = this.#choices;
    const keys = metrics.filter((one) => one.metric === metric).flatMap(({ attributes }) => attributes);
    const choose = (choices: HistoryChoices): void => {
      this.#choices = choices;
      void this.show();
    };
    setChildren(this.#fields, [
      drawSelect(
        'Metric',
        'metric',
        names.map((name) => [name, name]),
        metric,
        (value) => choose({ metric: value, by: undefined }),
      ),
      drawSelect(
        'By',
        'by',
        [['all together', ''], ...[...new Set(keys)].map((key) => [key, key] as const)],
        by ?? '',
        (value) => choose({ metric, by: value === '' ? undefined : value }),
      ),
    ]);
  }

  #drawDownload(): HTMLElement[] {
    const [form, time] = [h('select', { 'data-form': true }), h('select', { 'data-time': true })];
    for (const name of ANSWER_FORMS) form.append(h('option', { value: name }, name));
    for (const text of [WHOLE, 'each stretch of time']) time.append(h('option', { value: text }, text));
    const said = h('div', { 'aria-live': 'polite' });
    const write = async (): Promise<void> => {
      const { files, metrics } = this.#history;
      const [chosen] = ANSWER_FORMS.filter((name) => name === form.value);
      const isOverTime = time.value !== WHOLE;
      const asked = askAnswer(this.#choices, metrics, { form: chosen!, isOverTime });
      try {
        const result = await this.#runner.run({ ...asked, files });
        setChildren(said, [...drawNotes(result), drawLine(formatLine(asked))]);
        if (result.exitCode === 0 && result.written !== undefined) download(asked.output, result.written);
      } catch (error) {
        setChildren(said, drawFailure(error));
      }
    };
    const fields = h(
      'div',
      { class: 'choices' },
      h('label', { class: 'field' }, 'Form ', form),
      h('label', { class: 'field' }, 'Figures of ', time),
      button('Write and download', () => void write(), { 'data-action': 'write' }),
    );
    return [h('h3', {}, 'As a file'), fields, said];
  }

  async #showFigures(): Promise<void> {
    try {
      const asked = askGroups(this.#choices);
      const result = await this.#runner.run({ ...asked, files: this.#history.files });
      const { table } = result;
      const { metric } = this.#choices;
      setChildren(this.#figures, [
        ...drawNotes(result),
        ...(table === undefined || table.rows.length === 0
          ? []
          : [drawUnit(table.unit), drawFigures(table, `Figures of ${metric}`)]),
        drawLine(formatLine(asked)),
      ]);
      this.#figures.dataset.document = result.stdout;
    } catch (error) {
      setChildren(this.#figures, drawFailure(error));
    }
  }

  async #showPlots(round: number): Promise<void> {
    try {
      const { files, metrics, name } = this.#history;
      const { ChartGrid, plotFromJson } = await loadCharts();
      this.#charts ??= new ChartGrid();
      setChildren(this.#plots, [this.#charts.element]);
      const plots: Plot[] = [];
      for (const asked of askHistoryPlots(this.#choices, metrics)) {
        const { stdout, exitCode } = await this.#runner.run({ ...asked, files });
        if (round !== this.#asked) return;
        // Too many groups have no plot, and a history of one interval has none over time.
        if (exitCode !== 0 || stdout === '') continue;
        for (const document of [JSON.parse(stdout)].flat() as object[])
          plots.push(plotFromJson(JSON.stringify(document)));
        this.#charts.show(plots, { theme: currentTheme(), zone: { name: 'UTC', offsetMs: () => 0 } }, name);
      }
    } catch (error) {
      setChildren(this.#plots, drawFailure(error));
    }
  }
}
