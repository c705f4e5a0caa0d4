import { channelsOf } from '../chart/theme.ts';

/** A place in dots, from the upper left. */
export interface Dot {
  readonly x: number;
  readonly y: number;
}

/** How a line is drawn. */
export interface Stroke {
  /** 2 draws every second dot, 4 every fourth. @default 1 */
  readonly every?: number;
}

/** The look of a line, which differs from the look of other lines. */
export interface Ink {
  /** The character that an ASCII drawing has in place of dots. */
  readonly ascii: string;
  /** The character that marks a line of dots in a drawing without colours. */
  readonly mark: string;
  /** `#rrggbb`; left out in a drawing without colours. */
  readonly colour?: string | undefined;
}

// The bits of a braille character's dots, from the upper left, by columns and rows.
// Source: https://www.unicode.org/charts/PDF/U2800.pdf
const BRAILLE = 0x2800;
const BITS: readonly (readonly number[])[] = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
];

/** Characters to draw on. A braille character has two by four dots, an ASCII character one. */
export class Canvas {
  readonly columns: number;
  readonly rows: number;
  /** In dots. */
  readonly width: number;
  /** In dots. */
  readonly height: number;
  readonly #ascii: boolean;
  /** Row by row: the bits of the dots that are set in each character. */
  readonly #dots: Uint8Array;
  readonly #texts: (string | undefined)[];
  readonly #inks: (Ink | undefined)[];

  constructor(columns: number, rows: number, ascii: boolean) {
    this.columns = columns;
    this.rows = rows;
    this.#ascii = ascii;
    this.width = columns * (ascii ? 1 : 2);
    this.height = rows * (ascii ? 1 : 4);
    this.#dots = new Uint8Array(columns * rows);
    this.#texts = new Array(columns * rows);
    this.#inks = new Array(columns * rows);
  }

  /** The character that a dot is in. */
  cellOf({ x, y }: Dot): { readonly column: number; readonly row: number } {
    return this.#ascii ? { column: x, row: y } : { column: x >> 1, row: y >> 2 };
  }

  /** Sets a dot, unless it lies outside. */
  dot(dot: Dot, ink: Ink): void {
    const { x, y } = dot;
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const { column, row } = this.cellOf(dot);
    const cell = row * this.columns + column;
    this.#dots[cell]! |= this.#ascii ? 1 : BITS[x & 1]![y & 3]!;
    this.#inks[cell] = ink;
  }

  /** Sets the dots from one to another, both included. */
  line(from: Dot, to: Dot, ink: Ink, { every = 1 }: Stroke = {}): void {
    const steps = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y), 1);
    for (let step = 0; step <= steps; step++) {
      const x = Math.round(from.x + ((to.x - from.x) * step) / steps);
      const y = Math.round(from.y + ((to.y - from.y) * step) / steps);
      // The place decides, so that the gaps of adjoining lines are equally far apart.
      if ((x + (from.x === to.x ? y : 0)) % every === 0) this.dot({ x, y }, ink);
    }
  }

  /** Sets a character in place of its dots. */
  mark(column: number, row: number, text: string, ink: Ink): void {
    if (column < 0 || row < 0 || column >= this.columns || row >= this.rows) return;
    this.#texts[row * this.columns + column] = text;
    this.#inks[row * this.columns + column] = ink;
  }

  /** Sets a character, unless something is drawn there. */
  background(column: number, row: number, text: string, ink: Ink): void {
    const cell = row * this.columns + column;
    if (this.#dots[cell] === 0 && this.#texts[cell] === undefined) this.mark(column, row, text, ink);
  }

  /** The drawing as lines of equal width. */
  lines(): string[] {
    return Array.from({ length: this.rows }, (_, row) => {
      let line = '';
      for (let from = row * this.columns, end = from + this.columns; from < end; ) {
        const ink = this.#inks[from];
        let text = '';
        // Characters of one colour are painted at once.
        while (from < end && this.#inks[from]?.colour === ink?.colour) text += this.#character(from++);
        line += painted(text, ink?.colour);
      }
      return line;
    });
  }

  #character(cell: number): string {
    const text = this.#texts[cell];
    if (text !== undefined) return text;
    const dots = this.#dots[cell]!;
    if (dots === 0) return ' ';
    return this.#ascii ? this.#inks[cell]!.ascii : String.fromCharCode(BRAILLE + dots);
  }
}

/** A text in a colour, `#rrggbb`. */
export function painted(text: string, colour: string | undefined): string {
  return colour === undefined ? text : `\u001b[38;2;${channelsOf(colour).join(';')}m${text}\u001b[0m`;
}
