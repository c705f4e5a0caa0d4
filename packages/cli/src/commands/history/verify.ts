import { type VerifiedHistory, verifyHistory } from '@hdrscope/history';
import { formatCount } from '@hdrscope/kit';
import { ExitCode, type Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { formatMissing, withEngine } from '../query/engine.ts';

const DESCRIPTION = `Reads every byte of a history, and names the files that are damaged, with the rows and values that are missing.

A file has a checksum of all its bytes, which shows that a disk has changed one. Answers leave damaged files out, say so,
and end with exit code 1, or with 0 with --allow-missing; hdrscope serve refuses them. With --repair a damaged file gets
another name, X.parquet.damaged, and no command looks at it again: its values are missing in all answers, unless a
backup or another import brings them back. The exit code is 1 when a file is damaged and stays where it is.

The number of missing rows and values is exact, as in 40 rows with 157 values, or has bounds, as in 0 to 40 rows: other files
may have the same rows, or the damage hides the number. It is unknown where no intact byte of the file states it.`;

export const command = defineCommand({
  path: 'hdrscope history verify',
  description: DESCRIPTION,
  examples: ['hdrscope history verify history', 'hdrscope history verify history --repair'],
  operands: { '<folder>': 'the folder of a history' },
  options: { repair: { help: 'gives damaged files another name, so that no command looks at them' } },
  formats: ['text', 'json'],
  async run({ options: { repair = false }, operands: [folder = ''], format }, io) {
    const verified = await withEngine(folder, () => verifyHistory(folder, { repair }));
    const text =
      format === 'json' ? jsonDocument({ ...verified, isRepaired: repair }) : textOf(verified, repair, io);
    await io.stdout.write(text);
    return verified.damaged.length === 0 || repair ? ExitCode.done : ExitCode.refused;
  },
});

function textOf({ files, damaged }: VerifiedHistory, isRepaired: boolean, io: Io): string {
  const count = `${formatCount(files)} ${files === 1 ? 'file' : 'files'}`;
  if (damaged.length === 0) return `${wrapToScreen(`${count}: none is damaged.`, io)}\n`;
  const cure = isRepaired
    ? 'A damaged file has the ending .damaged now, and its values are missing in all answers.'
    : '--repair gives a damaged file another name, so that no command looks at it.';
  const found = `${count}, of which ${formatCount(damaged.length)} ${damaged.length === 1 ? 'is' : 'are'} damaged`;
  const summary = `${found}: the history lacks ${formatMissing(damaged)}. ${cure}`;
  const lines = damaged.map((file) => `${file.reason} (${formatMissing([file])})\n`).join('');
  return `${lines}${wrapToScreen(summary, io)}\n`;
}
