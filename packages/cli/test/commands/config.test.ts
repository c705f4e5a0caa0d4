import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

test('init writes a configuration that check accepts, and keeps an existing file', async () => {
  const path = folder.pathOf('new.yaml');
  expect(await hdrscope(['config', 'init', path])).toEqual({
    exitCode: 0,
    stdout: `${path} is written: hdrscope run ${path}\n`,
    stderr: '',
  });
  expect(await hdrscope(['config', 'check', path])).toEqual({
    exitCode: 0,
    stdout: `${path}: 1 source and 1 sink\n`,
    stderr: '',
  });
  folder.write('new.yaml', 'mine');
  const again = await hdrscope(['config', 'init', path]);
  expect([again.exitCode, again.stderr]).toEqual([
    1,
    `hdrscope: ${path} is there already, and is left alone: --force replaces it\n`,
  ]);
  expect(readFileSync(path, 'utf8')).toBe('mine');
  expect((await hdrscope(['config', 'init', '--force', path])).exitCode).toBe(0);
  expect((await hdrscope(['config', 'init', '-'])).stdout).toBe(readFileSync(path, 'utf8'));
});

test('init --force replaces the file as a whole, and leaves no other file', async () => {
  mkdirSync(folder.pathOf('etc'));
  const path = folder.write('etc/old.yaml', 'mine');
  const { ino } = statSync(path);
  expect((await hdrscope(['config', 'init', '--force', path])).exitCode).toBe(0);
  // A reader that has opened the file still reads the old content: the new content is another file.
  expect(statSync(path).ino).not.toBe(ino);
  expect(readFileSync(path, 'utf8')).toMatch(/^# hdrscope run/);
  await hdrscope(['config', 'init', path]);
  expect(readdirSync(folder.pathOf('etc'))).toEqual(['old.yaml']);
});

test('check reports every problem of every file, with lines', async () => {
  const good = folder.write('good.yaml', 'sources: []\nsinks: [{ type: prometheus }]\n');
  const bad = folder.write(
    'bad.yaml',
    'sources: []\nsinks:\n  - type: prometheus\n    lisen: localhost:1\ncolor: red\n',
  );
  const none = folder.pathOf('none.yaml');
  const { exitCode, stdout, stderr } = await hdrscope(['config', 'check', bad, none, good]);
  expect(exitCode).toBe(1);
  expect(stdout).toBe(`${good}: 0 sources and 1 sink\n`);
  expect(stderr.split('\n')).toEqual([
    `${bad}:4:5: sinks[0].lisen is not a known key: did you mean listen?`,
    expect.stringMatching(/bad\.yaml:5:1: color is not a known key: the keys are /),
    expect.stringMatching(/^no such file: .*none\.yaml$/),
    '',
  ]);
});

test('check takes variables from the environment', async () => {
  const path = folder.write('env.yaml', 'sources: []\nsinks:\n  - type: $' + '{KIND}\n');
  expect((await hdrscope(['config', 'check', path])).stderr).toMatch(/KIND is not set/);
  expect((await hdrscope(['config', 'check', path], { environment: { KIND: 'prometheus' } })).exitCode).toBe(
    0,
  );
});

test('check accepts the example configuration', async () => {
  const path = fileURLToPath(new URL('../../../../examples/hdrscope.yaml', import.meta.url));
  const { stdout, stderr } = await hdrscope(['config', 'check', path]);
  expect([stdout, stderr]).toEqual([`${path}: 15 sources and 9 sinks\n`, '']);
});

test('schema prints a JSON schema', async () => {
  const { stdout } = await hdrscope(['config', 'schema']);
  expect(JSON.parse(stdout).properties.sinks.type).toBe('array');
});
