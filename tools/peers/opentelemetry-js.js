import { fetchFromGitHub } from './github.js';
import { installWithNpm } from './toolchains.js';

// Tests and sources belong together, so both come from one commit. Its packages are 2.10.0 and 0.221.0.
export const COMMIT = '61126358cb5cf06a2004151cbad18e79cbede00a';

/** The packages whose tests run here. */
const FOLDERS = ['packages/sdk-metrics', 'experimental/packages/opentelemetry-exporter-prometheus'];

/**
 * Puts packages of opentelemetry-js, with their tests, into a folder, and what runs the tests into its `node_modules`.
 * The environment variable `HDRSCOPE_OPENTELEMETRY_JS` names a clone to take them from, where GitHub is out of reach.
 *
 * @param {string} module The folder of `package.json` and `package-lock.json`.
 * @param {string} folder
 */
export function fetchOpenTelemetryJs(module, folder) {
  installWithNpm(module, folder);
  const clone = process.env.HDRSCOPE_OPENTELEMETRY_JS;
  const repository = 'open-telemetry/opentelemetry-js';
  fetchFromGitHub({ repository, commit: COMMIT, paths: FOLDERS, clone }, folder);
}
