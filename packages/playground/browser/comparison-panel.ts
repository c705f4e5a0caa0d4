import { h, setAttribute, setChildren } from '@hdrscope/page/dom';
import { currentTheme } from '@hdrscope/page/theme';
import type { Plot } from '@hdrscope/plot';
import type { Charts } from './charts.ts';
import { showExplanation } from './explanation.ts';
import type { PageFile } from './file-panel.ts';
import { loadCharts } from './parts.ts';
import { drawReport } from './report.ts';
import { drawFailure, drawLine, drawNotes } from './results.ts';
import { formatLine, type Runner } from './runner.ts';
import { takes } from './views.ts';

/** Compares two files of the page, as `hdrscope diff` does. */
export class ComparisonPanel {
  readonly element: HTMLElement = h('section', { class: 'panel', 'aria-label': 'Comparison', hidden: true });
  readonly #runner: Runner;
  readonly #before = h('select', { 'data-side': 'before' });
  readonly #after = h('select', { 'data-side': 'after' });
  readonly #report = h('div', { class: 'report', 'aria-live': 'polite' });
  readonly #explained = h('div', { class: 'report', 'aria-live': 'polite' });
  readonly #plots = h('div', { class: 'plots' });
  #files: readonly PageFile[] = [];
  /** How many comparisons were asked for. */
  #asked = 0;
  #charts: InstanceType<Charts['ChartGrid']> | undefined;

  constructor(runner: Runner) {
    this.#runner = runner;
    for (const select of [this.#before, this.#after])
      select.addEventListener('change', () => void this.#compare());
    this.element.append(
      h('h2', {}, 'Did it change?'),
      h(
        'div',
        { class: 'choices' },
        h('label', { class: 'field' }, 'Before ', this.#before),
        h('label', { class: 'field' }, 'After ', this.#after),
      ),
      this.#report,
      this.#explained,
      this.#plots,
    );
  }

  /** Offers the files that can be compared, and compares the last two. */
  async offer(all: readonly PageFile[]): Promise<void> {
    const files = all.filter(({ inspected }) => takes(inspected, 'diff'));
    const isSame = files.length === this.#files.length && files.every((file, at) => file === this.#files[at]);
    this.#files = files;
    this.element.hidden = files.length < 2;
    if (isSame || files.length < 2) return;
    const last = files.slice(-2).map(({ inspected }) => inspected.name);
    for (const [at, select] of [this.#before, this.#after].entries()) {
      const taken = last[at]!;
      setChildren(
        select,
        files.map(({ inspected: { name } }) => h('option', { value: name, selected: name === taken }, name)),
      );
    }
    await this.#compare();
  }

  /** Draws the plots again, in the colours of the theme. */
  redraw(): void {
    this.#charts?.draw({ theme: currentTheme(), zone: { name: 'UTC', offsetMs: () => 0 } });
  }

  async #compare(): Promise<void> {
    const names = [this.#before.value, this.#after.value];
    const files = new Map(
      this.#files.flatMap(({ inspected, blob }) =>
        names.includes(inspected.name) ? [[inspected.name, blob]] : [],
      ),
    );
    this.#asked += 1;
    const asked = this.#asked;
    const [diff, plot] = [
      { command: 'diff', words: [...names, '--markdown'], files },
      { command: 'plot', words: [...names, '--kind', 'comparison', '--json'], files },
    ] as const;
    setAttribute(this.element, 'aria-busy', 'true');
    setChildren(this.#explained, []);
    try {
      const result = await this.#runner.run(diff);
      const drawn = result.exitCode === 0 ? await this.#runner.run(plot) : undefined;
      // The reader may have chosen other files meanwhile.
      if (asked !== this.#asked) return;
      setChildren(this.#report, [
        ...drawNotes(result),
        ...drawReport(result.stdout),
        drawLine(formatLine(diff)),
      ]);
      if (drawn?.exitCode === 0) await this.#draw(JSON.parse(drawn.stdout));
      else setChildren(this.#plots, []);
      if (result.exitCode === 0 && this.#canExplain(names)) {
        const explained = await showExplanation(this.#runner, { command: 'explain', words: names }, files);
        if (asked === this.#asked) setChildren(this.#explained, [h('h3', {}, 'What changed?'), ...explained]);
      }
    } catch (error) {
      setChildren(this.#report, drawFailure(error));
      setChildren(this.#plots, []);
    }
    setAttribute(this.element, 'aria-busy', undefined);
  }

  /** Series of logs have attributes; other files have one distribution. */
  #canExplain(names: readonly string[]): boolean {
    return names.every((name) =>
      this.#files.some(({ inspected }) => inspected.name === name && takes(inspected, 'explain')),
    );
  }

  async #draw(document: object): Promise<void> {
    const { ChartGrid, plotFromJson } = await loadCharts();
    this.#charts ??= new ChartGrid();
    setChildren(this.#plots, [this.#charts.element]);
    const plots: Plot[] = [plotFromJson(JSON.stringify(document))];
    const style = { theme: currentTheme(), zone: { name: 'UTC', offsetMs: () => 0 } };
    this.#charts.show(plots, style, `${this.#before.value} ${this.#after.value}`);
  }
}
