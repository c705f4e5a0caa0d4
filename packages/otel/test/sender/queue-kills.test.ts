import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildPackages } from '@hdrscope/testing';
import { caseCount } from '@hdrscope/testing/case-count';
import { pointsIn } from './fates.ts';
import { atEnd } from './support.ts';

const scripts = mkdtempSync(join(tmpdir(), 'hdrscope-kills-'));
beforeAll(() => {
  buildPackages(scripts, ['otel']);
  writeFileSync(join(scripts, 'service.mjs'), SERVICE);
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));

// Records as often as it can, and notes how many values it has recorded, and how many of them the queue or the receiver has. Its argument
// is JSON.
const SERVICE = `
import { appendFileSync } from 'node:fs';
import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
const { run, ledger, isLast, ...options } = JSON.parse(process.argv[2]);
const registry = createRegistry();
const family = registry.histogram({ name: 'job.duration', unit: 'ms' });
const sender = sendOtlp(registry, { ...options, temporality: 'delta', compression: 'none' });
let recorded = 0;
const record = () => {
  // The ledger comes first: a value that it has may be missing, and no other one may arrive.
  recorded += 20;
  appendFileSync(ledger, 'recorded ' + recorded + '\\n');
  for (let i = 0; i < 20; i++) family.with({ run, i: i % 5 }).record(i);
};
if (isLast) {
  await sender.close();
  process.exit();
}
setInterval(record, 1);
for (;;) {
  const safe = recorded;
  await sender.flush().catch(() => {});
  appendFileSync(ledger, 'safe ' + safe + '\\n');
}
`;

/** A receiver that recognises repetitions. It takes some requests, and answers some with 503, whether it has taken them or not. */
async function startReceiver() {
  const state = { isGood: false };
  const points = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    const chance = state.isGood ? 0 : Math.random();
    if (chance < 0.6) for (const [id, count] of pointsIn(body)) points.set(id, count);
    response.writeHead(chance < 0.3 ? 200 : 503).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    state,
    points,
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`,
  };
}

test('of processes that are killed at random moments, each value is received once that was recorded before the last interval', async () => {
  const folder = join(scripts, 'queue');
  mkdirSync(folder);
  const { state, points, url } = await startReceiver();
  const ledgerOf = (run: string): string => join(scripts, `${run}.ledger`);
  const start = (run: string, isLast = false) => {
    writeFileSync(ledgerOf(run), '');
    const settings = { run, ledger: ledgerOf(run), isLast, url, intervalMs: 20, queue: { folder } };
    return spawn(process.execPath, [join(scripts, 'service.mjs'), JSON.stringify(settings)], {
      stdio: 'inherit',
    });
  };
  const runs: string[] = [];
  for (let kills = 0; kills < caseCount(3, 100); kills++) {
    runs.push(`run-${kills}`);
    const child = start(runs.at(-1)!);
    while (!/safe [1-9]/.test(readFileSync(ledgerOf(runs.at(-1)!), 'utf8'))) await sleep(5);
    await sleep(Math.random() * 100);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  state.isGood = true;
  const [code] = await once(start('last', true), 'exit');
  expect(code).toBe(0);
  for (const run of runs) {
    const lines = readFileSync(ledgerOf(run), 'utf8').split('\n').slice(0, -1);
    const last = (kind: string): number =>
      Number(lines.findLast((line) => line.startsWith(kind))?.split(' ')[1] ?? 0);
    let received = 0;
    for (const [id, count] of points) if (JSON.parse(id)[1].run === run) received += count;
    expect([run, received >= last('safe'), received <= last('recorded')]).toEqual([run, true, true]);
    expect(last('safe')).toBeGreaterThan(0);
  }
}, 120_000);
