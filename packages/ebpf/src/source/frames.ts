import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import { kernelError } from '../errors.ts';
import type { Frame, KernelSource } from './source.ts';

/**
 * A source for tests. Each `read` returns the next frame, and the last frame repeats. An error in the list is thrown in
 * its turn.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 */
export function framesSource(
  frames: readonly (Frame | Error)[],
  options: { readonly name?: string } = {},
): KernelSource {
  assertOptions(options, FRAMES_SOURCE);
  const { name = 'the frames' } = options;
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

const FRAMES_SOURCE: OptionsOwner<{ readonly name?: string }> = {
  name: 'framesSource',
  names: { name: true },
  call: "framesSource(frames, { name: 'test' })",
};
