import { kernelError } from '../errors.ts';
import type { Frame, KernelSource } from './source.ts';

/**
 * A source for tests. Each `read` returns the next frame, and the last frame repeats. An error in the list is thrown in
 * its turn.
 */
export function framesSource(
  frames: readonly (Frame | Error)[],
  { name = 'the frames' }: { readonly name?: string } = {},
): KernelSource {
  let next = 0;
  let isClosed = false;
  return {
    name,
    read: () => {
      if (isClosed) throw kernelError(`${name} are closed`);
      const frame = frames[Math.min(next++, frames.length - 1)];
      if (frame === undefined) throw kernelError(`${name} must be at least one`);
      if (frame instanceof Error) throw frame;
      return frame;
    },
    close: () => {
      isClosed = true;
    },
  };
}
