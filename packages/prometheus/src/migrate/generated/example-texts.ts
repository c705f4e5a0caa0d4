import { Script } from 'node:vm';

/** The most texts that are made for one expression. */
const MOST_TEXTS = 12;

/**
 * Texts that an anchored expression of RE2 matches, for the values of labels: one for each alternative, and for a repeated part the text
 * without it and with it once. Empty where the expression has a form that is not known here.
 */
export function listExamples(pattern: string): string[] {
  const reader = new PatternReader(pattern);
  const texts = reader.readAlternatives();
  return reader.isDone ? [...new Set(texts)].filter((text) => isMatch(pattern, text)) : [];
}

/** Whether an anchored expression matches a text. `undefined` where JavaScript cannot read the expression, or takes too long. */
export function isMatch(pattern: string, text: string): boolean | undefined {
  const ignoresCase = pattern.startsWith('(?i)');
  const own = (ignoresCase ? pattern.slice(4) : pattern).replaceAll('(?P<', '(?<');
  try {
    const expression = new RegExp(`^(?:${own})$`, ignoresCase ? 'si' : 's');
    return isSlow(own) ? testWithin(expression, text) : expression.test(text);
  } catch {
    return undefined;
  }
}

/** Whether JavaScript may try ways that RE2 does not: a group is repeated, or many parts are. */
function isSlow(pattern: string): boolean {
  return /\)[*+{]/.test(pattern) || pattern.split(/[*+{]/).length > MOST_REPEATED;
}

const MOST_REPEATED = 4;
const LIMIT_MS = 100;
const TEST = new Script('expression.test(text)');

/** @throws Error when it takes too long. */
function testWithin(expression: RegExp, text: string): boolean {
  return TEST.runInNewContext({ expression, text }, { timeout: LIMIT_MS }) as boolean;
}

const CLASSES: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'a',
  W: '-',
  S: 'a',
  b: '',
  n: '\n',
  t: '\t',
};

class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern.replace(/^\(\?i\)/, '');
  }

  get isDone(): boolean {
    return this.#at === this.#pattern.length;
  }

  readAlternatives(): string[] {
    let texts: string[] = [];
    for (;;) {
      texts = [...texts, ...this.#readSequence()];
      if (this.#pattern[this.#at] !== '|') return texts.slice(0, MOST_TEXTS);
      this.#at++;
    }
  }

  #readSequence(): string[] {
    let texts = [''];
    while (!this.isDone && !'|)'.includes(this.#pattern[this.#at]!)) {
      const parts = this.#repeat(this.#readAtom());
      texts = texts.flatMap((text) => parts.map((part) => text + part)).slice(0, MOST_TEXTS);
    }
    return texts;
  }

  #repeat(parts: readonly string[]): readonly string[] {
    const [whole, kind, least] =
      /^(?:([*+?])|\{(\d{1,3})(?:,\d{0,3})?\})\??/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (whole === undefined) return parts;
    this.#at += whole.length;
    if (kind === undefined) return parts.map((part) => part.repeat(Number(least)));
    return kind === '+' ? parts : [...parts, ''];
  }

  #readAtom(): readonly string[] {
    const character = this.#pattern[this.#at++]!;
    switch (character) {
      case '(': {
        const opening = /^\?(?::|P?<\w+>)/.exec(this.#pattern.slice(this.#at));
        this.#at += opening?.[0].length ?? 0;
        const texts = this.readAlternatives();
        if (this.#pattern[this.#at] === ')') this.#at++;
        return texts;
      }
      case '[':
        return this.#readSet();
      case '.':
        return ['0', 'x'];
      case '^':
      case '$':
        return [''];
      case '\\': {
        const escaped = this.#pattern[this.#at++] ?? '';
        return [CLASSES[escaped] ?? escaped];
      }
      default:
        return [character];
    }
  }

  #readSet(): readonly string[] {
    const [whole, negation, inner] =
      /^(\^?)((?:\\.|\[:\w+:\]|[^\]\\])+)\]/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (whole === undefined) return [''];
    this.#at += whole.length;
    if (negation === '') return [CLASSES[/^\\(.)/.exec(inner!)?.[1] ?? ''] ?? inner!.replace(/^\\/, '')[0]!];
    return ['x', '1', '-'].filter((text) => isMatch(`[^${inner}]`, text) === true).slice(0, 1);
  }
}
