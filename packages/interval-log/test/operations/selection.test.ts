import { refusalOf } from '@hdrscope/testing/refusals';
import { convertToV2, type Selection, sliceLog, summarizeLogs } from '../../src/index.ts';
import { selects } from '../../src/reader/selection.ts';
import { all, bytes } from '../support/read.ts';
import { logText } from './support/logs.ts';

const LOG = bytes(logText([{ tag: 'get', at: 1, values: [1] }]));

test.each<[selection: Selection, message: string]>([
  [{ tags: 'get' }, 'tags must be a list of tags, got "get"'],
  [{ tags: 7 as never }, 'tags must be a list of tags, got 7'],
  [{ since: { offsetSec: Number.NaN } }, 'since.offsetSec must be a number, got NaN'],
  [{ since: { epochSec: 1, second: 1 } as never }, 'a moment has no option "second"'],
  [{ until: { offset: 1 } as never }, 'until must be a moment, { offsetSec } or { epochSec }'],
  [{ until: 7 as never }, 'until must be a moment, { offsetSec } or { epochSec }'],
  [{ since: null as never }, 'since must be a moment, { offsetSec } or { epochSec }'],
])('%j is refused, because it would select no interval', async (selection, message) => {
  expect(refusalOf(() => selects(selection), 'ERR_INVALID_OPTION').message).toContain(message);
  const refused = expect.objectContaining({ code: 'ERR_INVALID_OPTION' });
  await expect(summarizeLogs([LOG], selection)).rejects.toEqual(refused);
  await expect(all(sliceLog(LOG, selection))).rejects.toEqual(refused);
  await expect(all(convertToV2(LOG, selection))).rejects.toEqual(refused);
});
