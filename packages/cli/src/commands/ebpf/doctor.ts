import type { Finding } from '@hdrscope/ebpf';
import { ExitCode } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { findingLines } from '../../screen/findings.ts';
import { type Kernel, THIS_KERNEL } from './map.ts';

const DESCRIPTION = `Checks what reading kernel histograms takes, and shows what helps when something is missing.

It changes nothing. The exit code is 1 when no histogram can be read.`;

/** Each of them suffices for reading histograms. */
const WAYS = ['bpf(2)', 'bpftool', 'bpftrace'];

/** Whether histograms of the kernel can be read, by what was found. */
export function canReadKernel(findings: readonly Finding[]): boolean {
  return findings.some(({ what, ok }) => ok && WAYS.includes(what));
}

export const command = defineCommand({
  path: 'hdrscope ebpf doctor',
  description: DESCRIPTION,
  examples: ['hdrscope ebpf doctor', 'hdrscope ebpf doctor --json'],
  formats: ['text', 'json'],
  async run({ format }, io, kernel: Kernel = THIS_KERNEL) {
    const findings = await kernel.examine();
    const canRead = canReadKernel(findings);
    if (format === 'json') await io.stdout.write(jsonDocument({ canRead, findings }));
    else {
      const verdict = canRead ? '' : '\nNo histogram can be read here.\n';
      await io.stdout.write(`${findingLines(findings, 'cannot', io).join('\n')}\n${verdict}`);
    }
    return canRead ? ExitCode.done : ExitCode.refused;
  },
});
