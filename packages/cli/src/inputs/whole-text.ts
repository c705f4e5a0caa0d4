import { HdrscopeError } from '@hdrscope/core';
import { readUtf8 } from '@hdrscope/interval-log/internal';
import { Slices } from '@hdrscope/kit';
import { Refusal } from '../command.ts';
import type { Input } from './open-inputs.ts';

const LARGEST_BYTES = 2 ** 26;

/**
 * Reads a whole input, decompresses it, and returns its text.
 *
 * @param what The kind of input, for the error when it is too long.
 * @param onBytes Gets the number of bytes of each chunk of the source.
 * @throws Refusal
 */
export async function wholeText(
  { name, source }: Pick<Input, 'name' | 'source'>,
  what: string,
  onBytes?: (bytes: number) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  const slices = new Slices();
  let bytes = 0;
  try {
    for await (const chunk of readUtf8(source, onBytes)) {
      bytes += chunk.length;
      if (bytes > LARGEST_BYTES) throw new Refusal(`${name} is longer than ${what} may be: 64 MiB`);
      parts.push(decoder.decode(chunk, { stream: true }));
      if (!slices.isOver()) continue;
      await slices.next();
      // Ends the work when the command has to end.
      onBytes?.(0);
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    throw new Refusal(`${name}: ${error.message}`, { cause: error });
  }
  return parts.join('') + decoder.decode();
}
