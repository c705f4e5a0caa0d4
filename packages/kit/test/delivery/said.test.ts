import { isAboutFuture } from '../../src/delivery/index.ts';

test.each([
  ['out of bounds: timestamp is too far in the future', true],
  ['err-mimir-too-far-in-future', true],
  ['timestamp too new: 1800000000000', true],
  ['out of bounds', false],
  ['futures market is closed', false],
  ['', false],
])('the message %p is about the future: %p', (message, expected) => {
  expect(isAboutFuture(message)).toBe(expected);
});
