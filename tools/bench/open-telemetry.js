/** The releases of OpenTelemetry's SDK that are compared: release 3 from the peer `opentelemetry-3`, release 2 of the workspace. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PEERS, programOf } from '../peers/peers.js';

/**
 * @typedef {object} Release
 * @property {typeof import('@opentelemetry/sdk-metrics')} metrics
 * @property {typeof import('@opentelemetry/exporter-prometheus')} prometheus
 */

/** @typedef {2 | 3} Major */

const require = createRequire(import.meta.url);

/**
 * The folder of packages of a peer.
 *
 * @param {string} name
 * @returns {string | undefined} `undefined` where it is not installed
 */
export function packagesOf(name) {
  const peer = PEERS.find((one) => one.name === name);
  return peer && programOf(peer);
}

const packages3 = packagesOf('opentelemetry-3');

/** The release that the other cases of a group are compared with. Where the peer is not installed, it is that of the workspace. @type {Major} */
const BASELINE = packages3 === undefined ? 2 : 3;

/**
 * @param {Major} [major]
 * @returns {Promise<Release>}
 */
export async function loadRelease(major = BASELINE) {
  if (major === 2) {
    const [metrics, prometheus] = await Promise.all([
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/exporter-prometheus'),
    ]);
    return { metrics, prometheus };
  }
  /** @param {string} name */
  const load = (name) => import(pathToFileURL(join(packages3 ?? '', name, 'dist/index.mjs')).href);
  return { metrics: await load('sdk-metrics-3'), prometheus: await load('exporter-prometheus-3') };
}

/** The versions of the SDK as a text, the baseline first. */
export function sdkVersions() {
  const two = require('@opentelemetry/sdk-metrics/package.json').version;
  if (packages3 === undefined) return `${two} (3 is missing: node tools/peers/install.js opentelemetry-3)`;
  const three = JSON.parse(readFileSync(join(packages3, 'sdk-metrics-3/package.json'), 'utf8')).version;
  return `${three} and ${two}`;
}
