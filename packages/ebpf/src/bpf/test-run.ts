import { Attr, call } from './attr.ts';
import { allocate, LITTLE_ENDIAN, viewOf } from './memory.ts';
import type { Bpf } from './syscall.ts';

/** `BPF_F_TEST_RUN_ON_CPU` */
const ON_CPU = 1;

export interface TestRunOptions {
  /** The CPU that runs the program. @default the CPU that this process runs on */
  readonly cpu?: number;
}

/**
 * Runs a program for a raw tracepoint once, without an event in the kernel.
 *
 * @param args The arguments of the tracepoint: integers of 64 bits.
 * @returns The return value of the program.
 * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses the run.
 */
export function testRun(
  bpf: Bpf,
  programFd: number,
  args: readonly (number | bigint)[],
  { cpu }: TestRunOptions = {},
): number {
  const context = allocate(args.length * 8);
  const view = viewOf(context);
  for (const [i, value] of args.entries())
    view.setBigUint64(i * 8, BigInt.asUintN(64, BigInt(value)), LITTLE_ENDIAN);
  const attr = new Attr(bpf, 80).u32(0, programFd).u32(40, context.length).pointer(48, context);
  if (cpu !== undefined) attr.u32(64, ON_CPU).u32(68, cpu);
  call(bpf, 'PROG_TEST_RUN', attr, { object: 'a run of the program' });
  return attr.getU32(4);
}
