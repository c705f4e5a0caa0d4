import { readdirSync, readFileSync, statSync } from 'node:fs';
import { keptName } from '../bpf/memory.ts';
import { mapsOfScript, type ScriptMap } from './bpftrace-script.ts';

/** What the script of a running bpftrace says about a map, or why no script says something about it. */
export type ScriptFinding = { readonly map: ScriptMap } | { readonly why: string };

/** A process that holds the map. */
interface Holder {
  readonly pid: string;
  readonly args: readonly string[];
}

const MOST_SCRIPT_BYTES = 2 ** 20;
/** Processes start in units of a hundredth of a second, and clocks are set. */
const CLOCK_TOLERANCE_MS = 1000;

/**
 * Finds the script that fills a map of bpftrace, in the command line of the bpftrace that holds the map. This takes root.
 *
 * @param name Name of the map in the kernel: `AT_` and the name of the variable, 15 bytes together.
 */
export function scriptMapOf(id: number, name: string): ScriptFinding {
  const holder = holderOf(id);
  if (holder === undefined) return { why: 'no bpftrace that this process can see holds it' };
  const script = scriptOf(holder);
  if ('why' in script) return script;
  const fitting = mapsOfScript(script.text).filter((map) => keptName(`AT_${map.name.slice(1)}`) === name);
  const [map] = fitting;
  if (map !== undefined && fitting.length === 1) return { map };
  return {
    why: `the script of bpftrace (process ${holder.pid}) has ${fitting.length} assignments to such a map`,
  };
}

/** The bpftrace that has a map open. Only root runs bpftrace, so a process of another user is an impostor. */
function holderOf(id: number): Holder | undefined {
  for (const pid of listOf('/proc').filter((name) => /^\d+$/.test(name))) {
    if (!textOf(`/proc/${pid}/comm`).startsWith('bpftrace')) continue;
    if (!/^Uid:\t0\t0\t/m.test(textOf(`/proc/${pid}/status`))) continue;
    const isHolder = listOf(`/proc/${pid}/fdinfo`).some(
      (fd) => /^map_id:\s*(\d+)$/m.exec(textOf(`/proc/${pid}/fdinfo/${fd}`))?.[1] === String(id),
    );
    if (isHolder) return { pid, args: textOf(`/proc/${pid}/cmdline`).split('\0').slice(1, -1) };
  }
  return undefined;
}

/** Options of bpftrace that take the next argument. */
const WITH_VALUE: readonly string[] = ['-B', '-f', '-o', '-e', '-I', '--include', '-p', '-c'];

function scriptOf({ pid, args }: Holder): { readonly text: string } | { readonly why: string } {
  let file: string | undefined;
  for (let i = 0; i < args.length && file === undefined; i++) {
    const arg = args[i]!;
    if (arg === '-e') return { text: args[i + 1] ?? '' };
    if (WITH_VALUE.includes(arg)) i++;
    else if (arg === '-' || !arg.startsWith('-')) file = arg;
  }
  if (file === undefined || file === '-') return { why: 'bpftrace has read its script from standard input' };
  // Links in /dev and /proc lead to descriptors of the process that follows them, which is this one.
  if (/^\/(?:dev|proc)\//.test(file)) {
    return { why: `bpftrace has read its script from ${file}, which cannot be read again` };
  }
  const path = `/proc/${pid}/${file.startsWith('/') ? 'root' : 'cwd/'}${file}`;
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { why: `the script ${file} is not a regular file` };
    const { size, mtimeMs, ctimeMs } = stats;
    if (size > MOST_SCRIPT_BYTES) return { why: `the script ${file} has more than 1 MiB` };
    if (Math.max(mtimeMs, ctimeMs) > startOf(pid) + CLOCK_TOLERANCE_MS) {
      return { why: `the script ${file} has changed since bpftrace read it` };
    }
    return { text: readFileSync(path, 'utf8') };
  } catch {
    return { why: `the script ${file} of bpftrace cannot be read` };
  }
}

/** When a process started, in milliseconds since 1970. Source: proc(5), `starttime` in hundredths since the boot. */
function startOf(pid: string): number {
  const fields = textOf(`/proc/${pid}/stat`).split(') ').at(-1)!.split(' ');
  const uptimeMs = Number(textOf('/proc/uptime').split(' ')[0]) * 1000;
  return Date.now() - uptimeMs + Number(fields[19]) * 10;
}

/** The text of a file of `/proc`; empty when the process has ended or is of another user. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function listOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
