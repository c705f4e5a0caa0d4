import { button, h, isTyped, setAttribute, setText } from '@hdrscope/page/dom';
import { currentTheme } from '@hdrscope/page/theme';
import { formatValue, type TimePlot } from '@hdrscope/plot';
import type { Zone } from '@hdrscope/plot/internal';
import type { TimeRange } from '../src/question.ts';
import { Brush, type BrushScale } from './brush.ts';
import { longRangeText, rangeText, timeText } from './clock.ts';
import {
  boundsOf,
  type End,
  earlierBy,
  edgesOf,
  lastOf,
  movedBy,
  nearestEdge,
  rangeBetween,
  rightBefore,
  showing,
  withEnd,
  within,
  zoomed,
} from './time-scale.ts';
import { drawTimeline, timelineLines } from './timeline-drawing.ts';

/** The other side of a comparison with the picked row. */
export type Comparing = 'nothing' | 'before' | 'day' | 'week' | 'time' | 'row';

/** Reacts to what people do with the timeline. */
export interface TimelineListeners {
  /** A range was chosen; `undefined` is all time. A baseline comes with a range. */
  onRange(range: TimeRange | undefined, baseline: TimeRange | undefined): void;
  /** The picked row is to be compared with another row, which the reader chooses elsewhere. */
  onOtherRow(): void;
  /** The picked row is to be compared with nothing. */
  onNothing(): void;
}

/** The contents of the timeline. */
export interface TimelineContent {
  /** The values of the picked row over time; `undefined` when no row is picked. */
  readonly plot: TimePlot | undefined;
  /** The label of the picked row. */
  readonly label: string;
  /** The time that the server remembers. */
  readonly bounds: TimeRange;
  readonly range: TimeRange | undefined;
  readonly baseline: TimeRange | undefined;
  readonly isOtherRow: boolean;
  /** The time in which the picked row has changed; `undefined` when it is not shown to have. */
  readonly changed: TimeRange | undefined;
  /** Times of which nothing is known. */
  readonly gaps: readonly TimeRange[];
  readonly isRecord: boolean;
  readonly zone: Zone;
}

const MINUTE_MS = 60_000;

/** How long before the chosen time it is compared with. */
const EARLIER_MS: Readonly<Partial<Record<Comparing, number>>> = {
  day: 1440 * MINUTE_MS,
  week: 7 * 1440 * MINUTE_MS,
};
const ZOOM = 2;
// A pointer that moves less has clicked.
const LEAST_DRAG = 4;

type Which = 'range' | 'baseline';

/** The range or the end of a range that a pointer moves. */
interface Drag {
  readonly which: Which;
  readonly part: End | 'middle' | 'new';
  readonly startX: number;
  readonly startMs: number;
  readonly before: TimeRange | undefined;
  hasMoved: boolean;
  now: TimeRange | undefined;
}

/** The history of the picked row, on which people choose a stretch of time, and another one to compare it with. */
export class Timeline {
  readonly element: HTMLElement;
  readonly #listeners: TimelineListeners;
  readonly #canvas = h('canvas', { role: 'img' });
  readonly #track: HTMLElement;
  readonly #readout = h('p', { class: 'readout', 'aria-live': 'polite' });
  readonly #brushes: Readonly<Record<Which, Brush>>;
  readonly #compare = h('select', { 'aria-label': 'Compare with' });
  readonly #all: HTMLButtonElement;
  readonly #zoomOut: HTMLButtonElement;
  #content: TimelineContent | undefined;
  #edges: readonly number[] = [];
  /** The part that is shown; `undefined` is everything. */
  #window: TimeRange | undefined;
  /** Whether the reader chooses the time to compare with, so that a drag makes it. */
  #isChoosing = false;
  #drag: Drag | undefined;
  /** Why there is nothing to compare with. */
  #hint = '';

  constructor(listeners: TimelineListeners) {
    this.#listeners = listeners;
    this.#brushes = {
      range: new Brush('the time', 'range', (range) => this.#take('range', range)),
      baseline: new Brush('the time to compare with', 'baseline', (range) => this.#take('baseline', range)),
    };
    const { range, baseline } = this.#brushes;
    this.#track = h(
      'div',
      { class: 'track' },
      this.#canvas,
      baseline.element,
      range.element,
      baseline.handles.from,
      baseline.handles.to,
      range.handles.from,
      range.handles.to,
    );
    for (const [value, text] of Object.entries(COMPARING)) {
      this.#compare.append(h('option', { value }, text));
    }
    this.#compare.addEventListener('change', () => this.#compareWith(this.#compare.value as Comparing));
    this.#all = button('All', () => this.#clear());
    this.#zoomOut = button('−', () => this.#zoom(ZOOM), { 'aria-label': 'Zoom out', title: 'Zoom out (−)' });
    const zoomIn = button('+', () => this.#zoom(1 / ZOOM), {
      'aria-label': 'Zoom in',
      title: 'Zoom in (+, or the wheel with Ctrl)',
    });
    this.element = h(
      'section',
      { class: 'timeline', 'aria-label': 'Time' },
      h('h2', { class: 'hidden-text' }, 'Time'),
      h(
        'div',
        { class: 'tools' },
        this.#readout,
        h(
          'div',
          { class: 'choice', role: 'group', 'aria-label': 'Time' },
          button('Last minute', () => this.#last(MINUTE_MS)),
          button('Last 5 minutes', () => this.#last(5 * MINUTE_MS)),
          this.#all,
        ),
        h('label', { class: 'compare' }, 'Compare with ', this.#compare),
        h(
          'div',
          { class: 'choice', role: 'group', 'aria-label': 'Zoom of the timeline' },
          this.#zoomOut,
          zoomIn,
        ),
      ),
      h('div', { class: 'track-frame' }, this.#track),
    );
    this.#listen();
  }

  show(content: TimelineContent): void {
    this.#content = content;
    if (content.baseline === undefined) this.#isChoosing &&= content.range !== undefined;
    // The drawing under a pointer stays while something is moved.
    if (this.#drag !== undefined) return;
    this.#edges = edgesOf(content.plot, content.bounds);
    this.draw();
  }

  /** Draws again, after a change of the theme or the size. */
  draw(): void {
    if (this.#content === undefined) return;
    const { zone, range, baseline, isOtherRow, isRecord } = this.#content;
    const bounds = boundsOf(this.#edges);
    if (this.#window !== undefined) this.#window = within(this.#window, bounds);
    const window = this.#shownWindow;
    const length = window.toMs - window.fromMs;
    const scale: BrushScale = {
      ...{ edges: this.#edges, bounds, zone },
      placeOf: (ms) => (length > 0 ? (ms - window.fromMs) / length : 0),
    };
    const drag = this.#drag?.hasMoved ? this.#drag : undefined;
    const shown = {
      range: drag?.which === 'range' ? drag.now : range,
      baseline: drag?.which === 'baseline' ? drag.now : baseline,
    };
    this.#brushes.range.show(shown.range, scale, true);
    this.#brushes.baseline.show(shown.baseline, scale, shown.baseline !== undefined);
    setText(this.#readout, this.#readoutOf(shown.range, shown.baseline, zone, isRecord));
    this.#compare.value = this.#comparingOf(range, baseline, isOtherRow);
    for (const option of this.#compare.options) {
      const ms = EARLIER_MS[option.value as Comparing];
      // A page that has just started has no yesterday.
      option.hidden = ms !== undefined && bounds.toMs - bounds.fromMs < ms;
    }
    setAttribute(this.#all, 'aria-pressed', String(range === undefined));
    this.#zoomOut.disabled = this.#window === undefined;
    this.#drawCanvas(window);
  }

  #comparingOf(
    range: TimeRange | undefined,
    baseline: TimeRange | undefined,
    isOtherRow: boolean,
  ): Comparing {
    if (isOtherRow) return 'row';
    if (range !== undefined && this.#isChoosing) return 'time';
    if (baseline === undefined || range === undefined) return 'nothing';
    const isEarlier = (ms: number): boolean => {
      const earlier = earlierBy(this.#edges, range, ms);
      return earlier?.fromMs === baseline.fromMs && earlier.toMs === baseline.toMs;
    };
    for (const [comparing, ms] of Object.entries(EARLIER_MS))
      if (isEarlier(ms)) return comparing as Comparing;
    return isRightBefore(range, baseline) ? 'before' : 'time';
  }

  #readoutOf(
    range: TimeRange | undefined,
    baseline: TimeRange | undefined,
    zone: Zone,
    isRecord: boolean,
  ): string {
    if (range === undefined) return isRecord ? 'The whole record' : 'All data, live';
    const text = longRangeText(range, zone);
    return baseline === undefined
      ? `${text}${this.#hint}`
      : `${text}, compared with ${longRangeText(baseline, zone)}`;
  }

  #drawCanvas(window: TimeRange): void {
    const { clientWidth: width, clientHeight: height } = this.#track;
    const { plot, zone, label, changed, gaps } = this.#content!;
    const context = this.#canvas.getContext('2d');
    if (context === null || width === 0) return;
    const ratio = globalThis.devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.#canvas.width !== wide || this.#canvas.height !== high) {
      this.#canvas.width = wide;
      this.#canvas.height = high;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const fonts = getComputedStyle(this.element).fontFamily;
    drawTimeline(context, { width, height }, plot, window, {
      ...{ theme: currentTheme(), zone, fonts, changed, gaps },
    });
    setAttribute(
      this.#canvas,
      'aria-label',
      describe(plot, label, window, zone) + changedText(changed, zone) + gapsText(gaps, zone),
    );
  }

  get #shownWindow(): TimeRange {
    return this.#window ?? boundsOf(this.#edges);
  }

  #last(ms: number): void {
    this.#window = undefined;
    this.#take('range', lastOf(this.#edges, ms));
  }

  #clear(): void {
    this.#isChoosing = false;
    this.#window = undefined;
    this.#listeners.onRange(undefined, undefined);
  }

  /** Takes a range that the reader has chosen. */
  #take(which: Which, chosen: TimeRange): void {
    // Before the second update there is no interval to choose.
    if (this.#content === undefined || chosen.toMs <= chosen.fromMs) return;
    this.#hint = '';
    const { range, baseline } = this.#content;
    if (which === 'baseline') {
      this.#isChoosing = true;
      this.#listeners.onRange(range, chosen);
    } else {
      const follows =
        !this.#isChoosing && range !== undefined && baseline !== undefined && isRightBefore(range, baseline);
      this.#listeners.onRange(chosen, follows ? rightBefore(this.#edges, chosen) : baseline);
    }
    if (this.#window !== undefined) {
      const moved = which === 'range' ? range : baseline;
      const ms = moved?.fromMs === chosen.fromMs ? chosen.toMs : chosen.fromMs;
      this.#window = showing(this.#window, ms, boundsOf(this.#edges));
    }
    this.draw();
  }

  #compareWith(comparing: Comparing): void {
    if (this.#content === undefined) return;
    this.#isChoosing = comparing === 'time';
    this.#hint = '';
    const { range } = this.#content;
    if (comparing === 'row') this.#listeners.onOtherRow();
    else if (comparing === 'nothing') this.#listeners.onNothing();
    else {
      const shown = range ?? this.#lastPart();
      const ms = EARLIER_MS[comparing];
      const before = ms === undefined ? rightBefore(this.#edges, shown) : earlierBy(this.#edges, shown, ms);
      this.#listeners.onRange(shown, before);
      const when = ms === undefined ? 'before it' : `a ${comparing} before it`;
      this.#hint = before === undefined ? `, and nothing ${when} is remembered` : '';
    }
    this.draw();
  }

  /** The last minute, or half of a shorter time: something that has a time before it. */
  #lastPart(): TimeRange {
    const { fromMs, toMs } = boundsOf(this.#edges);
    return lastOf(this.#edges, Math.min(MINUTE_MS, (toMs - fromMs) / 2));
  }

  #zoom(factor: number, aroundMs?: number): void {
    const window = this.#shownWindow;
    const range = this.#content?.range;
    const middle = (one: TimeRange): number => (one.fromMs + one.toMs) / 2;
    this.#window = zoomed(window, boundsOf(this.#edges), factor, aroundMs ?? middle(range ?? window));
    // A zoom around the range keeps its middle in the middle.
    if (this.#window !== undefined && aroundMs === undefined && range !== undefined) {
      const half = (this.#window.toMs - this.#window.fromMs) / 2;
      const centre = middle(range);
      this.#window = within({ fromMs: centre - half, toMs: centre + half }, boundsOf(this.#edges));
    }
    this.draw();
  }

  #listen(): void {
    const track = this.#track;
    new ResizeObserver(() => this.draw()).observe(track);
    track.addEventListener('pointerdown', (event) => this.#begin(event));
    track.addEventListener('pointermove', (event) => this.#move(event));
    track.addEventListener('pointerup', () => this.#end(true));
    track.addEventListener('pointercancel', () => this.#end(false));
    track.addEventListener('dblclick', () => this.#clear());
    track.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        this.#zoom(event.deltaY > 0 ? 1.25 : 0.8, this.#timeAt(event.clientX));
      },
      { passive: false },
    );
    this.element.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        const isBaseline = (event.target as Element).classList.contains('baseline');
        if (this.#drag !== undefined) this.#end(false);
        else if (isBaseline) this.#compareWith('nothing');
        else this.#clear();
      } else if (isTyped(event)) return;
      else if (event.key === '+' || event.key === '=') this.#zoom(1 / ZOOM);
      else if (event.key === '-' || event.key === '_') this.#zoom(ZOOM);
    });
  }

  #timeAt(clientX: number): number {
    const { left, width } = this.#track.getBoundingClientRect();
    const { fromMs, toMs } = this.#shownWindow;
    return fromMs + (Math.min(1, Math.max(0, (clientX - left) / width)) || 0) * (toMs - fromMs);
  }

  #begin(event: PointerEvent): void {
    if (event.button !== 0 || this.#content === undefined || !(event.target instanceof HTMLElement)) return;
    const { range, baseline } = this.#content;
    const { target } = event;
    const isBaseline = target.classList.contains('baseline');
    const isEmpty = target === this.#canvas || target === this.#track;
    const which: Which = isBaseline || (isEmpty && this.#isChoosing) ? 'baseline' : 'range';
    const end = target.dataset.end as End | undefined;
    this.#drag = {
      ...{ which, part: end ?? (isEmpty ? 'new' : 'middle'), startX: event.clientX },
      startMs: this.#timeAt(event.clientX),
      before: which === 'range' ? range : baseline,
      ...{ hasMoved: false, now: which === 'range' ? range : baseline },
    };
    this.#track.setPointerCapture(event.pointerId);
    if (end !== undefined) target.focus();
    event.preventDefault();
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (drag === undefined) return;
    drag.hasMoved ||= Math.abs(event.clientX - drag.startX) >= LEAST_DRAG;
    if (!drag.hasMoved) return;
    const ms = this.#timeAt(event.clientX);
    const whole = drag.before ?? boundsOf(this.#edges);
    if (drag.part === 'new') drag.now = rangeBetween(this.#edges, drag.startMs, ms);
    else if (drag.part === 'middle') drag.now = movedBy(this.#edges, whole, ms - drag.startMs);
    else drag.now = withEnd(this.#edges, whole, drag.part, nearestEdge(this.#edges, ms));
    this.draw();
  }

  #end(isTaken: boolean): void {
    const drag = this.#drag;
    this.#drag = undefined;
    if (drag === undefined) return;
    if (isTaken && drag.hasMoved && drag.now !== undefined) this.#take(drag.which, drag.now);
    if (this.#content !== undefined) this.show(this.#content);
  }
}

const COMPARING: Readonly<Record<Comparing, string>> = {
  nothing: 'nothing',
  before: 'the time right before',
  day: 'a day before',
  week: 'a week before',
  time: 'a time of my choice',
  row: 'another row',
};

function changedText(changed: TimeRange | undefined, zone: Zone): string {
  return changed === undefined ? '' : ` It changed at ${timeText(changed.fromMs, zone)}.`;
}

function gapsText(gaps: readonly TimeRange[], zone: Zone): string {
  const last = gaps.at(-1);
  if (last === undefined) return '';
  return ` Nothing is known of ${gaps.length === 1 ? '' : 'some times, the last one '}${rangeText(last, zone)}.`;
}

/** Whether a baseline ends where a range begins, and is about as long. */
function isRightBefore(range: TimeRange, baseline: TimeRange): boolean {
  const [length, before] = [range, baseline].map(({ fromMs, toMs }) => toMs - fromMs) as [number, number];
  return baseline.toMs === range.fromMs && before <= length * 1.5;
}

/** The timeline in words, for people who cannot see it. */
function describe(plot: TimePlot | undefined, label: string, window: TimeRange, zone: Zone): string {
  const time = rangeText(window, zone);
  if (plot === undefined) return `The time from ${time}. No row is picked.`;
  const tops = timelineLines(plot).flatMap(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    let highest = Number.NEGATIVE_INFINITY;
    for (const value of known) highest = Math.max(highest, value);
    return known.length === 0 ? [] : [`${name} up to ${formatValue(highest, plot.unit)}`];
  });
  return `${label} from ${time}: ${tops.length === 0 ? 'no values' : tops.join(', ')}.`;
}
