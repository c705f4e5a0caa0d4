import type { Finding } from '@hdrscope/ebpf';
import { ExitCode, type Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { wrapWords } from '../../screen/help-text.ts';
import { lineLength, painter } from '../../screen/screen.ts';
import { type Kernel, THIS_KERNEL } from './map.ts';

const DESCRIPTION = `Checks what reading kernel histograms takes, and shows what helps when something is missing.

It changes nothing. The exit code is 1 when no histogram can be read.`;

/** Each of them suffices for reading histograms. */
const WAYS = ['bpf(2)', 'bpftool', 'bpftrace'];

export const command = defineCommand({
  path: 'hdrscope ebpf doctor',
  description: DESCRIPTION,
  examples: ['hdrscope ebpf doctor', 'hdrscope ebpf doctor --json'],
  formats: ['text', 'json'],
  async run({ format }, io, kernel: Kernel = THIS_KERNEL) {
    const findings = await kernel.examine();
    const canRead = findings.some(({ what, ok }) => ok && WAYS.includes(what));
    if (format === 'json') await io.stdout.write(jsonDocument({ canRead, findings }));
    else {
      const verdict = canRead ? '' : '\nNo histogram can be read here.\n';
      await io.stdout.write(`${findingLines(findings, io).join('\n')}\n${verdict}`);
    }
    return canRead ? ExitCode.done : ExitCode.refused;
  },
});

/** Narrower columns of text are hard to read. */
const LEAST_ROOM = 24;

/** Each finding with its detail and its cure: beside it when there is room, else below it. */
function findingLines(findings: readonly Finding[], io: Io): string[] {
  const paint = painter(io, io.stdout);
  const columns = lineLength(io);
  // Bounded: the doctor looks at ten things.
  const width = Math.max(...findings.map(({ what }) => what.length));
  const besideAt = VERDICT_WIDTH + width + 2;
  const isBeside = columns - besideAt >= LEAST_ROOM;
  const at = isBeside ? besideAt : VERDICT_WIDTH;
  return findings.flatMap(({ what, ok, detail, cure }) => {
    const verdict = ok ? paint('green', 'ok    ') : paint('yellow', 'cannot');
    const texts = [detail, ...(cure === undefined ? [] : [cure])];
    const [first = '', ...others] = texts.flatMap((text) => wrapWords(text, columns - at));
    const below = (isBeside ? others : [first, ...others]).map((line) => ' '.repeat(at) + line);
    return [isBeside ? `${verdict}  ${what.padEnd(width)}  ${first}` : `${verdict}  ${what}`, ...below];
  });
}

/** `cannot`, and two blanks. */
const VERDICT_WIDTH = 8;
