import { Attr, call, idsAfter, readInfo } from './call.ts';
import { allocate, cString, LITTLE_ENDIAN, textUntilNul, viewOf } from './memory.ts';
import { refusal } from './refusals.ts';
import type { Bpf } from './syscall.ts';
import { COMMANDS, ERRNO } from './uapi.ts';

/** `BPF_PROG_TYPE_RAW_TRACEPOINT` */
const RAW_TRACEPOINT = 17;
const LOG_BYTES = 65_536;

/**
 * Loads a program for a raw tracepoint, without attaching it. The program lives until its descriptor is closed.
 *
 * @returns Its file descriptor.
 * @throws HdrscopeError `ERR_KERNEL`, with the output of the verifier, when the kernel refuses the program.
 */
export function loadProgram(bpf: Bpf, instructions: Uint8Array, name = 'hdrscope'): number {
  const code = allocate(instructions.length);
  code.set(instructions);
  const log = allocate(LOG_BYTES);
  const attr = new Attr(bpf, 128)
    .u32(0, RAW_TRACEPOINT)
    .u32(4, instructions.length / 8)
    .pointer(8, code)
    .pointer(16, cString('GPL'))
    .name(48, name);
  // The first attempt has no log, because a full log makes the kernel refuse a valid program.
  const first = bpf.call(COMMANDS.PROG_LOAD, attr.bytes);
  if (first >= 0) return first;
  attr.u32(24, 1).u32(28, log.length).pointer(32, log);
  const fd = bpf.call(COMMANDS.PROG_LOAD, attr.bytes);
  attr.release();
  if (fd >= 0) return fd;
  throw refusal({
    command: 'PROG_LOAD',
    object: `the program ${name}`,
    errno: -first,
    log: textUntilNul(log).trimEnd(),
  });
}

/** What the kernel has noted about a program since it was loaded. */
export interface ProgramStatistics {
  /** Number of runs while statistics were enabled: see `enableStatistics`. */
  readonly runs: number;
  /** Duration of these runs, in nanoseconds. */
  readonly runNs: number;
  /** Number of events for which it was not run, because it was interrupted on the same CPU. 0 before Linux 5.12. */
  readonly skipped: number;
}

/** Asks the kernel about an open program. Source of the offsets: `struct bpf_prog_info`. */
export function programStatistics(bpf: Bpf, fd: number): ProgramStatistics {
  const view = readInfo(bpf, fd, allocate(216), 'the facts about a program');
  const at = (offset: number) => Number(view.getBigUint64(offset, LITTLE_ENDIAN));
  return { runNs: at(192), runs: at(200), skipped: at(208) };
}

/** `BPF_STATS_RUN_TIME` */
const RUN_TIME = 0;

/**
 * Makes the kernel count runs of all programs and their durations, until the returned descriptor is closed. This takes Linux 5.8 and
 * CAP_SYS_ADMIN.
 */
export function enableStatistics(bpf: Bpf): number {
  return call(bpf, 'ENABLE_STATS', new Attr(bpf, 4).u32(0, RUN_TIME), { object: 'statistics of programs' });
}

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

// Source of the offsets: Linux, `struct bpf_prog_info`.
const INFO_BYTES = 104;
const CODE_BYTES = 20;
const CODE = 32;
const MAP_COUNT = 52;
const MAP_IDS = 56;
const NAME = 64;
const NAME_END = 80;

/** A program names no more maps. Source: Linux, `MAX_USED_MAPS`. */
const MOST_MAPS = 64;

/** A loaded program. */
export interface ProgramInfo {
  readonly id: number;
  /** The first 15 bytes of its name. */
  readonly name: string;
  /** Ids of the maps that it uses. */
  readonly mapIds: readonly number[];
}

/**
 * Lists the loaded programs. This takes CAP_SYS_ADMIN.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses.
 */
export function listPrograms(bpf: Bpf): readonly ProgramInfo[] {
  return [...idsAfter(bpf, 'PROG_GET_NEXT_ID')].flatMap((id) => programInfo(bpf, id) ?? []);
}

/** @returns `undefined` when the program has ended. */
function programInfo(bpf: Bpf, id: number): ProgramInfo | undefined {
  return withProgram(bpf, id, (fd, object) => {
    const info = allocate(INFO_BYTES);
    const ids = allocate(4 * MOST_MAPS);
    const view = viewOf(info);
    view.setUint32(MAP_COUNT, MOST_MAPS, LITTLE_ENDIAN);
    view.setBigUint64(MAP_IDS, bpf.address(ids), LITTLE_ENDIAN);
    readInfo(bpf, fd, info, object);
    const count = Math.min(view.getUint32(MAP_COUNT, LITTLE_ENDIAN), MOST_MAPS);
    const mapIds = Array.from({ length: count }, (_, at) => viewOf(ids).getUint32(4 * at, LITTLE_ENDIAN));
    return { id, name: textUntilNul(info.subarray(NAME, NAME_END)), mapIds };
  });
}

/**
 * The instructions of a program as the kernel runs them: it has resolved maps and calls, and replaced some calls by their code.
 *
 * @returns No bytes when the kernel hides them, and `undefined` when the program has ended.
 */
export function readInstructions(bpf: Bpf, id: number): Uint8Array | undefined {
  return withProgram(bpf, id, (fd, object) => {
    const info = allocate(INFO_BYTES);
    const view = readInfo(bpf, fd, info, object);
    const code = allocate(view.getUint32(CODE_BYTES, LITTLE_ENDIAN));
    if (code.length === 0) return code;
    info.fill(0);
    view.setUint32(CODE_BYTES, code.length, LITTLE_ENDIAN);
    view.setBigUint64(CODE, bpf.address(code), LITTLE_ENDIAN);
    readInfo(bpf, fd, info, object);
    // The kernel takes the address away when this user may not see the instructions.
    return view.getBigUint64(CODE, LITTLE_ENDIAN) === 0n ? allocate(0) : code;
  });
}

function withProgram<Result>(
  bpf: Bpf,
  id: number,
  read: (fd: number, object: string) => Result,
): Result | undefined {
  const object = `program ${id}`;
  const asked = new Attr(bpf, 12).u32(0, id);
  const fd = call(bpf, 'PROG_GET_FD_BY_ID', asked, { object, answers: [ERRNO.ENOENT] });
  if (fd < 0) return undefined;
  try {
    return read(fd, object);
  } finally {
    bpf.close(fd);
  }
}

const MOST_PROGRAMS = 3;

/** The origin of the histograms of a kernel map, by the names of the programs that use it: see `Frame`. */
export function originOfMap(programs: readonly string[]): string {
  const named = [...new Set(programs.filter((name) => name !== ''))].sort();
  const shown = named.slice(0, MOST_PROGRAMS);
  const more = named.length - shown.length;
  const names = [...shown, ...(more > 0 ? [`${more} more`] : [])];
  if (names.length === 0) return 'an eBPF map';
  if (names.length === 1) return `an eBPF map of the program ${names[0]}`;
  return `an eBPF map of the programs ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
