import { nearest, suggestion } from '../src/index.ts';

const COMMANDS = ['record', 'diff', 'log', 'plot', 'serve', 'summary'];

test.each([
  ['plto', 'plot'],
  ['sum', 'summary'],
  ['lgo', 'log'],
  ['Record', 'record'],
  ['recrd', 'record'],
  ['srve', 'serve'],
  ['elephant', undefined],
  ['x', undefined],
])('%s means %s', (word, meant) => {
  expect(nearest(word, COMMANDS)).toBe(meant);
});

test('suggests nothing when nothing is similar', () => {
  expect([suggestion('plto', COMMANDS), suggestion('elephant', COMMANDS)]).toEqual([
    ': did you mean plot?',
    '',
  ]);
});
