import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';

const folder = useFolder();

test('a damaged file is named, answers no question, and is set aside', async () => {
  const history = folder.pathOf('history');
  const log = (atSec: number) =>
    folder.write(`${atSec}.hlog`, logText([{ tag: 'get', at: atSec, length: 60, ms: evenly(10) }]));
  await hdrscope(['history', 'import', log(0), '-o', history]);
  await hdrscope(['history', 'import', log(600), '-o', history]);
  const verify = (...args: string[]) => hdrscope(['history', 'verify', history, ...args]);
  const query = () => hdrscope(['query', history, '--metric', 'values', '--format', 'csv']);
  expect(await verify()).toMatchObject({ exitCode: 0, stdout: '2 files: none is damaged.\n' });

  const [name] = readdirSync(history, { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.parquet'),
  );
  const path = join(history, name!);
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 4;
  writeFileSync(path, bytes);
  const reason = `cannot read ${path}: it is damaged: its bytes are not those of its seal`;
  expect(await query()).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: `hdrscope: ${reason}: hdrscope history verify ${history} --repair sets such files aside\n`,
  });
  const found = await verify();
  expect(found.exitCode).toBe(1);
  expect(found.stdout).toMatch(`${reason}\n2 files, of which 1 is damaged. --repair gives`);
  const json = await verify('--json');
  expect(JSON.parse(json.stdout)).toEqual({ files: 2, damaged: [{ path, reason }], isRepaired: false });

  expect(await verify('--repair')).toMatchObject({ exitCode: 0 });
  expect((await query()).stdout).toMatch(/\n10,/);
  expect(await verify()).toMatchObject({ exitCode: 0, stdout: '1 file: none is damaged.\n' });
});
