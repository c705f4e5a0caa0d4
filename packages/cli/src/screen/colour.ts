import { inspect } from 'node:util';
import type { Io, Output } from '../command.ts';
import { terminalControl } from './clean-output.ts';

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** Whether the terminal has colours and the environment allows them. Source: https://no-color.org */
export function hasColours({ environment }: Pick<Io, 'environment'>, output: Output): boolean {
  return output.isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** Highlights text when there are colours. */
export function painter(io: Io, output: Output): (format: Colour, text: string) => string {
  const isColoured = hasColours(io, output);
  return (format, text) => {
    if (!isColoured) return text;
    const [begin, end] = inspect.colors[format]!;
    return terminalControl(`\u001b[${begin}m`) + text + terminalControl(`\u001b[${end}m`);
  };
}
