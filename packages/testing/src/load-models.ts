import { createRandom } from './random.ts';

/**
 * Models of load tests: what a run measures, with the faults that real machines have. All times are in milliseconds. A seed determines
 * every value.
 */

/** The values of a run, in the order of time. `rate` of them came in each second. */
export interface ModelRun {
  readonly values: Float64Array;
  readonly rate: number;
}

/** How long a run is, and how fast requests come. */
export interface RunShape {
  readonly seconds: number;
  readonly rate: number;
}

/** Draws numbers. */
export class Draws {
  readonly uniform: () => number;
  #spare: number | undefined;

  constructor(seed: number) {
    this.uniform = createRandom(seed);
  }

  /** Normal, with mean 0 and standard deviation 1. */
  normal(): number {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined) return spare;
    const length = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.#spare = length * Math.sin(angle);
    return length * Math.cos(angle);
  }
}

/** Measures one run of a program that is `slower` times as slow. */
export type Model = (draws: Draws, slower: number, shape: RunShape) => ModelRun;

const MEDIAN_MS = 10;
const SIGMA = 0.4;

/** Logarithms of values that depend on those before: neighbours have the correlation `rho`. */
function autoregressive(rho: number): Model {
  return (draws, slower, { seconds, rate }) => {
    const values = new Float64Array(seconds * rate);
    const news = Math.sqrt(1 - rho * rho);
    let state = draws.normal();
    for (let i = 0; i < values.length; i++) {
      values[i] = slower * MEDIAN_MS * Math.exp(SIGMA * state);
      state = rho * state + news * draws.normal();
    }
    return { values, rate };
  };
}

const independent = autoregressive(0);

/** The program stops for 20 to 200 ms, about each 5 seconds; requests wait for its end. */
const stalls: Model = (draws, slower, shape) => {
  const { values, rate } = independent(draws, slower, shape);
  const gap = (): number => -5 * Math.log(1 - draws.uniform());
  for (let at = gap(); at < shape.seconds; at += gap()) {
    const end = at + slower * (0.02 + 0.18 * draws.uniform());
    const last = Math.min(values.length, end * rate);
    for (let i = Math.ceil(at * rate); i < last; i++) values[i]! += (end - i / rate) * 1000;
  }
  return { values, rate };
};

/** The machine is fast in one run and slow in the next one. */
function unsteady(deviation: number, inner: Model = independent): Model {
  return (draws, slower, shape) => inner(draws, slower * Math.exp(deviation * draws.normal()), shape);
}

/** Half of the runs are a fifth slower, as when a compiler decides otherwise. */
const twoModes: Model = (draws, slower, shape) =>
  independent(draws, slower * (draws.uniform() < 0.5 ? 1 : 1.2), shape);

/** A tenth of the requests misses a cache, in one run more than in another. */
const twoKinds: Model = (draws, slower, shape) => {
  const run = independent(draws, slower, shape);
  const missing = 0.1 * Math.exp(0.1 * draws.normal());
  for (let i = 0; i < run.values.length; i++) if (draws.uniform() < missing) run.values[i]! *= 8;
  return run;
};

/** A factor that changes over a run. */
function over(course: (draws: Draws) => (part: number) => number): Model {
  return (draws, slower, shape) => {
    const factor = course(draws);
    const run = independent(draws, slower, shape);
    for (let i = 0; i < run.values.length; i++) run.values[i]! *= factor(i / run.values.length);
    return run;
  };
}

/** Each run becomes faster or slower, by a tenth of its own. */
const drift = over((draws) => {
  const slope = 0.2 * draws.normal();
  return (part) => Math.exp(slope * (part - 0.5));
});

/** Each run begins a third slower. */
const warmUp = over(() => (part) => 1 + 0.3 * Math.exp(-5 * part));

/** A wave of a fifth, of which a run has two. */
const rhythm = over((draws) => {
  const phase = draws.uniform();
  return (part) => 1 + 0.2 * Math.sin(2 * Math.PI * (2 * part + phase));
});

/** All models by their names in tables. */
export const LOAD_MODELS: Readonly<Record<string, Model>> = {
  independent,
  'stalls of 20 to 200 ms': stalls,
  'AR(1), ρ 0.9': autoregressive(0.9),
  'AR(1), ρ 0.99': autoregressive(0.99),
  'speed of runs, sd 2 %': unsteady(0.02),
  'speed of runs, sd 5 %': unsteady(0.05),
  'speed of runs, sd 10 %': unsteady(0.1),
  'speed, sd 5 %, and stalls': unsteady(0.05, stalls),
  drift,
  'warm-up': warmUp,
  rhythm,
  'two modes': twoModes,
  'two kinds of requests': twoKinds,
};
