/**
 * What counting in the kernel costs: our programs, and scripts of bpftrace that count the same. The kernel measures the runs of all
 * programs itself (`BPF_ENABLE_STATS`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { run } from '../bpf-maps.js';

/** @import { Group, Setup } from '../types.js' */
/** @typedef {{ id: number, run_time_ns?: number, run_cnt?: number }} Program */
/** @typedef {() => Promise<() => Promise<unknown>>} Start Starts programs, and returns what ends them. */

/** @returns {Program[]} */
const listPrograms = () => JSON.parse(run('bpftool', ['-j', 'prog', 'show']));

/**
 * @param {Start} start
 * @param {() => Promise<unknown>} load
 * @returns {Setup} The nanoseconds of a run of the programs.
 */
function measureCost(start, load) {
  return async () => {
    const { enableStatistics, loadBpf } = await import('@hdrscope/ebpf/internal');
    enableStatistics(await loadBpf());
    return {
      async measure() {
        const others = new Set(listPrograms().map(({ id }) => id));
        const stop = await start();
        try {
          const own = () => listPrograms().filter(({ id }) => !others.has(id));
          const before = sumOf(own());
          await load();
          const after = sumOf(own());
          return (after.ns - before.ns) / (after.runs - before.runs);
        } finally {
          await stop();
        }
      },
    };
  };
}

/** @param {readonly Program[]} programs */
function sumOf(programs) {
  const sum = (/** @type {'run_time_ns' | 'run_cnt'} */ field) =>
    programs.reduce((total, program) => total + (program[field] ?? 0), 0);
  return { ns: sum('run_time_ns'), runs: sum('run_cnt') };
}

/**
 * @param {'runqueue' | 'blockio' | 'tcprtt'} name
 * @returns {Start}
 */
const ours = (name) => async () => {
  const { openKernelProgram } = await import('@hdrscope/ebpf/loader');
  const program = await openKernelProgram(name, { by: 'all' });
  return async () => program.close();
};

/** Its probes are found in tracefs, which is mounted for it alone. */
const WITH_TRACEFS = 'mount -t tracefs nodev /sys/kernel/tracing; exec bpftrace -e "$1"';

/**
 * @param {string} script
 * @returns {Start}
 */
const bpftrace = (script) => async () => {
  const ready = `${script} BEGIN { printf("ready\\n"); }`;
  const child = spawn('unshare', ['--mount', 'sh', '-c', WITH_TRACEFS, 'sh', ready], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  // The first text is that of the probes, the next one comes when they are attached.
  let text = '';
  for await (const part of child.stdout) {
    text += part;
    if (text.includes('ready')) break;
  }
  if (!text.includes('ready')) throw new Error('bpftrace does not run here');
  await sleep(300);
  return () => {
    child.kill('SIGINT');
    return ended;
  };
};

const PARTNER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const turn = new Int32Array(workerData);
  parentPort.postMessage('ready');
  for (;;) {
    Atomics.wait(turn, 0, 0);
    Atomics.store(turn, 0, 0);
    Atomics.notify(turn, 0);
  }`;

/** Two threads that wake each other, for a second. */
async function switchThreads() {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(PARTNER, { eval: true, workerData: turn.buffer });
  await once(worker, 'message');
  const endMs = performance.now() + 1000;
  while (performance.now() < endMs) {
    Atomics.store(turn, 0, 1);
    Atomics.notify(turn, 0);
    Atomics.wait(turn, 0, 1, 10);
  }
  await worker.terminate();
}

async function writeBlocks() {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-bench-'));
  const file = openSync(join(folder, 'blocks'), 'w');
  for (let i = 0; i < 300; i++) {
    writeSync(file, Buffer.alloc(4096, i), 0, 4096, 4096 * i);
    fsyncSync(file);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
}

async function sendSegments() {
  const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const socket = connect(port, '127.0.0.1');
  for (let i = 0; i < 2000; i++) if (!socket.write(Buffer.alloc(65_536))) await once(socket, 'drain');
  socket.end();
  await once(socket, 'close');
  server.close();
}

const RUNQUEUE = `tracepoint:sched:sched_wakeup, tracepoint:sched:sched_wakeup_new { @start[args->pid] = nsecs; }
  tracepoint:sched:sched_switch {
    if (args->prev_state == 0) { @start[args->prev_pid] = nsecs; }
    $start = @start[args->next_pid];
    if ($start) { @ = hist(nsecs - $start); }
    delete(@start[args->next_pid]);
  }`;
const BLOCKIO = `tracepoint:block:block_rq_issue { @start[args->dev, args->sector] = nsecs; }
  tracepoint:block:block_rq_complete /@start[args->dev, args->sector]/ {
    @ = hist(nsecs - @start[args->dev, args->sector]);
    delete(@start[args->dev, args->sector]);
  }`;
const TCPRTT = 'tracepoint:tcp:tcp_probe { @ = hist(args->srtt); }';

/**
 * @param {'runqueue' | 'blockio' | 'tcprtt'} name
 * @param {string} title
 * @param {string} script
 * @param {() => Promise<unknown>} load
 * @returns {Group}
 */
const makeGroup = (name, title, script, load) => ({
  id: `ebpf-cost-${name}`,
  title: `count ${title}`,
  agree: null,
  rounds: 5,
  cases: {
    [`hdrscope ${name}`]: measureCost(ours(name), load),
    bpftrace: measureCost(bpftrace(script), load),
  },
});

export default [
  makeGroup('runqueue', 'waits for a CPU in the kernel: a switch or a wake-up', RUNQUEUE, switchThreads),
  makeGroup(
    'blockio',
    'latencies of block devices in the kernel: a request that begins or ends',
    BLOCKIO,
    writeBlocks,
  ),
  makeGroup('tcprtt', 'round-trip times of TCP in the kernel: a segment', TCPRTT, sendSegments),
];
