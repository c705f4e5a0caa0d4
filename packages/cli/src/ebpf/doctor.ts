import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { painter } from '../colour.ts';
import { ExitCode, type Io } from '../command.ts';
import { jsonDocument } from '../distribution-json.ts';
import { addFormat, formatOf, type OutputOptions } from '../output-options.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';

const FORMATS = ['text', 'json'] as const;

type Options = OutputOptions<(typeof FORMATS)[number]>;

const DESCRIPTION = `Checks what reading kernel histograms takes, and shows what helps when something is missing.

It changes nothing. The exit code is 1 when no histogram can be read.`;

/** Each of them suffices for reading histograms. */
const WAYS = ['bpf(2)', 'bpftool', 'bpftrace'];

/** The arguments of `hdrscope ebpf doctor`. */
export function parser(): Command {
  const command = createParser('hdrscope ebpf doctor', DESCRIPTION, [
    'hdrscope ebpf doctor',
    'hdrscope ebpf doctor --json',
  ]).allowExcessArguments(false);
  return addFormat(command, FORMATS);
}

/** `hdrscope ebpf doctor` */
export async function run(
  { options }: Arguments<Options>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const findings = await kernel.examine();
  const canRead = findings.some(({ what, ok }) => ok && WAYS.includes(what));
  const exitCode = canRead ? ExitCode.done : ExitCode.refused;
  if (formatOf(options, FORMATS) === 'json') {
    await io.stdout.write(jsonDocument({ canRead, findings }));
    return exitCode;
  }
  const paint = painter(io, io.stdout);
  // Bounded: the doctor looks at ten things.
  const width = Math.max(...findings.map(({ what }) => what.length));
  for (const { what, ok, detail, cure } of findings) {
    const verdict = ok ? paint('green', 'ok    ') : paint('yellow', 'cannot');
    await io.stdout.write(`${verdict}  ${what.padEnd(width)}  ${detail}\n`);
    if (cure !== undefined) await io.stdout.write(`${' '.repeat(width + 10)}${cure}\n`);
  }
  if (!canRead) await io.stdout.write('\nNo histogram can be read here.\n');
  return exitCode;
}
