import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { selectFiles } from '../lib/test-kinds.js';
import { listFiles } from '../lib/workspace.js';
import { PEERS, programOf } from '../peers/peers.js';

/** @param {string} specifier */
const pathOf = (specifier) => fileURLToPath(import.meta.resolve(specifier));

const { only = /\.test\.ts$/, without } = selectFiles(process.env.HDRSCOPE_TESTS);

/** The paths of the installed peers by name. Workers get the environment, so no test file has to look for peers itself. */
const installed = Object.fromEntries(PEERS.map((peer) => [peer.name, programOf(peer)]));
process.env.HDRSCOPE_INSTALLED_PEERS = JSON.stringify(installed);

/**
 * The folders of the packages that are tested.
 *
 * @type {string[]}
 */
const dirs = JSON.parse(process.env.HDRSCOPE_TESTED ?? '[]');

/** @param {string} dir */
const listTestFiles = (dir) => listFiles(join(dir, 'test'), only).filter((file) => !without?.test(file));

/** What each package has. Tests run on TypeScript sources, so no build is needed before them. */
const shared = {
  testEnvironment: pathOf('./environment.js'),
  setupFilesAfterEnv: [pathOf('./setup.js')],
  runtime: pathOf('./runtime.js'),
  testRegex: only.source,
  roots: ['<rootDir>/test'],
  testPathIgnorePatterns: ['/node_modules/', ...(without === undefined ? [] : [without.source])],
  // Node.js loads the sources: see `runtime.js`.
  transform: {},
};

export default {
  projects: dirs.map((dir) => ({ ...shared, rootDir: dir, displayName: basename(dir) })),
  // By default Jest leaves one core idle, which is half of a small machine. Many tests wait for processes and clocks.
  maxWorkers: availableParallelism() * 2,
  testSequencer: pathOf('./sequencer.js'),
  // Only a hang may reach this: on a machine with many other processes, a test of processes can take a minute.
  testTimeout: 120_000,
  // How long a worker that has nothing left to do may take to end. By default Jest reports a leak after half a second, and on a starved machine a
  // worker may get no processor for longer. One that a leak keeps alive is still reported.
  workerGracefulExitTimeout: 30_000,
  // A worker whose files have left more behind begins anew. This also keeps Jest from running a single file in its own process.
  workerIdleMemoryLimit: '1500MB',
  reporters: [
    [pathOf('./reporter.js'), { projects: dirs.map((dir) => ({ dir, files: listTestFiles(dir).length })) }],
  ],
  // With a single test file Jest turns verbose by itself, and console output then bypasses the reporter.
  verbose: false,
};
