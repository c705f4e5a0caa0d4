import { reasonOf } from './reason-of.ts';

/**
 * Why a server could not listen, with the cure for a port that is in use.
 *
 * @param option What chooses another port: `port`, or a variable of the environment.
 */
export function describeListenError(error: unknown, option: string): string {
  const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  const cure = `another server has this port, perhaps of this process: end it, or choose another port by ${option}`;
  return isTaken ? `${reasonOf(error)}: ${cure}` : reasonOf(error);
}
