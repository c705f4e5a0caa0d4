/**
 * Counts changes over builds in simulated series, whose truth is known, as `findChanges` and Apache Otava find them.
 */
import { spawnSync } from 'node:child_process';
import { findChanges, Histogram } from '@hdrscope/core';
import { Draws } from '@hdrscope/testing/load-models';
import { PEERS, programOf } from '../peers/peers.js';

/** @import { Model, ModelRun } from '@hdrscope/testing/load-models' */
/** @import { Share } from './simulate.js' */

const BUILDS = 30;
const PERCENTILES = [50, 90, 99];

/**
 * What is planted in a series: how much slower each build is, and the builds that differ from the one before.
 *
 * @type {Readonly<Record<string, { slower: (build: number) => number, truth: readonly number[] }>>}
 */
const PLANS = {
  equal: { slower: () => 1, truth: [] },
  middle: { slower: (build) => (build < 15 ? 1 : 1.1), truth: [15] },
  newest: { slower: (build) => (build < 26 ? 1 : 1.1), truth: [26] },
  undone: { slower: (build) => (build >= 10 && build < 20 ? 1.1 : 1), truth: [10, 20] },
  alone: { slower: (build) => (build === 12 ? 1.5 : 1), truth: [] },
};

/**
 * @typedef {object} Found
 * @property {Share} falseAlarms series of equal builds with a change
 * @property {Share} middle a tenth more in the middle, found at its build or the one beside it, and nothing else
 * @property {{ cases: number, sum: number }} distance of the nearest change from it, in builds
 * @property {Share} newest a tenth more in the newest four builds, found so
 * @property {Share} undone a tenth more for ten builds, both changes found so
 * @property {Share} alone one build that is half as slow again, taken for a change
 */

/** @returns {Found} */
function nothing() {
  const share = () => ({ cases: 0, hits: 0 });
  return {
    falseAlarms: share(),
    middle: share(),
    distance: { cases: 0, sum: 0 },
    newest: share(),
    undone: share(),
    alone: share(),
  };
}

/** The command of Apache Otava; `undefined` when it is not installed. */
export function findOtava() {
  const peer = PEERS.find(({ name }) => name === 'otava');
  return peer && programOf(peer);
}

/**
 * @param {Model} model
 * @param {{ series: number, seconds: number, rate: number, seed: number }} shape
 * @param {string | undefined} otava the command of Apache Otava
 * @returns {{ ours: Found, otavas: Found | undefined }}
 */
export function measureChanges(model, { series, seconds, rate, seed }, otava) {
  const draws = new Draws(seed);
  const ours = nothing();
  /** @type {{ plan: string, figures: number[][] }[]} */
  const asked = [];
  for (let i = 0; i < series; i++) {
    const runs = Array.from({ length: BUILDS }, () => model(draws, 1, { seconds, rate }));
    /** @type {Map<string, Histogram>} */
    const known = new Map();
    const valuesOf = (
      /** @type {ModelRun} */ run,
      /** @type {number} */ build,
      /** @type {number} */ factor,
    ) => {
      const key = `${build} ${factor}`;
      const values = known.get(key) ?? histogramOf(run, factor);
      known.set(key, values);
      return values;
    };
    for (const [plan, { slower }] of Object.entries(PLANS)) {
      const histograms = runs.map((run, build) => valuesOf(run, build, slower(build)));
      const builds = histograms.map((values, build) => ({ name: String(build), runs: [{ values }] }));
      const { changes } = findChanges(builds, { percentiles: PERCENTILES });
      tally(
        ours,
        plan,
        changes.map(({ since }) => Number(since)),
      );
      const figures = PERCENTILES.map((one) => histograms.map((values) => values.valueAtPercentile(one)));
      asked.push({ plan, figures });
    }
  }
  if (otava === undefined) return { ours, otavas: undefined };
  const otavas = nothing();
  const places = askOtava(
    otava,
    asked.flatMap(({ figures }) => figures),
  );
  for (const [at, { plan }] of asked.entries()) {
    const ofSeries = places.slice(at * PERCENTILES.length, (at + 1) * PERCENTILES.length);
    tally(otavas, plan, joinNear(ofSeries.flat()));
  }
  return { ours, otavas };
}

/**
 * Otava looks at each percentile by itself. Changes of neighbouring builds are one.
 *
 * @param {readonly number[]} places
 */
function joinNear(places) {
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  return sorted.filter((place, at) => at === 0 || place - (sorted[at - 1] ?? 0) > 1);
}

/**
 * @param {Found} found
 * @param {string} plan
 * @param {readonly number[]} places
 */
function tally(found, plan, places) {
  const truth = PLANS[plan]?.truth ?? [];
  const isRight =
    places.length === truth.length && truth.every((at, i) => Math.abs(at - (places[i] ?? -9)) <= 1);
  if (plan === 'equal') count(found.falseAlarms, places.length > 0);
  if (plan === 'alone') count(found.alone, places.length > 0);
  if (plan === 'middle') {
    count(found.middle, isRight);
    if (places.length > 0) {
      found.distance.cases++;
      found.distance.sum += Math.min(...places.map((place) => Math.abs(place - 15)));
    }
  }
  if (plan === 'newest') count(found.newest, isRight);
  if (plan === 'undone') count(found.undone, isRight);
}

/**
 * @param {Share} share
 * @param {boolean} isHit
 */
function count(share, isHit) {
  share.cases++;
  if (isHit) share.hits++;
}

const TICKS_PER_MS = 1e6;

/**
 * @param {ModelRun} run
 * @param {number} factor
 */
function histogramOf({ values }, factor) {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
  for (const value of values) histogram.record(Math.round(value * factor * TICKS_PER_MS));
  return histogram;
}

/**
 * @param {string} otava
 * @param {readonly (readonly number[])[]} series
 * @returns {number[][]}
 */
function askOtava(otava, series) {
  const { status, stdout, stderr } = spawnSync(otava, {
    input: JSON.stringify(series),
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`Apache Otava ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
