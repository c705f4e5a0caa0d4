import { HdrscopeError } from '@hdrscope/core';
import type { Frame, KernelSource } from './source.ts';

/**
 * A source for tests: it gives one frame after the other, and the last one again and again. An error among them is thrown
 * when its turn comes.
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
      if (isClosed) throw new HdrscopeError('ERR_KERNEL', `${name} are closed`);
      const frame = frames[Math.min(next++, frames.length - 1)];
      if (frame === undefined) throw new HdrscopeError('ERR_KERNEL', `${name} are none`);
      if (frame instanceof Error) throw frame;
      return frame;
    },
    close: () => {
      isClosed = true;
    },
  };
}
