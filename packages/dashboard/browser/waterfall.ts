import { h, setChildren } from '@hdrscope/page/dom';
import { formatValue } from '@hdrscope/plot';
import type { WaterfallPlot } from '@hdrscope/plot/internal';
import { signedText } from './comparison-table.ts';

/** A row of a waterfall: a bar from one value to another one. */
interface Bar {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly kind: 'side' | 'more' | 'less';
}

/** Draws a waterfall as a list: its rows are read aloud as they stand there, and fit a phone. */
export function drawWaterfall(list: HTMLElement, plot: WaterfallPlot): void {
  const bars = listBars(plot);
  const ends = bars.flatMap(({ from, to }) => [from, to]);
  const least = ends.reduce((a, b) => Math.min(a, b), 0);
  const most = ends.reduce((a, b) => Math.max(a, b), 0);
  const place = (value: number): number => (100 * (value - least)) / (most - least || 1);
  setChildren(
    list,
    bars.map(({ name, from, to, text, kind }) => {
      const bar = h('span', { class: `bar ${kind}` });
      const [start, end] = [place(Math.min(from, to)), place(Math.max(from, to))];
      bar.style.left = `${start}%`;
      bar.style.width = `max(1px, ${end - start}%)`;
      const track = h('span', { class: 'steps', 'aria-hidden': 'true' }, bar);
      return h('li', {}, h('span', { class: 'name' }, name), track, h('span', { class: 'amount' }, text));
    }),
  );
}

function listBars({ before, after, steps, unit }: WaterfallPlot): Bar[] {
  const sideOf = ({ name, value }: WaterfallPlot['before']): Bar => {
    return { name, from: 0, to: value, text: formatValue(value, unit), kind: 'side' };
  };
  let at = before.value;
  const ofSteps = steps.map(({ name, change, note }): Bar => {
    const from = at;
    at += change;
    const text = `${signedText(change, unit)}${note === undefined ? '' : ` (${note})`}`;
    return { name, from, to: at, text, kind: change < 0 ? 'less' : 'more' };
  });
  return [sideOf(before), ...ofSteps, sideOf(after)];
}
