import type { KernelSource } from '@hdrscope/ebpf';
import type { Kernel } from './kernel.ts';
import { groundNote, type MapOptions, openMap } from './map-argument.ts';
import { isProgram, programOf } from './program-argument.ts';

/**
 * A map that need not be there yet: each `read` opens it when it is not open. Another map at the same place may have another
 * layout. An argument that names a program is its source.
 *
 * @param write Gets lines for people: what shows the layout, when the options have no layout, and again when that changes; and
 *   what a program does not count on this kernel.
 */
export function patientMap(
  argument: string,
  options: MapOptions,
  kernel: Kernel,
  write: (line: string) => Promise<void>,
): KernelSource {
  if (isProgram(argument)) {
    return programOf(argument, options, kernel, (note) => write(`hdrscope: ${argument}: ${note}\n`));
  }
  let source: KernelSource | undefined;
  let shown: string | undefined;
  return {
    name: `the map ${argument}`,
    read: async () => {
      source ??= await openMap(argument, options, kernel);
      const frame = await source.read();
      const { ground } = frame;
      if (ground !== undefined && ground !== shown) await write(groundNote(argument, ground));
      shown = ground;
      return frame;
    },
    close: () => source?.close(),
  };
}
