/** The official clients of Prometheus for Node.js: `prom-client`, and its successor from the peer `prometheus-client`. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packagesOf } from './open-telemetry.js';

/** @typedef {typeof import('prom-client')} Client */
/** @typedef {'prom-client' | '@prometheus-io/client'} ClientName */

const require = createRequire(import.meta.url);

/**
 * @param {ClientName} name
 * @returns {Client} The types of one stand for both.
 * @throws Error with the reason, where it is not installed.
 */
export function loadClient(name) {
  return load(name, '');
}

/** The name and the version of a client as a text. @param {ClientName} name */
export function clientVersion(name) {
  try {
    return `${name} ${load(name, '/package.json').version}`;
  } catch (error) {
    return `${name} (${/** @type {Error} */ (error).message})`;
  }
}

/**
 * @param {ClientName} name
 * @param {string} file
 */
function load(name, file) {
  if (name === 'prom-client') return require(`prom-client${file}`);
  const packages = packagesOf('prometheus-client');
  if (packages === undefined) {
    throw new Error('it is not installed: node tools/peers/install.js prometheus-client');
  }
  return require(join(packages, name, file));
}
