import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programOf } from '@hdrscope/testing';
import type { OtlpMetrics } from './otlp-json.ts';
import { createFolder, freePort, type PeerProcess, startPeer } from './peer-process.ts';

/** An OpenTelemetry Collector. */
export interface Collector extends PeerProcess {
  /** Where it takes OTLP over HTTP, in both encodings. */
  readonly httpUrl: string;
  readonly grpcUrl: string;
  /** Where Prometheus may scrape it: host and port. */
  readonly scrapeTarget: string;
  /** What it has received so far, a request each. */
  received(): OtlpMetrics[];
}

/**
 * Starts a Collector. It writes what it receives into a file, as it is; and serves Prometheus, deltas added up.
 */
export async function startCollector(): Promise<Collector> {
  const folder = await createFolder();
  const [http, grpc, scrape] = [await freePort(), await freePort(), await freePort()];
  const file = join(folder, 'received.json');
  const config = {
    receivers: {
      otlp: {
        protocols: {
          http: { endpoint: `127.0.0.1:${http}` },
          grpc: { endpoint: `127.0.0.1:${grpc}` },
        },
      },
    },
    processors: { deltatocumulative: {} },
    exporters: {
      file: { path: file, flush_interval: '50ms' },
      prometheus: { endpoint: `127.0.0.1:${scrape}` },
    },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: {
        'metrics/file': { receivers: ['otlp'], exporters: ['file'] },
        'metrics/prometheus': {
          receivers: ['otlp'],
          processors: ['deltatocumulative'],
          exporters: ['prometheus'],
        },
      },
    },
  };
  const configFile = join(folder, 'collector.json');
  await writeFile(configFile, JSON.stringify(config));
  const peer = await startPeer(programOf('collector'), [`--config=file:${configFile}`], {
    folder,
    isReady: (output) => output.includes('Everything is ready'),
  });
  return {
    ...peer,
    httpUrl: `http://127.0.0.1:${http}`,
    grpcUrl: `http://127.0.0.1:${grpc}`,
    scrapeTarget: `127.0.0.1:${scrape}`,
    received: () => (existsSync(file) ? readLines(file) : []),
  };
}

function readLines(file: string): OtlpMetrics[] {
  // What follows the last line end is still being written.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/** A Collector that sends on what it receives, by OTLP over HTTP and in gzip. */
export interface Forwarder extends PeerProcess {
  /** Where it takes OTLP over HTTP. */
  readonly httpUrl: string;
}

/** Starts one. It sends each request at once. */
export async function startForwarder(url: string, encoding: 'proto' | 'json'): Promise<Forwarder> {
  const folder = await createFolder();
  const http = await freePort();
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${http}` } } } },
    exporters: { otlphttp: { endpoint: url, encoding, compression: 'gzip' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { metrics: { receivers: ['otlp'], exporters: ['otlphttp'] } },
    },
  };
  const configFile = join(folder, 'collector.json');
  await writeFile(configFile, JSON.stringify(config));
  const peer = await startPeer(programOf('collector'), [`--config=file:${configFile}`], {
    folder,
    isReady: (output) => output.includes('Everything is ready'),
  });
  return { ...peer, httpUrl: `http://127.0.0.1:${http}` };
}
