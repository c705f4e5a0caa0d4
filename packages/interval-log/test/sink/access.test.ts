import {
  chmodSync,
  chownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createProcessorFiles, formatInterval, runProcessor } from '@hdrscope/interval-log';
import { lackOfRoot, testUnless } from '@hdrscope/testing';
import { histogramOf } from '../support/logs.ts';
import { newDirectory } from '../support/sandbox.ts';
import { opened } from './support/opened.ts';
import { until } from './support/surroundings.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const ifRoot = testUnless(lackOfRoot());

describe('a new log has the mode of the one that it continues', () => {
  test.each([0o600, 0o640, 0o666])('%o, after a rotation and its compression', async (mode) => {
    const log = await opened({ rotation: { gzip: true } });
    chmodSync(log.path, mode);
    for (let n = 0; n < 3; n++) {
      log.record();
      log.time.advance(1000);
      await log.sink.rotate();
    }
    await log.sink.close();
    const compressed = (): string[] => readdirSync(log.directory).filter((name) => name.endsWith('.gz'));
    await until(() => compressed().length >= 3);
    const modes = readdirSync(log.directory).map((name) => modeOf(join(log.directory, name)));
    expect(new Set(modes)).toEqual(new Set([mode.toString(8)]));
  });

  test('after another program has renamed or removed it', async () => {
    const log = await opened();
    chmodSync(log.path, 0o600);
    for (const moveAway of [() => renameSync(log.path, `${log.path}.1`), () => unlinkSync(log.path)]) {
      moveAway();
      log.record();
      await log.sink.flush();
      expect(modeOf(log.path)).toBe('600');
    }
    await log.sink.close();
  });

  test('after the process that rotated it has ended', async () => {
    const first = await opened();
    chmodSync(first.path, 0o600);
    first.record();
    await first.sink.rotate();
    await first.sink.close();
    const second = await opened({}, first.directory);
    expect(modeOf(second.path)).toBe('600');
    await second.sink.close();
  });

  test('unless another program has made it', async () => {
    const log = await opened();
    chmodSync(log.path, 0o600);
    log.record();
    await log.sink.flush();
    renameSync(log.path, `${log.path}.1`);
    writeFileSync(log.path, '');
    chmodSync(log.path, 0o644);
    log.record();
    await log.sink.flush();
    await log.sink.close();
    expect(modeOf(log.path)).toBe('644');
    expect(statSync(log.path).size).toBeGreaterThan(0);
  });

  ifRoot('and its owner, if the process may give files away', async () => {
    const log = await opened();
    chownSync(log.path, 65_534, 65_533);
    chmodSync(log.path, 0o640);
    log.record();
    await log.sink.rotate();
    log.record();
    await log.sink.flush();
    await log.sink.close();
    const { uid, gid } = statSync(log.path);
    expect([uid, gid, modeOf(log.path)]).toEqual([65_534, 65_533, '640']);
  });
});

describe('an output file of the processor', () => {
  const line = formatInterval(histogramOf(1), { startSec: 1, endSec: 2 });

  async function processed(directory: string): Promise<void> {
    const input = join(directory, 'in.hlog');
    writeFileSync(input, line);
    const output = { write: () => {} };
    const io = { stdin: [], stdout: output, stderr: output, files: createProcessorFiles() };
    expect(await runProcessor(['-i', input, '-o', join(directory, 'out')], io)).toBe(0);
  }

  test('appears when it is complete', async () => {
    const directory = newDirectory();
    const path = join(directory, 'out');
    writeFileSync(path, 'old');
    chmodSync(path, 0o600);
    const file = await createProcessorFiles().create(path);
    await file.write('new');
    expect(readFileSync(path, 'utf8')).toBe('old');
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(modeOf(path)).toBe('600');
    expect(readdirSync(directory)).toEqual(['out']);
  });

  test('of which a write has failed is removed, and the file before it stays', async () => {
    const directory = newDirectory();
    const path = join(directory, 'out');
    writeFileSync(path, 'old');
    const file = await createProcessorFiles().create(path);
    await file.write('new');
    await expect(file.write(7 as never)).rejects.toThrow('of type string');
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(directory)).toEqual(['out']);
  });

  test('goes to the file to which a symbolic link leads', async () => {
    const directory = newDirectory();
    writeFileSync(join(directory, 'target'), 'old');
    symlinkSync('target', join(directory, 'out'));
    symlinkSync('missing', join(directory, 'out.hgrm'));
    await processed(directory);
    expect(lstatSync(join(directory, 'out')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(directory, 'target'), 'utf8')).toContain('Interval percentile log');
    expect(readFileSync(join(directory, 'missing'), 'utf8')).toContain('Overall percentile distribution');
  });

  test('may be a device', async () => {
    const file = await createProcessorFiles().create('/dev/null');
    await file.write('x');
    await file.close();
    expect(statSync('/dev/null').isFile()).toBe(false);
  });
});
