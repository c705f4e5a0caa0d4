import { readFileSync } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';

/**
 * The CPUs that this machine may ever have, in order. A value for each CPU holds one part for each of these, dense: the
 * k-th part belongs to the k-th of them, whatever its number. One that is taken offline keeps its part.
 */
export function possibleCpus(): readonly number[] {
  return cpusOf('/sys/devices/system/cpu/possible');
}

/** The CPUs that run now. */
export function onlineCpus(): readonly number[] {
  return cpusOf('/sys/devices/system/cpu/online');
}

function cpusOf(path: string): readonly number[] {
  try {
    return parseCpuList(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new HdrscopeError('ERR_KERNEL', `cannot learn from ${path} which CPUs there are`, { cause });
  }
}

/** A list as the kernel prints it: `0-3,8`. */
export function parseCpuList(text: string): readonly number[] {
  const cpus = text
    .trim()
    .split(',')
    .flatMap((range) => {
      const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
      if (first === undefined)
        throw new HdrscopeError('ERR_KERNEL', `${JSON.stringify(text)} is no list of CPUs`);
      return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i);
    });
  return cpus;
}
