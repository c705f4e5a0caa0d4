import { h, setAttribute } from '@hdrscope/page/dom';
import type { Zone } from '@hdrscope/plot/internal';
import type { TimeRange } from '../src/question.ts';
import { longRangeText, timeText } from './clock.ts';
import { type End, edgeAfter, withEnd } from './time-scale.ts';

/** The time that a brush is drawn in. */
export interface BrushScale {
  /** The moments at which a range may begin and end. */
  readonly edges: readonly number[];
  readonly bounds: TimeRange;
  readonly zone: Zone;
  /** The place of a moment, from 0 at the left end of the track to 1 at its right end. */
  placeOf(ms: number): number;
}

const PAGE = 10;

/** A range on the timeline, with a handle at each end: https://www.w3.org/WAI/ARIA/apg/patterns/slider-multithumb/ */
export class Brush {
  readonly element: HTMLElement;
  readonly handles: Readonly<Record<End, HTMLElement>>;
  readonly #name: string;
  readonly #onChange: (range: TimeRange) => void;
  #range: TimeRange | undefined;
  #scale: BrushScale | undefined;

  /**
   * @param name What the range is, as in `Start of the time`.
   * @param kind Its class, which has its colour.
   */
  constructor(name: string, kind: string, onChange: (range: TimeRange) => void) {
    this.#name = name;
    this.#onChange = onChange;
    this.handles = { from: this.#handleOf('from', kind), to: this.#handleOf('to', kind) };
    this.element = h('div', { class: `brush ${kind}`, 'aria-hidden': 'true' });
  }

  /** Shows a range; `undefined` is all time, which has handles but no area. */
  show(range: TimeRange | undefined, scale: BrushScale, isOn: boolean): void {
    this.#range = range ?? scale.bounds;
    this.#scale = scale;
    this.element.hidden = range === undefined || !isOn;
    const [left, right] = [scale.placeOf(this.#range.fromMs), scale.placeOf(this.#range.toMs)].map(inTrack);
    this.element.style.left = `${left! * 100}%`;
    this.element.style.width = `${(right! - left!) * 100}%`;
    for (const end of ['from', 'to'] as const) {
      const handle = this.handles[end];
      const ms = end === 'from' ? this.#range.fromMs : this.#range.toMs;
      const place = scale.placeOf(ms);
      handle.hidden = !isOn;
      // A handle out of sight can still be reached by keys, and comes back into sight when it moves.
      setAttribute(handle, 'data-away', place < -1e-9 || place > 1 + 1e-9);
      handle.style.left = `${inTrack(place) * 100}%`;
      setAttribute(handle, 'aria-valuemin', Math.round(scale.bounds.fromMs));
      setAttribute(handle, 'aria-valuemax', Math.round(scale.bounds.toMs));
      setAttribute(handle, 'aria-valuenow', Math.round(ms));
      const time = timeText(ms, scale.zone);
      const whole = range === undefined ? 'all time' : longRangeText(this.#range, scale.zone);
      setAttribute(handle, 'aria-valuetext', `${time}, of ${whole}`);
    }
  }

  #handleOf(end: End, kind: string): HTMLElement {
    const handle = h('div', {
      class: `handle ${kind} ${end}`,
      role: 'slider',
      tabindex: '0',
      'aria-orientation': 'horizontal',
      'aria-label': `${end === 'from' ? 'Start' : 'End'} of ${this.#name}`,
      'data-end': end,
    });
    handle.addEventListener('keydown', (event) => this.#onKey(event, end));
    return handle;
  }

  #onKey(event: KeyboardEvent, end: End): void {
    if (this.#range === undefined || this.#scale === undefined) return;
    const { edges, bounds } = this.#scale;
    const ms = end === 'from' ? this.#range.fromMs : this.#range.toMs;
    const many = event.shiftKey ? PAGE : 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: -many,
      ArrowDown: -many,
      ArrowRight: many,
      ArrowUp: many,
      PageDown: -PAGE,
      PageUp: PAGE,
    };
    const step = steps[event.key];
    const target =
      event.key === 'Home'
        ? bounds.fromMs
        : event.key === 'End'
          ? bounds.toMs
          : step && edgeAfter(edges, ms, step);
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#onChange(withEnd(edges, this.#range, end, target));
  }
}

function inTrack(place: number): number {
  return Math.min(1, Math.max(0, place));
}
