import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lackByTrial, lackOfBuild, lackOfProgram, testUnless } from '@hdrscope/testing';
import { COMMANDS, drawScenes, readScreen, recordCommand } from '../terminal-picture.js';

const root = join(import.meta.dirname, '../..');

// The script of other systems has other options.
const scriptLack = lackOfProgram('script') ?? (await lackByTrial('script', () => recordCommand('true')));

describe('the picture of a terminal', () => {
  testUnless(lackOfBuild('cli'), scriptLack)(
    'shows what the commands print today',
    () => {
      const scenes = COMMANDS.map(([command]) => recordCommand(command));
      const picture = readFileSync(join(root, 'docs/pictures/first-minute.svg'), 'utf8');
      expect(drawScenes(scenes)).toBe(picture);
    },
    120_000,
  );

  test('keeps the colour of each character', () => {
    const rows = readScreen('a\x1b[31mb\x1b[39mc\r\n\x1b[38;2;1;2;3m⠿\x1b[0m\r\n');
    expect(rows.map((cells) => cells.map(({ character, style }) => [character, style]))).toEqual([
      [
        ['a', ''],
        ['b', 'fill="#ff8a80"'],
        ['c', ''],
      ],
      [['⠿', 'fill="rgb(1,2,3)"']],
    ]);
  });

  test('refuses an output that moves the cursor', () => {
    expect(() => readScreen('50 %\x1b[1G100 %')).toThrow('moves the cursor');
  });
});
