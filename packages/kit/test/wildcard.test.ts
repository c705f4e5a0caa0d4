import { wildcard } from '../src/index.ts';

test.each<[pattern: string, name: string, matches: boolean]>([
  ['http.*', 'http.server.duration', true],
  ['HTTP.*', 'http.server.duration', true],
  ['http.*', 'httpXserver', false],
  ['http.*', 'my.http.server', false],
  ['db.?', 'db.x', true],
  ['db.?', 'db.xy', false],
  ['a+b(c)[d]{e}|f^g$\\', 'a+b(c)[d]{e}|f^g$\\', true],
  ['*', '', true],
  ['*', 'line\nbreak', true],
])('the pattern %j and the name %j', (pattern, name, matches) => {
  expect(wildcard(pattern).test(name)).toBe(matches);
});
