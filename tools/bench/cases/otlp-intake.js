/** Requests of OTLP taken in, whole: from their bytes to the answer of a receiver in a process of its own. */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../lib/free-port.js';
import { PEERS, programOf } from '../../peers/peers.js';
import { otlpRequest, setTimes } from '../otlp-requests.js';
import { SENDERS } from '../otlp-senders.js';

/** @import { Group, Setup } from '../types.js' */

/** @import { Protocol } from '../otlp-senders.js' */

const series = 2000;
const requests = 5;
const INTERVAL_NS = 10_000_000_000n;
/** @type {(protocol: Protocol, start: () => Promise<number>) => Setup} */
const taking = (protocol, start) => async () => {
  const send = SENDERS[protocol](await start());
  const all = Array.from({ length: requests }, (_, i) => otlpRequest(i * series, series));
  let startNs = BigInt(Date.now() - 86_400_000) * 1_000_000n;
  let taken = 0;
  return {
    before() {
      for (const request of all) setTimes(request, startNs, startNs + INTERVAL_NS);
      startNs += INTERVAL_NS;
      taken = 0;
    },
    async run() {
      for (const { body, times } of all) {
        await send(body);
        taken += times.length;
      }
    },
    answer: () => taken,
  };
};

/** @type {(protocol: Protocol) => () => Promise<number>} */
const hdrscope = (protocol) => async () => {
  const server = fork(new URL('../otlp-server.js', import.meta.url), [protocol], {
    execArgv: process.execArgv,
  });
  const [port] = await once(server, 'message');
  server.unref();
  server.channel?.unref();
  return port;
};

/** A Collector that throws away what it has received. @type {(protocol: Protocol, processors: string[]) => () => Promise<number>} */
const collector = (protocol, processors) => async () => {
  const peer = PEERS.find(({ name }) => name === 'collector');
  const program = peer && programOf(peer);
  if (program === undefined) throw new Error('node tools/peers/install.js collector installs a Collector');
  const port = await freePort();
  const file = join(mkdtempSync(join(tmpdir(), 'hdrscope-bench-')), 'collector.json');
  const config = {
    receivers: {
      otlp: {
        protocols: {
          [protocol]: {
            endpoint: `127.0.0.1:${port}`,
            ...(protocol === 'grpc' && { max_recv_msg_size_mib: 64 }),
          },
        },
      },
    },
    processors: { deltatocumulative: { max_streams: 100_000 } },
    exporters: { file: { path: '/dev/null', format: 'proto' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { metrics: { receivers: ['otlp'], processors, exporters: ['file'] } },
    },
  };
  writeFileSync(file, JSON.stringify(config));
  const child = spawn(program, [`--config=file:${file}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  process.on('exit', () => child.kill('SIGKILL'));
  await new Promise((resolve, reject) => {
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (output.includes('Everything is ready')) resolve(undefined);
    });
    child.once('exit', () => reject(new Error(`the Collector ended: ${output.slice(-500)}`)));
  });
  child.unref();
  /** @type {import('node:net').Socket} */ (/** @type {unknown} */ (child.stderr)).unref();
  return port;
};

/** @type {readonly Group[]} */
export default [
  {
    id: 'otlp-intake',
    title:
      '5 requests of OTLP with 2,000 known series of 160 buckets each, to a receiver on the loopback interface',
    agree: 0,
    rounds: 15,
    cases: {
      'hdrscope receiver, HTTP': taking('http', hdrscope('http')),
      'hdrscope receiver, gRPC': taking('grpc', hdrscope('grpc')),
      'Collector that keeps nothing, HTTP': taking('http', collector('http', [])),
      'Collector that keeps nothing, gRPC': taking('grpc', collector('grpc', [])),
      'Collector with deltatocumulative, HTTP': taking('http', collector('http', ['deltatocumulative'])),
      'Collector with deltatocumulative, gRPC': taking('grpc', collector('grpc', ['deltatocumulative'])),
    },
  },
];
