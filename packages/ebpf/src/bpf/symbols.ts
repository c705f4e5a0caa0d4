import { readFile } from 'node:fs/promises';

/** Addresses of the functions of the kernel. */
export interface KernelSymbols {
  /** The name of the function that a call of a program leads to; `undefined` when the kernel hides addresses. */
  nameOfCall(distance: number): string | undefined;
}

const NO_SYMBOLS: KernelSymbols = { nameOfCall: () => undefined };

/**
 * Reads the addresses of the functions of the kernel, which takes CAP_SYSLOG. Calls of programs are distances from one function.
 * Source: Linux, `kernel/bpf/verifier.c`, `BPF_CALL_IMM`.
 */
export async function readKernelSymbols(path = '/proc/kallsyms'): Promise<KernelSymbols> {
  let text: string;
  try {
    text = await readFile(path, 'latin1');
  } catch {
    return NO_SYMBOLS;
  }
  const [, base] = /^([\da-f]+) \w __bpf_call_base$/m.exec(text) ?? [];
  if (base === undefined || /^0+$/.test(base)) return NO_SYMBOLS;
  const known = new Map<number, string | undefined>();
  return {
    nameOfCall(distance) {
      if (!known.has(distance)) known.set(distance, nameAt(BigInt(`0x${base}`) + BigInt(distance)));
      return known.get(distance);
    },
  };

  function nameAt(address: bigint): string | undefined {
    const line = `\n${address.toString(16).padStart(base!.length, '0')} `;
    const at = text.indexOf(line);
    if (at < 0) return undefined;
    return /^\w (\S+)/.exec(text.slice(at + line.length, at + line.length + 300))?.[1];
  }
}
