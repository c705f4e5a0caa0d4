import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programOf } from '@hdrscope/testing';
import type { OtlpMetrics } from './otlp-json.ts';
import { createFolder, freePort, type PeerProcess, startPeer } from './peer-process.ts';

/** An OpenTelemetry Collector. */
export interface Collector extends PeerProcess {
  /** The URL for OTLP over HTTP, in both encodings. */
  readonly httpUrl: string;
  readonly grpcUrl: string;
  /** Host and port for a scrape by Prometheus. */
  readonly scrapeTarget: string;
  /** The requests that it has received so far. */
  received(): OtlpMetrics[];
}

/** The state that a Collector keeps from one start to the next. */
export interface CollectorPlace {
  readonly ports: readonly [http: number, grpc: number, scrape: number];
  /** The file that it appends the received requests to. */
  readonly file: string;
  /** How the requests are written. `received` reads JSON. @default 'json' */
  readonly format?: 'json' | 'proto';
}

/**
 * Starts a Collector. It writes the received requests unchanged to a file, and serves the sum of the deltas to Prometheus.
 *
 * @param place Left out, the Collector has a place of its own, which goes with it.
 * @param settings Settings of its receivers: by default, those of the Collector.
 */
export async function startCollector(
  place?: CollectorPlace,
  settings: { readonly http?: object; readonly grpc?: object } = {},
): Promise<Collector> {
  const folder = await createFolder();
  const [http, grpc, scrape] = place?.ports ?? [await freePort(), await freePort(), await freePort()];
  const file = place?.file ?? join(folder, 'received.json');
  const config = {
    receivers: {
      otlp: {
        protocols: {
          http: { endpoint: `127.0.0.1:${http}`, ...settings.http },
          grpc: { endpoint: `127.0.0.1:${grpc}`, ...settings.grpc },
        },
      },
    },
    processors: { deltatocumulative: {} },
    exporters: {
      file: {
        path: file,
        format: place?.format ?? 'json',
        flush_interval: '50ms',
        append: place !== undefined,
      },
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
  // The Collector is still writing the text after the last line end.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/** A Collector that forwards the received requests by OTLP over HTTP in gzip. */
export interface Forwarder extends PeerProcess {
  /** The URL for OTLP over HTTP. */
  readonly httpUrl: string;
}

/** Starts a Collector that forwards each request at once. */
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
