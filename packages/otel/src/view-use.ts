import { nearest } from '@hdrscope/kit';
import type { CompiledView, InstrumentIdentity } from './view.ts';

/** What an application makes with a meter. */
export interface MadeInstrument extends InstrumentIdentity {
  /** As a word: `histogram`, `observable gauge`. */
  readonly kind: string;
}

/** Applications make most instruments when they start, and some at their first use. */
const WITHIN_MS = 60_000;
/** An application that makes more names than this has another problem. */
const MOST_NAMES = 1000;
const SHOWN_NAMES = 8;

/** Calls back once, later. */
export type Schedule = (callback: () => void) => void;

/** Calls back in a minute, and does not keep the process alive. */
export const inOneMinute: Schedule = (callback) => {
  const timer = setTimeout(callback, WITHIN_MS);
  // Browsers have numbers for timers.
  (timer as { readonly unref?: () => void }).unref?.();
};

/** Notes which views have selected an instrument, and warns once of each that has selected none. */
export class ViewUse {
  readonly #unused: Set<CompiledView>;
  readonly #warn: (message: string) => void;
  readonly #schedule: Schedule;
  /** By name. */
  readonly #made = new Map<string, MadeInstrument>();
  #hasStarted = false;

  /**
   * @param views Those that select every histogram are of no interest.
   * @param schedule Calls back when the application has made its instruments.
   */
  constructor(views: readonly CompiledView[], warn: (message: string) => void, schedule: Schedule) {
    this.#unused = new Set(views.filter((view) => describe(view) !== '*'));
    this.#warn = warn;
    this.#schedule = schedule;
  }

  /** Begins to wait. */
  start(): void {
    if (this.#hasStarted || this.#unused.size === 0) return;
    this.#hasStarted = true;
    this.#schedule(() => this.#report());
  }

  note(instrument: MadeInstrument): void {
    if (this.#unused.size === 0) return;
    if (this.#made.size < MOST_NAMES) this.#made.set(instrument.name, instrument);
    if (instrument.kind !== HISTOGRAM) return;
    for (const view of this.#unused) if (view.matches(instrument)) this.#unused.delete(view);
  }

  #report(): void {
    const seconds = WITHIN_MS / 1000;
    for (const view of this.#unused) {
      const message = `the HDR view of ${describe(view)} has selected no histogram in ${seconds} s: ${this.#cure(view)}`;
      try {
        this.#warn(message);
      } catch {
        // A logger that fails must not end the application: nothing else runs in this timer.
      }
    }
    this.#unused.clear();
    this.#made.clear();
  }

  #cure(view: CompiledView): string {
    const made = [...this.#made.values()];
    const named = made.filter(({ name }) => view.matchesName(name));
    const other = named.find(({ kind }) => kind !== HISTOGRAM);
    if (named.some(({ kind }) => kind === HISTOGRAM))
      return 'its other criteria match none, such as unit or meter';
    if (other !== undefined) return `${other.name} is ${withArticle(other.kind)}, which has no distribution`;
    const names = made.filter(({ kind }) => kind === HISTOGRAM).map(({ name }) => name);
    if (names.length === 0) return 'the application has made no histogram';
    const near = nearest(view.instrumentName ?? '', names);
    if (near !== undefined) return `did you mean ${near}?`;
    const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
    return `the histograms are ${names.slice(0, SHOWN_NAMES).join(', ')}${more}`;
  }
}

const HISTOGRAM = 'histogram';

/** The criteria of a view: its pattern of names, else the others. */
function describe({
  instrumentName,
  instrumentUnit,
  meterName,
  meterVersion,
  meterSchemaUrl,
}: CompiledView): string {
  const others = { instrumentUnit, meterName, meterVersion, meterSchemaUrl };
  const stated = Object.entries(others).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} ${value}`],
  );
  return [instrumentName ?? [], ...stated].flat().join(', ');
}

function withArticle(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
