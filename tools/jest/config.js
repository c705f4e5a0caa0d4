import { fileURLToPath } from 'node:url';
import { selectFiles } from '../lib/test-kinds.js';
import { PEERS, programOf } from '../peers/peers.js';

/** @param {string} specifier */
const pathOf = (specifier) => fileURLToPath(import.meta.resolve(specifier));

const { only, without } = selectFiles(process.env.HDRSCOPE_TESTS);

/** The paths of the installed peers by name. Workers get the environment, so no test file has to look for peers itself. */
const installed = Object.fromEntries(PEERS.map((peer) => [peer.name, programOf(peer)]));
process.env.HDRSCOPE_INSTALLED_PEERS = JSON.stringify(installed);

/** Shared Jest set-up: tests run on TypeScript sources, so no build is needed before them. */
export default {
  // By default each project has an id and compiles the sources of all others into a cache of its own: 4 s of processor time each.
  id: 'hdrscope',
  testEnvironment: pathOf('./environment.js'),
  runtime: pathOf('./runtime.js'),
  // All cores: by default Jest leaves one idle, which is half of a small machine.
  maxWorkers: '100%',
  // Only a hang may reach this: on a machine with many other processes, a test of processes can take a minute.
  testTimeout: 120_000,
  // How long a worker that has nothing left to do may take to end. By default Jest reports a leak after half a second, and on a starved machine a
  // worker may get no processor for longer. One that a leak keeps alive is still reported.
  workerGracefulExitTimeout: 30_000,
  testRegex: (only ?? /\.test\.ts$/).source,
  roots: ['<rootDir>/test'],
  testPathIgnorePatterns: ['/node_modules/', ...(without === undefined ? [] : [without.source])],
  // Node.js loads the sources: see `tools/jest.js`.
  transform: {},
  // A worker whose files have left more behind begins anew. This also keeps Jest from running a single file in its own process.
  workerIdleMemoryLimit: '1500MB',
  reporters: [pathOf('./reporter.js')],
  // With a single test file Jest turns verbose by itself, and console output then bypasses the reporter.
  verbose: false,
};
