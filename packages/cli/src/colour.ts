import { styleText } from 'node:util';
import type { Io, Output } from './command.ts';

type Format = Parameters<typeof styleText>[0];

/** Whether the terminal has colours and the environment allows them. Source: https://no-color.org */
export function hasColours({ environment }: Pick<Io, 'environment'>, output: Output): boolean {
  return output.isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** Highlights text when there are colours. */
export function painter(io: Io, output: Output): (format: Format, text: string) => string {
  const isColoured = hasColours(io, output);
  return (format, text) => (isColoured ? styleText(format, text, { validateStream: false }) : text);
}
