import { within } from '@hdrscope/kit';
import type { Pipeline } from './pipeline.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The longest time that the end of a process waits for an export. */
const LONGEST_WAIT_MS = 5000;

/**
 * Exports the last metrics when the process ends: when nothing is left to do, and at SIGTERM, SIGINT and SIGHUP. The exit code and the
 * signal stay. A signal that the application handles is left to it, and only starts an export. What is new at the very end is left to
 * the other processes of the service, however the process ends, unless it is killed.
 *
 * @returns Ends this.
 */
export function shutDownAtEnd(pipeline: Pick<Pipeline, 'flush' | 'shutDown' | 'leave'>): () => void {
  const onEnd = async (): Promise<void> => {
    // An exporter that waits for a receiver that is down would hold the process up for as long as its timeouts. Other listeners may
    // have begun work of the application.
    const hasOthers = process.listenerCount('beforeExit') > 0;
    const finish = hasOthers ? undefined : setTimeout(() => process.exit(), LONGEST_WAIT_MS);
    await pipeline.shutDown();
    clearTimeout(finish);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) {
      void pipeline.flush();
      return;
    }
    // A second signal ends the process at once.
    stop();
    const die = (): void => {
      pipeline.leave();
      process.kill(process.pid, signal);
    };
    within(pipeline.shutDown(), LONGEST_WAIT_MS, { unref: false }).then(die, die);
  };
  // Ends with the process: a signal ends all but this.
  const leave = (): void => pipeline.leave();
  const stop = (): void => {
    process.off('beforeExit', onEnd);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  process.once('beforeExit', onEnd);
  process.once('exit', leave);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    stop();
    process.off('exit', leave);
  };
}
