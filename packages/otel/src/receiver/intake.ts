import { HdrscopeError } from '@hdrscope/core';
import {
  type IngestHealth,
  type Ingestion,
  type IngestMemory,
  ingest,
  type Registry,
} from '@hdrscope/registry';
import type { ReceiverSettings } from './options.ts';
import type { PointRefusalReason } from './point-refusal.ts';
import { readingsOf } from './readings.ts';
import type { ReceivedMetric } from './received.ts';
import { type PointRefusals, RefusalNotes } from './refusals.ts';

/** Counters of what a receiver has taken in. They only grow, except `streams`. */
export interface OtlpIntakeHealth
  extends Pick<IngestHealth, 'values' | 'duplicates' | 'late' | 'open' | 'streams'> {
  /** How many points of histograms were accepted, duplicates and late ones included. */
  readonly points: number;
  /** Points that were refused, by reason. */
  readonly refused: Readonly<Record<PointRefusalReason, number>>;
  /** Restarts of cumulative streams: another start time, or counts that fell. */
  readonly resets: number;
}

/** Adds received metrics to a registry. */
export class OtlpIntake {
  readonly #settings: ReceiverSettings;
  readonly #ingestion: Ingestion;
  /** Points that did not become readings. */
  readonly #refused: Record<PointRefusalReason, number> = {
    notHistogram: 0,
    malformed: 0,
    countTooLarge: 0,
    tooManyStreams: 0,
    conflicting: 0,
  };

  constructor(registry: Registry, settings: ReceiverSettings) {
    this.#settings = settings;
    const { since, maxStreams, forgetAfterMs, clock, dropAttributes, observer, memory } = settings;
    this.#ingestion = ingest(
      registry,
      { name: 'otlp' },
      { since, maxStreams, forgetAfterMs, clock, dropAttributes, observer, memory, epochs: 'side by side' },
    );
  }

  get memory(): IngestMemory {
    return this.#ingestion.memory;
  }

  get health(): OtlpIntakeHealth {
    const { readings, values, duplicates, late, open, streams, ...health } = this.#ingestion.health;
    const refused = { ...this.#refused };
    for (const [reason, count] of Object.entries(health.refused))
      refused[reason as PointRefusalReason] += count;
    const resets = health.resets + health.newLives;
    return {
      points: readings,
      refused: Object.freeze(refused),
      values,
      duplicates,
      late,
      resets,
      open,
      streams,
    };
  }

  /**
   * Adds what is new in the points of a request, and pauses after each point. Nothing of another request may be taken before it is
   * done: points without times count in the order in which they come.
   *
   * @returns Which points were refused.
   */
  *take(metrics: readonly ReceivedMetric[]): Generator<void, PointRefusals, void> {
    const notes = new RefusalNotes();
    const readings = readingsOf(metrics, this.#settings, (name, refusal, pointCount = 1) => {
      this.#refused[refusal.reason] += pointCount;
      notes.add(name, refusal.message, pointCount);
    });
    for (const reading of readings) {
      for (const { cause, details } of reading === undefined ? [] : this.#ingestion.take([reading])) {
        // The point is not to blame: the request fails.
        if (!(cause instanceof HdrscopeError)) throw cause;
        notes.add(details.family as string, `is refused: ${details.problem}`);
      }
      yield;
    }
    return notes.refusals();
  }
}
