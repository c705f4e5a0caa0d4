import { refusalOf } from '@hdrscope/testing/refusals';
import { parseSmallYaml, type YamlLimits } from '../src/index.ts';

const LIMITS: YamlLimits = { bytes: 1000, elements: 50, depth: 4, lines: 10, aliases: 2 };

/** Texts in the tokens of the lexer of `yaml` 2.9.1, without the marks at their beginnings. */
const tokensOf = (text: string): string[] =>
  text.match(/\n *| +|"[^"]*"|[^\s[\]{},]+(?=:)|[[\]{},:]|[^\s[\]{},:]+/g) ?? [];

const check = (text: string) =>
  parseSmallYaml(text, { tokens: tokensOf(text), parse: () => text }, 'the text', LIMITS);

test.each([
  ['collections within each other', 'a:\n  b:\n    - c\n    - [d]\n'],
  ['many collections beside each other', 'a: [1]\nb: [1]\nc: {d: 1}\ne: [1]\n'],
  ['as many aliases as its limit', 'a: [*x, *x]\n'],
])('a text with %s is parsed', (_what, text) => expect(check(text)).toBe(text));

test('levels of lists behind brackets that the lexer takes as closed are levels', () => {
  const tokens = ['{', 'a', '\n', '\u{18}', ...tokensOf('- - - - - a')];
  const action = () => parseSmallYaml('', { tokens, parse: () => '' }, 'the text', LIMITS);
  expect(refusalOf(action, 'ERR_TOO_LARGE').details).toMatchObject({ limit: 'depth' });
});

test.each<[string, string, keyof YamlLimits, string]>([
  ['bytes', ' '.repeat(1001), 'bytes', 'the text'],
  ['lines', '\n'.repeat(11), 'elements', 'the lines of the text'],
  ['elements', `[${'1,'.repeat(26)}]`, 'elements', 'the text'],
  ['tags, which cost more', '!a !a !a !a !a !a', 'elements', 'the text'],
  ['escapes, which cost more', `"${'\\q'.repeat(5)}"`, 'elements', 'the text'],
  ['aliases', '[*x, *x, *x]', 'elements', 'the aliases of the text'],
  ['levels of brackets', '[[[[[', 'depth', 'the text'],
  ['levels of lists in a line', '- - - - - a', 'depth', 'the text'],
  ['levels of indentation', 'a:\n b:\n  c:\n   d:\n    e: 1\n', 'depth', 'the text'],
])('a text with too many %s is refused', (_what, text, limit, what) => {
  expect(refusalOf(() => check(text), 'ERR_TOO_LARGE').details).toMatchObject({ what, limit });
});

test('a parser that exhausts the stack is at too many levels, and other errors stay', () => {
  const deeper = (): number => deeper() + 1;
  const parsing = (parse: () => unknown) => () =>
    parseSmallYaml('', { tokens: [], parse }, 'the text', LIMITS);
  expect(refusalOf(parsing(deeper), 'ERR_TOO_LARGE').message).toBe('the text must have at most 4 levels');
  const failing = () => {
    throw new TypeError('no text');
  };
  expect(parsing(failing)).toThrow(TypeError);
});
