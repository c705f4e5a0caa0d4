import type { Frame, KernelLayout, KernelSource } from '@hdrscope/ebpf';
import type { Kernel } from './kernel.ts';
import { type MapOptions, type OpenMap, openMap } from './map-argument.ts';

/**
 * A map that need not be there yet: each `read` opens it when it is not open. A layout that was guessed is guessed again for
 * another map at the same place, which may have other slots.
 *
 * @param onGuess Gets each layout that is guessed.
 */
export function patientMap(
  argument: string,
  options: MapOptions,
  kernel: Kernel,
  onGuess: (layout: KernelLayout) => Promise<void>,
): KernelSource {
  let opened: OpenMap | undefined;
  let generation: string | undefined;
  const close = async (): Promise<void> => {
    const { source } = opened ?? {};
    opened = undefined;
    await source?.close();
  };
  const readOpened = async (): Promise<Frame> => {
    if (opened === undefined) {
      opened = await openMap(argument, options, kernel);
      if (opened.guessed !== undefined) await onGuess(opened.guessed);
    }
    return opened.source.read();
  };
  return {
    name: `the map ${argument}`,
    async read() {
      try {
        let frame = await readOpened();
        const isAnother = generation !== undefined && frame.generation !== generation;
        if (isAnother && opened?.guessed !== undefined) {
          await close();
          frame = await readOpened();
        }
        generation = frame.generation;
        return frame;
      } catch (error) {
        if (opened?.guessed !== undefined) await close();
        throw error;
      }
    },
    close,
  };
}
