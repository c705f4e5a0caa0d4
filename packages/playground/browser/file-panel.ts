import { button, fillElement, h, setChildren } from '@hdrscope/page/dom';
import { download, fileName } from '@hdrscope/page/download';
import { currentTheme } from '@hdrscope/page/theme';
import type { Plot } from '@hdrscope/plot';
import { WRITTEN_FORMS } from 'hdrscope/internal';
import type { Charts } from './charts.ts';
import { loadCharts } from './parts.ts';
import { drawReport } from './report.ts';
import { drawFailure, drawFigures, drawLine, drawNotes, drawUnit } from './results.ts';
import { formatLine, type Runner } from './runner.ts';
import { drawSelect } from './select.ts';
import {
  askCheck,
  askFigures,
  askLog,
  askPlots,
  type Choices,
  choosePlace,
  hasOpenUnit,
  type Inspected,
  listLabels,
  listOptions,
  listPlaces,
  type Question,
  takes,
  UNITS,
} from './views.ts';

/** A file of the page. */
export interface PageFile {
  readonly inspected: Inspected;
  readonly blob: Blob;
  /** What the command says of the file. */
  readonly sentence: string;
}

/** The value of the option by which nothing is chosen. */
const NONE = '';

/** Shows a file: its figures, its plots, whether it keeps objectives, and its other forms. */
export class FilePanel {
  readonly element: HTMLElement = h('section', { class: 'panel', 'aria-label': 'The file' });
  readonly #runner: Runner;
  readonly #file: PageFile;
  readonly #figures = h('div', { class: 'figures', 'aria-live': 'polite' });
  readonly #plots = h('div', { class: 'plots' });
  readonly #check = h('div');
  readonly #judged = h('div', { class: 'judged', 'aria-live': 'polite' });
  #choices: Choices;
  /** How many times the commands were asked. */
  #asked = 0;
  #charts: InstanceType<Charts['ChartGrid']> | undefined;

  constructor(file: PageFile, runner: Runner) {
    this.#file = file;
    this.#runner = runner;
    this.#choices = { place: choosePlace(file.inspected) };
    setChildren(this.element, [
      h('h2', {}, file.inspected.name),
      h('p', { class: 'sentence' }, file.sentence),
      ...this.#drawChoices(),
      this.#figures,
      this.#plots,
      this.#check,
      ...this.#drawConversion(),
    ]);
  }

  /** Asks the commands, the figures first. */
  async show(): Promise<void> {
    const { inspected } = this.#file;
    this.#asked += 1;
    const round = this.#asked;
    // Where the values are may be chosen later.
    if (this.#check.childElementCount === 0) setChildren(this.#check, this.#drawCheck());
    const asked = askFigures(inspected, this.#choices);
    const plots = askPlots(inspected, this.#choices);
    const log = askLog(inspected, this.#choices);
    if (asked === undefined) setChildren(this.#figures, []);
    else await this.#showFigures(asked);
    // The reader may have chosen something else meanwhile.
    if (round !== this.#asked) return;
    if (plots.length > 0) await this.#showPlots(plots, log);
    else setChildren(this.#plots, []);
  }

  /** Draws the plots again, in the colours of the theme. */
  redraw(): void {
    this.#charts?.draw({ theme: currentTheme(), zone: { name: 'UTC', offsetMs: () => 0 } });
  }

  async #showFigures(asked: Question): Promise<void> {
    try {
      const result = await this.#run(asked);
      const { table } = result;
      const caption = `Figures of ${this.#file.inspected.name}${table === undefined || table.unit === 'none' ? '' : `, in ${table.unit}`}`;
      const shown =
        table === undefined || table.rows.length === 0
          ? []
          : [drawUnit(table.unit), drawFigures(table, caption)];
      const line = asked.command === 'figures' ? [] : [drawLine(formatLine(asked))];
      setChildren(this.#figures, [...drawNotes(result), ...shown, ...line]);
      this.#figures.dataset.document = result.stdout;
    } catch (error) {
      setChildren(this.#figures, drawFailure(error));
    }
  }

  /** @param log Makes a log of the file, which is drawn in its place. */
  async #showPlots(ofFile: readonly Question[], log: ReturnType<typeof askLog>): Promise<void> {
    try {
      const { inspected } = this.#file;
      const made = log === undefined ? undefined : (await this.#run(log)).written;
      // A load test may not state when its requests were.
      const [asked, files] =
        made === undefined
          ? [ofFile, undefined]
          : [askPlots({ ...inspected, form: 'log' }, {}), new Map([[inspected.name, made]])];
      const { ChartGrid, plotFromJson } = await loadCharts();
      this.#charts ??= new ChartGrid();
      setChildren(this.#plots, [this.#charts.element]);
      const plots: Plot[] = [];
      for (const one of asked) {
        const { stdout, exitCode } = await this.#run(one, files);
        // A log of one interval has no plot over time.
        if (exitCode !== 0 || stdout === '') continue;
        const documents = [JSON.parse(stdout)].flat() as object[];
        for (const document of documents)
          plots.push(withoutName(plotFromJson(JSON.stringify(document)), one.words[0]));
        const style = { theme: currentTheme(), zone: { name: 'UTC', offsetMs: () => 0 } };
        this.#charts.show(plots, style, this.#file.inspected.name);
      }
    } catch (error) {
      setChildren(this.#plots, drawFailure(error));
    }
  }

  #run(asked: Question & { readonly output?: string }, files?: ReadonlyMap<string, Blob>) {
    const { inspected, blob } = this.#file;
    return this.#runner.run({ ...asked, files: files ?? new Map([[inspected.name, blob]]) });
  }

  // What the reader chooses.

  #drawChoices(): HTMLElement[] {
    const { inspected } = this.#file;
    const places = listPlaces(inspected);
    const labels = listLabels(inspected);
    const fields = [
      ...(places.length === 0
        ? []
        : [
            this.#drawSelect(
              inspected.form === 'table' ? 'Column' : 'Field',
              'place',
              places,
              'choose the one with the values',
            ),
          ]),
      ...(inspected.needs === undefined ? [] : [this.#drawFormat()]),
      ...(hasOpenUnit(inspected) ? [this.#drawSelect('Unit', 'unit', UNITS, 'as written')] : []),
      ...(labels.length === 0 ? [] : [this.#drawSelect('By', 'by', labels, 'all together')]),
    ];
    return fields.length === 0 ? [] : [fillElement('div', { class: 'choices' }, fields)];
  }

  #drawSelect(label: string, key: keyof Choices, values: readonly string[], none: string): HTMLElement {
    const choices = [[none, NONE] as const, ...values.map((value) => [value, value] as const)];
    return drawSelect(label, key, choices, this.#choices[key] ?? NONE, (value) => {
      this.#choices = { ...this.#choices, [key]: value === NONE ? undefined : value };
      void this.show();
    });
  }

  #drawFormat(): HTMLElement {
    const input = h('input', {
      'data-log-format': true,
      size: 60,
      placeholder: '$remote_addr … $request_time',
    });
    input.addEventListener('change', () => {
      const format = input.value.trim();
      this.#choices = { ...this.#choices, logFormat: format === '' ? undefined : format };
      void this.show();
    });
    return h('label', { class: 'field' }, 'Format of the log, as its server has it ', input);
  }

  // Objectives.

  #drawCheck(): HTMLElement[] {
    const { inspected } = this.#file;
    if (!takes(inspected, 'check', this.#choices)) return [];
    const input = h('input', {
      value: 'p99=250ms',
      'data-objectives': true,
      'aria-describedby': 'objectives-hint',
    });
    const judge = async (): Promise<void> => {
      const asked = askCheck(
        inspected,
        this.#choices,
        input.value.split(/[\s,;]+/).filter((text) => text !== ''),
      );
      try {
        const result = await this.#run(asked);
        setChildren(this.#judged, [
          ...drawNotes({ ...result, exitCode: result.stdout === '' ? 1 : 0 }),
          ...drawReport(result.stdout),
          drawLine(formatLine(asked)),
        ]);
      } catch (error) {
        setChildren(this.#judged, drawFailure(error));
      }
    };
    const form = h(
      'form',
      { class: 'choices' },
      h('label', { class: 'field' }, 'Objectives ', input),
      h('button', {}, 'Check'),
      h('span', { id: 'objectives-hint', class: 'hint' }, 'as in p99=250ms p99.9=1s'),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void judge();
    });
    // A form with a few percentiles has nothing else to show.
    if (askFigures(inspected, this.#choices) === undefined) queueMicrotask(() => void judge());
    return [h('h3', {}, 'Is it fast enough?'), form, this.#judged];
  }

  // Other forms.

  #drawConversion(): HTMLElement[] {
    const { inspected } = this.#file;
    if (!takes(inspected, 'convert')) return [];
    const select = h('select', { 'data-form': true });
    for (const name of WRITTEN_FORMS) select.append(h('option', { value: name }, name));
    const said = h('div', { 'aria-live': 'polite' });
    const convert = async (): Promise<void> => {
      const output = fileName(inspected.name.replace(/\.\w+$/, ''), select.value);
      const words = [inspected.name, '--to', select.value];
      const unit = listOptions(inspected, { unit: this.#choices.unit });
      const asked = { command: 'convert', words: [...words, ...unit], output } as const;
      try {
        const result = await this.#run(asked);
        const sentences = result.stdout
          .trim()
          .split('\n')
          .filter((text) => text !== '');
        setChildren(said, [
          ...drawNotes(result),
          ...sentences.map((text) => h('p', {}, text)),
          drawLine(formatLine(asked)),
        ]);
        if (result.exitCode === 0 && result.written !== undefined) download(output, result.written);
      } catch (error) {
        setChildren(said, drawFailure(error));
      }
    };
    const fields = h(
      'div',
      { class: 'choices' },
      h('label', { class: 'field' }, 'Form ', select),
      button('Convert and download', () => void convert(), { 'data-action': 'convert' }),
    );
    return [h('h3', {}, 'In another form'), fields, said];
  }
}

/** A plot whose title says what it shows, where the command names the file. */
function withoutName(plot: Plot, name: string | undefined): Plot {
  const { title, ...untitled } = plot;
  return title === name ? (untitled as Plot) : plot;
}
