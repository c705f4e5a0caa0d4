import type { EventEmitter } from 'node:events';
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof SIGNALS)[number];

// npm passes on the Ctrl-C that the terminal has sent to every process already, so one key press arrives twice.
const SAME_PRESS_MS = 300;

/** What reacts to signals, and when. */
export interface SignalHandling {
  /** The process, or what stands for it. */
  readonly source: EventEmitter;
  readonly monotonicMs: () => number;
  /** At the first signal. */
  onStop(signal: StopSignal): void;
  /** At the second, with the exit code that shells give to this signal. */
  onImpatience(exitCode: number): void;
}

/** Handles the signals that ask a process to end: first in good order, then at once. */
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
