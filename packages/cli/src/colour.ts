import { styleText } from 'node:util';
import type { Io, Output } from './command.ts';

type Format = Parameters<typeof styleText>[0];

/** Sets text off where a terminal has colours and nobody said otherwise. Source: https://no-color.org */
export function painter({ environment }: Io, output: Output): (format: Format, text: string) => string {
  const hasColours = output.isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb';
  return (format, text) => (hasColours ? styleText(format, text, { validateStream: false }) : text);
}
