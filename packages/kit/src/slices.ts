/** How long a slice of work is, in milliseconds: short beside the delays that people look for in an event loop. */
const SLICE_MS = 2;

/** A slice of a process that has much else to do: what comes during a slice waits for its end, and what comes then waits for that. */
const BUSY_SLICE_MS = 0.5;

/** A process is busy when its other work takes more than this share of the time. */
const BUSY_SHARE = 0.05;

/** A turn of the event loop that takes longer than this has done other work. */
const IDLE_TURN_MS = 0.1;

/** A slice waits so long for a turn without other work. In a queue, it would hold up all that waits behind it. */
const LONGEST_WAIT_MS = 8;

/** Between two slices, patient work rests so many times as long as a slice: it takes a twentieth of the processor. */
const REST_PER_SLICE = 19;

// In a busy process, the other work between two slices may take 50 ms. Slices of 2 ms would make work of 100 ms last 2.5 s, and would
// hardly shorten the delays of the event loop. So a slice may take a quarter of what the other work has just taken.
const SHARE_OF_OTHERS = 0.25;
const LONGEST_SLICE_MS = 25;

// Looking at the clock takes as long as a small piece of work. Pieces become longer while code is not compiled, and when they have much to do.
const MOST_PIECES_PER_LOOK = 8;
const LOOK_EACH_MS = 0.1;

/** Node.js takes one new connection in a turn of the event loop, so a slice lets so many turns pass while connections come. */
const MOST_TURNS = 16;
let connections = 0;

/** Notes a new connection of a server: others may wait behind it. */
export function noteConnection(): void {
  connections++;
}

/** The time that all slices of this process have taken: slices make each other no longer. */
let takenMs = 0;

/** Work that has time rests between its slices, if the process is busy: long at first, and less and less towards a moment. */
export interface Patience {
  /** The moment, of `performance.now()`. Whoever waits for the work may move it to 0: then the work goes on without rests. */
  untilMs: number;
}

/** How long a slice is, and how long the work may last. */
export interface SlicesOptions {
  /** How long a slice is in a process that has little else to do, in milliseconds. @default 2 */
  readonly lengthMs?: number;
  /** How long a slice is at most in a busy process, in milliseconds. @default 25 */
  readonly longestMs?: number;
  /** How long the work may rest. @default it does not rest: it goes on as soon as other work lets it */
  readonly patience?: Patience;
}

/**
 * Cuts long work into slices, between which other work of the process runs. Work that takes less than a slice is not cut.
 *
 * In a busy process a slice begins in a turn of the event loop without other work, if there is one within 8 ms. It takes half a millisecond,
 * or a quarter of the time that the other work took between it and the slice before, and at most 25 ms or as long as the caller allows. Patient
 * work stays at half a millisecond, and rests.
 *
 * @example
 * ```ts
 * import { Slices } from '@hdrscope/kit';
 *
 * let sum = 0;
 * const slices = new Slices();
 * for (let piece = 1; piece <= 1000; piece++) {
 *   sum += piece;
 *   if (slices.isOver()) await slices.next();
 * }
 * sum; //=> 500500
 * ```
 */
export class Slices {
  /** How long the slices that have ended took. */
  #workedMs = 0;
  /** How long the work may rest; `undefined` when it does not. */
  readonly patience: Patience | undefined;
  readonly #lengthMs: number;
  readonly #longestMs: number;
  readonly #startMs: number;
  #beganMs: number;
  #endMs: number;
  #lookedMs: number;
  /** The load of other work is measured from here on: what the process did before the work says little of what it does beside it. */
  #load: Load;
  /** How many pieces are done from one look at the clock to the next one. */
  #piecesPerLook = MOST_PIECES_PER_LOOK;
  #pieces = 0;

  constructor(options: SlicesOptions = {}) {
    this.#lengthMs = options.lengthMs ?? SLICE_MS;
    this.#longestMs = options.longestMs ?? LONGEST_SLICE_MS;
    this.#startMs = performance.now();
    this.patience = options.patience;
    this.#beganMs = this.#startMs;
    this.#endMs = this.#beganMs + leastMs(this.#lengthMs);
    this.#lookedMs = this.#startMs;
    this.#load = readLoad(this.#startMs);
  }

  /** Whether it is time to let other work run. Call it after each piece of work: after short ones, it looks at the clock at each eighth call. */
  isOver(): boolean {
    if (++this.#pieces < this.#piecesPerLook) return false;
    const nowMs = performance.now();
    const fitting = (LOOK_EACH_MS * this.#pieces) / (nowMs - this.#lookedMs);
    this.#piecesPerLook = fitting < MOST_PIECES_PER_LOOK ? Math.floor(fitting) : MOST_PIECES_PER_LOOK;
    this.#lookedMs = nowMs;
    this.#pieces = 0;
    return nowMs >= this.#endMs;
  }

  /** How long the work has taken, without what else ran between its slices. */
  get workedMs(): number {
    return this.#workedMs + performance.now() - this.#beganMs;
  }

  /** Lets all other work run that is due, and begins the next slice. */
  async next(): Promise<void> {
    const leftMs = performance.now();
    const sliceMs = leftMs - this.#beganMs;
    takenMs += sliceMs;
    this.#workedMs += sliceMs;
    this.#noteLoad(leftMs);
    const restMs = isBusy ? this.#restMs(sliceMs, leftMs) : 0;
    if (restMs > 0) await rest(restMs);
    const othersMs = await letOthersRun();
    this.#beganMs = performance.now();
    this.#lookedMs = this.#beganMs;
    const shareMs = restMs > 0 ? 0 : Math.min(SHARE_OF_OTHERS * othersMs, this.#longestMs);
    this.#endMs = this.#beganMs + Math.max(leastMs(this.#lengthMs), shareMs);
  }

  #noteLoad(nowMs: number): void {
    if (nowMs - this.#load.atMs < SHORTEST_LOAD_MS) return;
    const load = readLoad(nowMs);
    isBusy = hasBeenBusy(this.#load, load);
    this.#load = load;
  }

  #restMs(sliceMs: number, nowMs: number): number {
    const untilMs = this.patience?.untilMs ?? 0;
    if (untilMs <= nowMs) return 0;
    return (
      Math.min(sliceMs, 2 * BUSY_SLICE_MS) * REST_PER_SLICE * ((untilMs - nowMs) / (untilMs - this.#startMs))
    );
  }
}

/** Lets all other work run that is due, and as much more as comes in a turn that nothing waits for. Returns how long it took. */
async function letOthersRun(): Promise<number> {
  const startMs = performance.now();
  let [turns, othersMs] = [0, 0];
  for (;;) {
    const [beganMs, taken, known] = [performance.now(), takenMs, connections];
    await nextTurn();
    const nowMs = performance.now();
    const tookMs = nowMs - beganMs - (takenMs - taken);
    othersMs += tookMs;
    if (connections > known && ++turns < MOST_TURNS) continue;
    if (tookMs < IDLE_TURN_MS || nowMs - startMs > LONGEST_WAIT_MS) return othersMs;
  }
}

/** Whether the process has much else to do than slices. */
let isBusy = false;

/** What the process has done up to a moment, in milliseconds. */
interface Load {
  readonly atMs: number;
  readonly takenMs: number;
  readonly activeMs: number;
}

/** Nothing is known of the load of shorter times: a request may come in them, or none. */
const SHORTEST_LOAD_MS = 20;

function readLoad(atMs: number): Load {
  return { atMs, takenMs, activeMs: readActiveMs() };
}

/** Whether other work than slices has taken much of the time between two moments. */
function hasBeenBusy(from: Load, to: Load): boolean {
  const othersMs = to.activeMs - from.activeMs - (to.takenMs - from.takenMs);
  return othersMs > BUSY_SHARE * (to.atMs - from.atMs);
}

interface LoadMeter {
  eventLoopUtilization(): { readonly active: number };
}

/** How long the event loop has worked since the process began. Browsers do not tell, and show pages: nothing rests there. */
function readActiveMs(): number {
  return (performance as Partial<LoadMeter>).eventLoopUtilization?.().active ?? 0;
}

function leastMs(lengthMs: number): number {
  return isBusy ? Math.min(BUSY_SLICE_MS, lengthMs) : lengthMs;
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') {
      setImmediate(resolve);
      return;
    }
    // Browsers have no `setImmediate`, and make timers that follow each other wait 4 ms, twice as long as a slice.
    const { port1, port2 } = new MessageChannel();
    const onmessage = (): void => {
      port1.close();
      resolve();
    };
    Object.assign(port1, { onmessage });
    port2.postMessage(undefined);
  });
}
