import { nearestName } from '../src/nearest-name.ts';

test.each([
  ['pth', 'path'],
  ['adress', 'address'],
  ['Listen', 'listen'],
  ['intervall', 'interval'],
  ['path', 'path'],
  ['zzzzzz', undefined],
  ['', undefined],
])('%j most likely means %p', (word, meant) => {
  expect(nearestName(word, ['path', 'address', 'listen', 'interval'])).toBe(meant);
});
