import { createParser, readArguments } from '../arguments.ts';
import { painter } from '../colour.ts';
import { ExitCode, type Io } from '../command.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';

const DESCRIPTION = `Checks what reading kernel histograms takes, and shows what helps when something is missing.

It changes nothing. The exit code is 1 when no histogram can be read.`;

/** Each of them suffices for reading histograms. */
const WAYS = ['bpf(2)', 'bpftool', 'bpftrace'];

/** `hdrscope ebpf doctor` */
export async function run(args: readonly string[], io: Io, kernel: Kernel = THIS_KERNEL): Promise<number> {
  const parser = createParser('hdrscope ebpf doctor', DESCRIPTION, [
    'hdrscope ebpf doctor',
    'hdrscope ebpf doctor --json',
  ])
    .option('--json', 'prints JSON')
    .allowExcessArguments(false);
  const given = await readArguments<{ readonly json?: boolean }>(parser, args, io);
  if (given === undefined) return ExitCode.done;
  const findings = await kernel.examine();
  const canRead = findings.some(({ what, ok }) => ok && WAYS.includes(what));
  const exitCode = canRead ? ExitCode.done : ExitCode.refused;
  if (given.options.json) {
    await io.stdout.write(`${JSON.stringify({ canRead, findings }, undefined, 2)}\n`);
    return exitCode;
  }
  const paint = painter(io, io.stdout);
  const width = Math.max(...findings.map(({ what }) => what.length));
  for (const { what, ok, detail, cure } of findings) {
    const verdict = ok ? paint('green', 'ok    ') : paint('yellow', 'cannot');
    await io.stdout.write(`${verdict}  ${what.padEnd(width)}  ${detail}\n`);
    if (cure !== undefined) await io.stdout.write(`${' '.repeat(width + 10)}${cure}\n`);
  }
  if (!canRead) await io.stdout.write('\nNo histogram can be read here.\n');
  return exitCode;
}
