import { HdrscopeError } from '@hdrscope/core';
import { explainTagLimit } from '../../src/inputs/selection-options.ts';
import { hdrscope } from '../support/fake-io.ts';
import { logText } from '../support/logs.ts';

function tooLarge(what: string, limit: string): HdrscopeError {
  const message = `a log must have at most 5 ${what}, and has more: select some, or set ${limit}`;
  return new HdrscopeError('ERR_TOO_LARGE', message, { details: { what, limit, most: 5 } });
}

test('too many tags are refused with the options that choose some', () => {
  expect(() => explainTagLimit(tooLarge('tags', 'maxTags'))).toThrow(
    /^a log must have at most 5 tags, and has more: --tag TAG chooses one .* -listtags -i FILE lists all$/,
  );
});

test('other errors stay as they are', () => {
  const error = tooLarge('lines', 'maxLines');
  expect(() => explainTagLimit(error)).toThrow(error);
});

test('a log with more tags than curves fit on a plot is refused, and its parts are drawn', async () => {
  const stdin = logText(Array.from({ length: 101 }, (_, at) => ({ at, tag: `tag${at}`, ms: [1] })));

  const all = await hdrscope(['plot', '-'], { stdin });
  expect(all).toMatchObject({ exitCode: 1, stdout: '' });
  expect(all.stderr).toMatch(
    /^hdrscope: standard input has 101 tags, and a plot shows at most 100: --tag TAG/,
  );
  expect(await hdrscope(['plot', '--tag', 'tag7', '-'], { stdin })).toMatchObject({ exitCode: 0 });
  expect(await hdrscope(['plot', '--kind', 'over-time', '-'], { stdin })).toMatchObject({ exitCode: 0 });
});
