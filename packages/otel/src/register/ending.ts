import { LONGEST_TIMER_MS, within } from '@hdrscope/kit';
import { type EnvironmentVariables, variable } from '../environment.ts';
import { notice, noticeNow } from './notice.ts';
import type { Pipeline } from './pipeline.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The longest time that the end of a process waits for an export, unless `HDRSCOPE_EXIT_WAIT` states another one. */
const LONGEST_WAIT_MS = 2000;

/** `HDRSCOPE_EXIT_WAIT`, in milliseconds: 0 waits for nothing. */
function longestWait(environment: EnvironmentVariables): number {
  const text = variable(environment, 'HDRSCOPE_EXIT_WAIT');
  if (text === undefined) return LONGEST_WAIT_MS;
  const ms = Number(text);
  if (ms >= 0 && ms <= LONGEST_TIMER_MS) return ms;
  notice('ERR_INVALID_OPTION', `HDRSCOPE_EXIT_WAIT must be a number of milliseconds, got '${text}'`);
  return LONGEST_WAIT_MS;
}

/**
 * Exports the last metrics when the process ends: when nothing is left to do, and at SIGTERM, SIGINT and SIGHUP. The exit code and the
 * signal stay. A signal that the application handles is left to it, and only starts an export. What is new at the very end is left to
 * the other processes of the service, however the process ends, unless it is killed.
 *
 * @returns Ends this.
 */
export function shutDownAtEnd(
  pipeline: Pick<Pipeline, 'flush' | 'shutDown' | 'leave'>,
  environment: EnvironmentVariables,
): () => void {
  const waitMs = longestWait(environment);
  const tellLoss = (): void => {
    // Who waits for nothing knows it.
    if (waitMs > 0) noticeNow('HDRSCOPE_LOST', `the last metrics were not exported within ${waitMs} ms`);
  };
  const onEnd = async (): Promise<void> => {
    // An exporter that waits for a receiver that is down would hold the process up for as long as its timeouts. Other listeners may
    // have begun work of the application.
    const hasOthers = process.listenerCount('beforeExit') > 0;
    const giveUp = (): void => {
      tellLoss();
      process.exit();
    };
    const finish = hasOthers ? undefined : setTimeout(giveUp, waitMs);
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
      pipeline.leave(0);
      process.kill(process.pid, signal);
    };
    within(pipeline.shutDown(), waitMs, { unref: false }).catch(tellLoss).then(die);
  };
  // Ends with the process: a signal ends all but this.
  const leave = (): void => pipeline.leave(waitMs);
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
