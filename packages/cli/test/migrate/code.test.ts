import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lackOfBuild, lackOfPeer, programOf, testUnless } from '@hdrscope/testing';
import { PROM_CLIENTS } from '@hdrscope/testing/prom-clients';
import { hdrscope } from '../support/fake-io.ts';
import { PROGRAMS, type Program } from './programs.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A folder in which programs find their packages. */
function makeFolder(client: string, modules: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-'));
  folders.push(folder);
  const link = (name: string, from: string): void => {
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(from, name), join(folder, 'node_modules', name));
  };
  link('@hdrscope', join(ROOT, 'node_modules'));
  link(client, modules);
  if (lackOfPeer('node-services') === undefined) link('express', programOf('node-services'));
  return folder;
}

/** Runs a service, lets it count, and reads its page. */
async function readPage(path: string): Promise<Page> {
  const sources = pathToFileURL(join(ROOT, 'tools/lib/sources.js')).href;
  // CommonJS gets what is built: the hooks of the sources are for ES modules.
  const loading = path.endsWith('.cjs') ? [] : ['--conditions=@hdrscope/source', '--import', sources];
  const service = spawn(process.execPath, [...loading, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = `http://127.0.0.1:${await readPort(service)}`;
    for (let round = 0; round < 4; round++)
      await (await fetch(`${url}/buy`, { signal: AbortSignal.timeout(5000) })).text();
    return parsePage(await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5000) })).text());
  } finally {
    service.kill();
  }
}

async function readPort(service: ChildProcess): Promise<number> {
  const ended = once(service, 'exit').then(() => {
    throw new Error('the service has ended');
  });
  const [text] = await Promise.race([once(service.stdout!, 'data'), ended]);
  return Number(String(text));
}

interface Page {
  /** By the name and the labels in the order of their names. */
  readonly samples: ReadonlyMap<string, number>;
  readonly types: readonly string[];
}

function parsePage(text: string): Page {
  const samples = new Map<string, number>();
  const types: string[] = [];
  for (const line of text.split('\n')) {
    if (/^# (HELP|TYPE)/.test(line)) types.push(line);
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const sorted = (labels.match(/\w+="(?:\\.|[^"\\])*"/g) ?? []).sort().join();
    samples.set(`${name}{${sorted}}`, Number(value));
  }
  return { samples, types: types.sort() };
}

const PROCESS = /^(process|nodejs)_/;

/** What both pages must share: all series, and their values as far as they are no times or states of the process. */
function comparePages(before: Page, after: Page, timed: readonly string[]): void {
  expect(after.types).toEqual(before.types);
  const names = (page: Page): string[] =>
    [...page.samples.keys()].filter((name) => !PROCESS.test(name)).sort();
  expect(names(after)).toEqual(names(before));
  for (const [name, value] of before.samples) {
    if (PROCESS.test(name) || timed.some((one) => name.startsWith(`${one}_sum`))) continue;
    // A sum is one of doubles, in another order.
    expect([name, after.samples.get(name)]).toEqual([name, expect.closeTo(value, 9)]);
  }
}

for (const { name, modules, describeIt } of PROM_CLIENTS) {
  describeIt(`a service with ${name}`, () => {
    const folder = makeFolder(name, modules);

    // Both clients have one interface, so a third of the services is enough for the second one.
    const programs = PROGRAMS.filter((_, at) => name === 'prom-client' || at % 3 === 0);

    describe.each(programs)('$title', (program: Program) => {
      const { ending, moved, timed = [], needsExpress = false } = program;
      const path = join(folder, `${PROGRAMS.indexOf(program)}.${ending}`);
      const text = program.text
        .replaceAll("'prom-client'", `'${name}'`)
        .replaceAll('"prom-client"', `"${name}"`);
      const lack =
        (needsExpress ? lackOfPeer('node-services') : undefined) ??
        (ending === 'cjs' ? lackOfBuild('prometheus') : undefined);
      testUnless(lack)(
        'shows the same series after its migration',
        async () => {
          writeFileSync(path, text);
          const before = await readPage(path);
          const { stderr } = await hdrscope(['migrate', path, '--write']);
          const after = readFileSync(path, 'utf8');
          expect(after.match(/\.histogram\(/g)?.length).toBe(moved);
          expect(stderr).not.toContain('This should not happen');
          comparePages(before, await readPage(path), timed);
          const again = await hdrscope(['migrate', path, '--write']);
          expect(readFileSync(path, 'utf8')).toBe(after);
          expect(again.stderr).toContain('hdrscope: 0 places in code rewritten in place');
        },
        60_000,
      );
    });
  });
}
