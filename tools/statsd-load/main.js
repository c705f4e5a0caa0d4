/**
 * `npm run statsd-load -- [PACKETS_PER_SECOND...]`: how many packets of StatsD a process counts, each a line of a timer with three tags, of 300 series. A program in C sends them for three seconds at each rate. For
 * both ways to receive, it prints what was sent, counted and dropped by the kernel, and the time of a processor that the receiving process took for a packet. What was
 * counted and dropped must be what was sent: otherwise it exits with 1. It needs Linux and a C compiler, `cc`.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRegistry } from '@hdrscope/registry';
import { importSource } from '../lib/import-source.js';

const SECONDS = 3;

/** @param {number} rate @param {boolean} hasKoffi @param {string} program @param {number} [seconds] */
async function measure(rate, hasKoffi, program, seconds = SECONDS) {
  const { createStatsdIntake } = await importSource('agent/src/statsd/intake.ts');
  const { receiveUdp } = await importSource('agent/src/statsd/receiver.ts');
  const registry = createRegistry();
  let counted = 0;
  const intake = createStatsdIntake(
    registry,
    {
      ...{ attributes: {}, dropAttributes: {}, units: {}, significantDigits: 3, maxSeries: 10_000 },
      ...{ expireAfterMs: undefined, containers: false, samples: 'scaled' },
    },
    { added: (/** @type {number} */ values) => (counted += values), note: () => {} },
  );
  const receiver = await receiveUdp(
    { host: '127.0.0.1', port: 0 },
    4 * 2 ** 20,
    intake.take,
    () => {},
    hasKoffi ? undefined : async () => undefined,
  );
  const before = process.cpuUsage();
  const { stdout } = await promisify(execFile)(program, [`${receiver.port}`, `${rate}`, `${seconds}`]);
  await receiver.drain();
  const { user, system } = process.cpuUsage(before);
  const dropped = await receiver.readDrops();
  await receiver.close();
  const [sent = 0, took = 0] = stdout.split(' ').map(Number);
  const { families } = await registry.gather();
  const recorded = families[0]?.series.reduce(
    (/** @type {number} */ sum, { histogram }) => sum + histogram.totalCount,
    0,
  );
  return { sent, took, counted, recorded, dropped, usPerPacket: (user + system) / counted };
}

const rates = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'statsd-load-'));
try {
  const program = join(folder, 'send');
  execFileSync('cc', ['-O2', '-o', program, join(import.meta.dirname, 'send.c')]);
  console.log('receiver  sent/s     sent       counted    dropped    µs of a processor for a packet');
  for (const hasKoffi of [true, false]) {
    // Code that runs often is compiled by then.
    await measure(20_000, hasKoffi, program, 1);
    for (const rate of rates.length > 0 ? rates : [50_000, 100_000, 200_000, 300_000]) {
      const { sent, took, counted, recorded, dropped, usPerPacket } = await measure(rate, hasKoffi, program);
      const columns = [Math.round(sent / took), sent, counted, dropped].map((one) => `${one}`.padEnd(11));
      console.log(`${hasKoffi ? 'koffi     ' : 'Node.js   '}${columns.join('')}${usPerPacket.toFixed(2)}`);
      if (counted + dropped === sent && recorded === counted) continue;
      console.error(`${sent} were sent, and ${counted} + ${dropped} came; the series have ${recorded}`);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
