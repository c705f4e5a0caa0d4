import { countsErrors } from '../../src/answer/errors.ts';

test.each([
  [['http.response.status_code=503'], true],
  [['http.response.status_code=404'], false],
  [['status=5xx'], true],
  [['status=ok'], false],
  [['status=error'], true],
  [['error.type=timeout', 'route=/'], true],
  [['error.type='], false],
  [['outcome=SERVER_ERROR'], true],
  [['outcome=SUCCESS'], false],
  [['route=/500', 'size=503'], false],
])('a series with %j counts errors: %s', (attributes, isError) => {
  expect(countsErrors(attributes)).toBe(isError);
});
