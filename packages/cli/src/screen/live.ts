import { terminalControl } from './clean-output.ts';

/** Text in place of the whole screen of a terminal. */
export function replaceScreen(text: string): string {
  return CLEAR + text;
}

const CLEAR = terminalControl('\u001b[H\u001b[2J');

/** Text in place of the lines that a terminal shows last. */
export function replaceLines(shown: string, text: string): string {
  const lines = shown.split('\n').length - 1;
  return lines === 0 ? text : terminalControl(`\u001b[${lines}A\u001b[J`) + text;
}
