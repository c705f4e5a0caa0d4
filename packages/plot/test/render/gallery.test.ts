import { someCells } from '@hdrscope/testing/case-count';
import { defaultHeightOf } from '../../src/render/options.ts';
import { gallery, WIDTHS } from '../support/gallery.ts';
import { flawsOf, textBoxesOf } from '../support/text-boxes.ts';

const ENTRIES = gallery();
// A test in a browser measures the width between them.
const [WIDEST, , NARROWEST] = WIDTHS;

test.each([
  [WIDEST, 0],
  [NARROWEST, 1],
])('no text overlaps another or leaves the picture, at %d pixels', (width, turn) => {
  const flaws = someCells(ENTRIES, turn).flatMap(({ data, plot }) => {
    const height = defaultHeightOf(plot.kind);
    const boxes = textBoxesOf(plot, width, 'light');
    if (boxes.length < 4) return [`${plot.kind} of ${data} has ${boxes.length} texts`];
    return flawsOf(boxes, width, height).map((flaw) => `${plot.kind} of ${data}: ${flaw}`);
  });
  expect(flaws).toEqual([]);
});
