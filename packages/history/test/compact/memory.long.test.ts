import { spawnSync } from 'node:child_process';
import { BuiltPackages } from '@hdrscope/testing';
import type { HistoryRow } from '../../src/index.ts';
import { minutes } from '../support/filled-folder.ts';
import { writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';

const FILES = 40;
const ROWS = 700;
const SLOTS = 100;

let packages: BuiltPackages;
let folder: string;
beforeAll(async () => {
  packages = new BuiltPackages(['history']);
  folder = newDirectory();
  const k = Array.from({ length: SLOTS }, (_, i) => 130_000 + i);
  const wide = { k, c: k.map(() => 1000), w: k.map(() => 0), count: SLOTS * 1000 };
  for (let file = 0; file < FILES; file++) {
    const rows: HistoryRow[] = (await minutes(ROWS, `shop ${file}`)).map((row) => ({ ...row, ...wide }));
    await writeRows(folder, rows);
  }
}, 300_000);
afterAll(() => packages.remove());

test.each([
  ['rolls up', "rollUpHistory(folder, folder + '-hours')", { sourceRows: FILES * ROWS }],
  ['compacts', 'compactHistory(folder)', { files: FILES, rows: FILES * ROWS }],
])(
  'a process with a heap of 100 MB %s files whose row groups would not all fit into it',
  (_, call, answer) => {
    const script = packages.script(
      call.split('(')[0]!,
      `import { compactHistory, rollUpHistory } from '@hdrscope/history';
    const folder = process.argv[2];
    console.log(JSON.stringify(await ${call}));`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, ['--max-old-space-size=100', script, folder], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject([answer]);
  },
  300_000,
);
