import { compileExpression, matchOf } from '../../src/exporter-config/expression.ts';

/** The match, or the reason why the expression is refused. */
function match(source: string, text: string): string | undefined {
  const expression = compileExpression(source);
  return typeof expression === 'string' ? `refused: ${expression}` : matchOf(expression, text);
}

// The results are those of Go 1.26: `regexp.MustCompile(source).FindStringSubmatch(text)`.
test.each([
  ['^(kswapd).*$', 'kswapd0', 'kswapd'],
  ['^(kswapd).*$', 'systemd', undefined],
  ['(?:a|b)+', 'xabax', 'aba'],
  ['a{2}', 'aaa', 'aa'],
  ['a+?', 'aaa', 'a'],
  ['(x)?y', 'y', ''],
  ['[]a]+', 'x]a]', ']a]'],
  ['[^]a]+', ']xy]', 'xy'],
  ['[\\s.]+', 'a .b', ' .'],
  ['\\s', 'a\u00a0b c', ' '],
  ['.+', 'a\r\nb', 'a\r'],
  ['\\S+', '\u00a0', '\u00a0'],
  ['\\.', 'a.b', '.'],
  ['\\bb', 'a b', 'b'],
  ['a|', 'b', ''],
])('%s matches %j as in Go', (source, text, expected) => {
  expect(match(source, text)).toBe(expected);
});

test('an expression that takes too long leaves the next ones as they are', () => {
  const text = `${'a'.repeat(60)}b`;
  expect(() => match('^(a+)+$', text)).toThrow(/^the regexp \^\(a\+\)\+\$ .* takes longer than 1000 ms/);
  expect([match('^(a+)', text), match('b$', text), match('c', text)]).toEqual([
    'a'.repeat(60),
    'b',
    undefined,
  ]);
});

test.each([
  ['(?i)a', '(?i is not supported'],
  ['(?=a)', '(?= is not supported'],
  ['(?<name>a)', '(?< is not supported'],
  ['\\1', '\\1 is not supported'],
  ['\\Aa', '\\A is not supported'],
  ['\\pL', '\\p is not supported'],
  ['[[:alpha:]]', '[[:alpha:] is not supported'],
  ['[\\D]', '[\\D] is not supported'],
  ['(a)(b)', 'an expression with several groups gives no label: begin the other groups with (?:'],
  ['(a', expect.stringMatching(/Unterminated group/)],
])('%s is refused', (source, reason) => {
  expect(compileExpression(source)).toEqual(reason);
});
