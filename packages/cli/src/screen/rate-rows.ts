import type { Bounds } from '@hdrscope/core';
import { type Figures, UNKNOWN } from '@hdrscope/inputs/internal';
import type { Io } from '../command.ts';
import { boundsCells, type FigureColumn } from '../figures.ts';
import { lineLength, painter } from './screen.ts';
import { rowBlock } from './table.ts';

/** Lines of figures, which come one by one: in columns of fixed width, or a line per figure where they do not fit. */
export class RateRows {
  readonly #columns: readonly FigureColumn[];
  readonly #title: string;
  readonly #io: Io;
  readonly #width: number;
  #hasTitles = false;

  /** @param title The title of the last column. */
  constructor(columns: readonly FigureColumn[], title: string, io: Io) {
    this.#columns = columns;
    this.#title = title;
    this.#io = io;
    this.#width = lineLength(io);
  }

  /** The rows of an interval as text: below the titles when it is the first one, and a row of zeros when there is no other. */
  interval(rows: readonly (readonly string[])[]): string {
    const titles = this.#hasTitles ? [] : this.#titles;
    this.#hasTitles = true;
    const lines = rows.length === 0 ? this.lines('', NOTHING, () => '-') : rows.flat();
    return [...titles, ...lines].map((line) => `${line}\n`).join('');
  }

  /** The line above all rows; none where not even this line fits. */
  get #titles(): string[] {
    const titles = this.#columns.map(({ title }) => title);
    const line = this.#line(titles, this.#title);
    return line.length <= this.#width ? [painter(this.#io, this.#io.stdout)('bold', line)] : [];
  }

  /**
   * The lines of a row.
   *
   * @param isMore Whether the row is about the values of the row before: their count is not repeated.
   */
  lines(title: string, figures: Figures, boundsText: (bounds: Bounds) => string, isMore = false): string[] {
    const all = boundsCells(this.#columns, figures, boundsText);
    const cells = all.map((cell, at) => (isMore && this.#columns[at]!.text !== undefined ? '' : cell));
    const line = this.#line(cells, title);
    return line.length <= this.#width
      ? [line]
      : rowBlock([{ title: '' }, ...this.#columns], [title, ...cells], this.#width);
  }

  #line(cells: readonly string[], title: string): string {
    const padded = cells.map((cell, at) => cell.padStart(this.#columns[at]!.text === undefined ? 19 : 11));
    return `${padded.join(' ')}  ${title}`.trimEnd();
  }
}

const NOTHING: Figures = {
  ...{ name: '', unit: 'none', count: 0, seconds: 1 },
  ...{ min: UNKNOWN, mean: UNKNOWN, max: UNKNOWN, percentiles: [] },
};
