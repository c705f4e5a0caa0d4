import { HdrscopeError } from '@hdrscope/core';
import { mustBe, visible } from '@hdrscope/core/internal';
import { parseSmallYaml, type YamlLimits } from '@hdrscope/kit';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';

/** The size of the largest configuration, in bytes. */
export const LARGEST_CONFIG: number = 2 ** 20;

/** The limits of the text of a configuration. */
const LIMITS: YamlLimits = {
  bytes: LARGEST_CONFIG,
  lines: 50_000,
  elements: 100_000,
  depth: 64,
  aliases: 1000,
};

/** A value of a YAML text that knows its line, so errors can name it. */
export class YamlValue {
  /** Name in errors, such as `bucket_max` or `labels[2].size`. */
  readonly path: string;
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #node: Node | undefined;
  /** Offset of the value, or of the value that it is missing from. */
  readonly #offset: number;

  private constructor(
    path: string,
    { document, lines }: { readonly document: Document; readonly lines: LineCounter },
    node: unknown,
    offset: number,
  ) {
    this.path = path;
    this.#document = document;
    this.#lines = lines;
    this.#node = isAlias(node) ? node.resolve(document) : ((node as Node | null | undefined) ?? undefined);
    this.#offset = (node as Node | null | undefined)?.range?.[0] ?? offset;
  }

  /** @throws HdrscopeError `ERR_INVALID_OPTION` when the text is not YAML; `ERR_TOO_LARGE` when it is larger than any configuration. */
  static parse(text: string): YamlValue {
    if (typeof text !== 'string') throw mustBe('ERR_INVALID_OPTION', 'the configuration', 'a text', text);
    const lines = new LineCounter();
    const parse = () => parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const parser = { tokens: new Lexer().lex(text), parse };
    const document = parseSmallYaml(text, parser, 'the configuration', LIMITS);
    const [error] = document.errors;
    if (error !== undefined) {
      const { line } = lines.linePos(error.pos[0]);
      const options = { cause: error, details: { line } };
      throw new HdrscopeError(
        'ERR_INVALID_OPTION',
        visible(`line ${line}: ${error.message}`, { lines: true }),
        options,
      );
    }
    return new YamlValue('', { document, lines }, document.contents, 0);
  }

  get line(): number {
    return this.#lines.linePos(this.#offset).line;
  }

  get isMissing(): boolean {
    return this.#node === undefined || (isScalar(this.#node) && this.#node.value === null);
  }

  /** The value of a key. It `isMissing` when the map has no such key. */
  get(key: string): YamlValue {
    const path = this.path === '' ? key : `${this.path}.${key}`;
    if (this.isMissing) return this.#part(path, undefined);
    if (!isMap(this.#node)) throw this.mustBe('a map');
    return this.#part(path, this.#node.get(key, true));
  }

  /** Keys and values of a map; empty when it is missing. */
  entries(): [key: string, value: YamlValue][] {
    if (this.isMissing) return [];
    if (!isMap(this.#node)) throw this.mustBe('a map');
    return this.#node.items.map(({ key, value }) => {
      const name = String(isScalar(key) ? key.value : key);
      return [name, this.#part(`${this.path}.${name}`, value)];
    });
  }

  /** Values of a list; empty when it is missing. */
  items(): YamlValue[] {
    if (this.isMissing) return [];
    if (!isSeq(this.#node)) throw this.mustBe('a list');
    return this.#node.items.map((item, i) => this.#part(`${this.path}[${i}]`, item));
  }

  /** @param fallback Stands in for a missing value. */
  text(fallback?: string): string {
    if (this.isMissing && fallback !== undefined) return fallback;
    const value = this.#scalar();
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'string' || value === '') throw this.mustBe('a text, not empty');
    return value;
  }

  /** A text, or a number, `true` or `false` as it is written. */
  literal(): string {
    const node = this.#node;
    const isPlain = isScalar(node) && ['number', 'boolean'].includes(typeof node.value);
    return isPlain ? (node.source ?? String(node.value)) : this.text();
  }

  /** @param fallback Stands in for a missing value. */
  boolean(fallback: boolean): boolean {
    const value = this.isMissing ? fallback : this.#scalar();
    if (typeof value !== 'boolean') throw this.mustBe('true or false');
    return value;
  }

  /** @param fallback Stands in for a missing value. */
  number(fallback?: number): number {
    if (this.isMissing && fallback !== undefined) return fallback;
    const value = this.#scalar();
    if (typeof value !== 'number' || !Number.isFinite(value)) throw this.mustBe('a number');
    return value;
  }

  /** @param fallback Stands in for a missing value. */
  integer(least: number, fallback?: number): number {
    const value = this.number(fallback);
    if (!Number.isSafeInteger(value) || value < least) throw this.mustBe(`an integer of at least ${least}`);
    return value;
  }

  /** Builds the error for a value that is not allowed. */
  mustBe(allowed: string): HdrscopeError {
    const error = mustBe('ERR_INVALID_OPTION', this.path || 'the text', allowed, this.#toJs());
    return new HdrscopeError(error.code, `line ${this.line}: ${error.message}`, {
      details: { ...error.details, line: this.line },
    });
  }

  #part(path: string, node: unknown): YamlValue {
    return new YamlValue(path, { document: this.#document, lines: this.#lines }, node, this.#offset);
  }

  #scalar(): unknown {
    return isScalar(this.#node) ? this.#node.value : undefined;
  }

  #toJs(): unknown {
    try {
      return this.#node?.toJS(this.#document);
    } catch {
      // Aliases within aliases make it too large.
      return {};
    }
  }
}
