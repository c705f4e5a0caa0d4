import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { intervalLine } from '../operations/support/logs.ts';
import { create, describeRotations, Ledger } from './support/rotations.ts';

describeRotations({ ofEach: 4, inTurn: 26, duringLooks: 1 });

describe('a note says that lines may be lost', () => {
  test('when a file is truncated without a copy', async () => {
    const log = new Ledger();
    await log.started();
    log.write(30);
    await log.caughtUp();
    log.write(2);
    truncateSync(log.path, 0);
    log.write(60);
    await log.end(2);
    expect(log.read).toHaveLength(90);
    expect(log.notes.filter((note) => note !== 'caught-up')).toEqual(['lost: truncated', 'truncated']);
  });

  test('when a file that had the path is gone', async () => {
    const log = new Ledger();
    await log.started();
    log.write(2);
    await log.caughtUp();
    for (let n = 0; n < 3; n++) {
      rmSync(`${log.path}.1`, { force: true });
      renameSync(log.path, `${log.path}.1`);
      log.write(2);
    }
    await log.end(2);
    expect(log.read).toEqual([0, 1, 4, 5, 6, 7]);
    expect(log.notes.filter((note) => note !== 'caught-up')).toEqual([
      'replaced',
      'lost: replaced',
      'replaced',
    ]);
  });
});

test('a compressed copy of one of many rotated files is not read', async () => {
  const log = new Ledger();
  await log.started();
  log.write(2);
  await log.caughtUp();
  // Between two looks.
  for (let n = 0; n < 20; n++) {
    create(log);
    log.write(3);
  }
  writeFileSync(`${log.path}.50.gz`, gzipSync(readFileSync(`${log.path}.18`)));
  await log.end();
  log.expectAll();
});

test('files of other logs and old copies are not read', async () => {
  const log = new Ledger();
  await log.started();
  log.write(20);
  copyFileSync(log.path, `${log.path}.1`);
  await log.caughtUp();
  for (const name of [
    'service-b.hlog',
    'service.hlogs.1',
    'service.hlog.lock',
    'service.1.txt',
    'b.hlog.1',
  ]) {
    writeFileSync(join(log.path, '..', name), intervalLine({ at: 1e6, values: [1] }));
  }
  mkdirSync(`${log.path}.2`);
  copyFileSync(log.path, `${log.path}.old`);
  log.write(20);
  rmSync(`${log.path}.2`, { recursive: true });
  create(log);
  log.write(2);
  await log.end();
  log.expectAll();
});
