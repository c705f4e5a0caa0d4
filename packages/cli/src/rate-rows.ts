import { painter } from './colour.ts';
import type { Io } from './command.ts';
import { percentileTitle } from './format.ts';
import { screenOf } from './screen.ts';
import { rowBlock } from './table.ts';

/** A count, its rate, and percentiles of one histogram. */
export interface RateRow {
  readonly count: string;
  readonly rate: string;
  /** A cell for each percentile. */
  readonly cells: readonly string[];
  readonly title: string;
}

/** Lines of rates, which come one by one: in columns of fixed width, or a line per figure where they do not fit. */
export class RateRows {
  readonly #percentiles: readonly number[];
  readonly #title: string;
  readonly #io: Io;
  readonly #columns: number;

  /** @param title The title of the last column. */
  constructor(percentiles: readonly number[], title: string, io: Io) {
    this.#percentiles = percentiles;
    this.#title = title;
    this.#io = io;
    this.#columns = screenOf(io).columns ?? Number.POSITIVE_INFINITY;
  }

  /** The line above all rows; none where not even this line fits. */
  get titles(): string[] {
    const cells = this.#percentiles.map(percentileTitle);
    const line = inColumns({ count: 'count', rate: 'rate/s', cells, title: this.#title });
    return line.length <= this.#columns ? [painter(this.#io, this.#io.stdout)('bold', line)] : [];
  }

  /** The lines of a row. */
  lines(row: RateRow): string[] {
    const line = inColumns(row);
    if (line.length <= this.#columns) return [line];
    const titles = ['', 'count', 'rate/s', ...this.#percentiles.map(percentileTitle)];
    return rowBlock(
      titles.map((title) => ({ title })),
      [row.title, row.count, row.rate, ...row.cells],
      this.#columns,
    );
  }

  /** The lines of an interval in which nothing was counted. */
  get nothing(): string[] {
    return this.lines({ count: '0', rate: '0.0', cells: this.#percentiles.map(() => '-'), title: '' });
  }
}

function inColumns({ count, rate, cells, title }: RateRow): string {
  const shown = cells.map((cell) => ` ${cell.padStart(19)}`).join('');
  return `${count.padStart(11)} ${rate.padStart(11)}${shown}  ${title}`.trimEnd();
}
