import type { EventEmitter } from 'node:events';
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof SIGNALS)[number];

// The terminal sends Ctrl-C to every process, and npm passes it on as well, so one key press arrives twice.
const SAME_PRESS_MS = 300;

/** Reactions to signals. */
export interface SignalHandling {
  /** The process, or a stand-in for tests. */
  readonly source: EventEmitter;
  readonly monotonicMs: () => number;
  /** Called at the first signal. */
  onStop(signal: StopSignal): void;
  /** Called at the second signal, with the exit code that shells use for it. */
  onImpatience(exitCode: number): void;
}

/** Handles the signals that end a process: the first ends it in good order, the second at once. */
export function handleStopSignals({ source, monotonicMs, onStop, onImpatience }: SignalHandling): void {
  let firstMs: number | undefined;
  for (const signal of SIGNALS) {
    source.on(signal, () => {
      if (firstMs === undefined) {
        firstMs = monotonicMs();
        onStop(signal);
      } else if (monotonicMs() - firstMs >= SAME_PRESS_MS) {
        onImpatience(128 + constants.signals[signal]);
      }
    });
  }
}
