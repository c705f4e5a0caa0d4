/** The disk of a log is full, and its folder is read-only, again and again. */
import { mkdir, open, rm } from 'node:fs/promises';
import { readLogs } from '../arrived.js';
import { compare, nothing } from '../ledger.js';
import { MountNamespace, reasonAgainstMounts } from '../mounts.js';

/** @import { Round, Scenario } from '../scenario.js' */

const times = 3;

/**
 * @param {Round} round
 * @param {MountNamespace} mounts
 * @param {readonly number[]} sizes of a file before it is rotated, in bytes
 */
async function serviceOn(round, mounts, sizes) {
  const folder = round.path('disk');
  await mkdir(folder);
  mounts.mount('-t', 'tmpfs', '-o', 'size=2m', 'chaos', folder);
  const path = `${folder}/service.hlog`;
  const log = {
    path,
    intervalMs: 20,
    rotation: { sizeBytes: round.random.of(sizes), gzip: round.random.oneIn(2) },
  };
  return { folder, path, service: await round.service({ log }, { before: mounts.before }) };
}

/**
 * Ends the service, and compares its log. Its ledger must have an error that shows that it was harmed.
 *
 * @param {Round} round
 * @param {MountNamespace} mounts
 * @param {Awaited<ReturnType<typeof serviceOn>>} running
 * @param {RegExp} noticed
 */
async function finish(round, mounts, { path, service }, noticed) {
  await service.stop();
  const ledger = round.ledger(service.run);
  const arrivals = await readLogs(mounts.outside(path));
  const problems = arrivals.malformed.map((message) => `the log: ${message}`);
  if (!ledger.events.some((event) => noticed.test(event)))
    problems.push('the service has not noticed the harm');
  return { tries: times, outcomes: [compare(ledger, arrivals.of(ledger.run), nothing)], problems };
}

/** @type {Scenario} */
export const fullDisk = {
  name: 'full-disk',
  promise: 'an interval log loses nothing while its disk is full, as soon as there is room again',
  window: 'nothing',
  mostWindowMs: 0,
  skipped: reasonAgainstMounts,
  async run(round) {
    const mounts = await MountNamespace.open(round);
    const running = await serviceOn(round, mounts, [4000, 20_000, 1e9]);
    const ballast = mounts.outside(`${running.folder}/ballast`);
    for (let i = 0; i < times; i++) {
      await round.pause(500, 100);
      // The next write of the log fails in the middle: there is room in the last page of its file.
      await fill(ballast);
      await round.pause(1000, 500);
      await rm(ballast);
    }
    await round.pause(500, 200);
    return finish(round, mounts, running, /ENOSPC/);
  },
};

/**
 * Fills a disk.
 *
 * @param {string} path
 */
async function fill(path) {
  const file = await open(path, 'w');
  try {
    for (;;) await file.write(Buffer.alloc(65_536));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}

/** @type {Scenario} */
export const readOnlyFolder = {
  name: 'read-only',
  promise: 'an interval log loses nothing while its folder is read-only',
  window: 'nothing',
  mostWindowMs: 0,
  skipped: reasonAgainstMounts,
  async run(round) {
    const mounts = await MountNamespace.open(round);
    const running = await serviceOn(round, mounts, [2000, 4000]);
    const { folder } = running;
    const above = round.path('above');
    await mkdir(above);
    for (let i = 0; i < times; i++) {
      await round.pause(500, 100);
      // A mount above it: the file that is open can be written, and nothing can be renamed or made.
      // Made elsewhere, because a mount on which the service has opened a file cannot become read-only.
      mounts.mount('--bind', folder, above);
      mounts.mount('-o', 'remount,bind,ro', above);
      mounts.mount('--move', above, folder);
      await round.pause(700, 200);
      mounts.unmount(folder);
    }
    await round.pause(500, 200);
    return finish(round, mounts, running, /EROFS/);
  },
};
