import { refusalOf } from '@hdrscope/testing/refusals';
import { convertToV2, type Selection, sliceLog, summarizeLogs } from '../../src/index.ts';
import { selects } from '../../src/reader/selection.ts';
import { all, bytes } from '../support/read.ts';
import { logText } from './support/logs.ts';

const LOG = bytes(logText([{ tag: 'get', at: 1, values: [1] }]));

test.each<[selection: Selection, message: string]>([
  [{ tags: 'get' }, 'tags must be a list of tags, got "get"'],
  [{ tags: 7 as never }, 'tags must be a list of tags, got 7'],
  [{ from: { offsetSec: Number.NaN } }, 'from.offsetSec must be a number, got NaN'],
  [{ from: { epochSec: 1, second: 1 } as never }, 'a moment has no option "second"'],
  [{ to: { offset: 1 } as never }, 'to must be a moment, { offsetSec } or { epochSec }'],
  [{ to: 7 as never }, 'to must be a moment, { offsetSec } or { epochSec }'],
  [{ from: null as never }, 'from must be a moment, { offsetSec } or { epochSec }'],
])('%j is refused, because it would select no interval', async (selection, message) => {
  expect(refusalOf(() => selects(selection), 'ERR_INVALID_OPTION').message).toContain(message);
  const refused = expect.objectContaining({ code: 'ERR_INVALID_OPTION' });
  await expect(summarizeLogs([LOG], selection)).rejects.toEqual(refused);
  await expect(all(sliceLog(LOG, selection))).rejects.toEqual(refused);
  await expect(all(convertToV2(LOG, selection))).rejects.toEqual(refused);
});
