/** The programs that are compared, where they can run. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findJar } from '../bench/java.js';
import { hour } from '../bench/libraries.js';
import { PEERS, programOf } from '../peers/peers.js';

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {(writers: number) => readonly [string, ...string[]]} command
 */

/** Two digits: 128 slots for each power of two. */
const DIGITS = 2;

/** @param {string} path */
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * @param {string} [script] The module `ours.js`, or a bundle of it.
 * @returns {Program[]}
 */
export function ourPrograms(script = pathOf('./ours.js')) {
  const start = /** @type {const} */ ([process.execPath, script]);
  return [
    { name: 'hdrscope, a histogram for each worker', command: commandFor(start, 'own') },
    { name: 'hdrscope, one shared histogram', command: commandFor(start, 'shared') },
  ];
}

/** @returns {{ programs: Program[], absent: { name: string, reason: string }[] }} */
export function findPeers() {
  const java = findJava();
  const peers = {
    'Java ConcurrentHistogram': java('concurrent'),
    'Java AtomicHistogram': java('atomic'),
    'Go client_golang, native histogram': findGo(),
  };
  /** @type {ReturnType<typeof findPeers>} */
  const found = { programs: [], absent: [] };
  for (const [name, command] of Object.entries(peers)) {
    if ('absent' in command) found.absent.push({ name, reason: command.absent });
    else found.programs.push({ name, command });
  }
  return found;
}

/** @returns {(kind: 'concurrent' | 'atomic') => Program['command'] | { absent: string }} */
function findJava() {
  const peer = PEERS.find(({ name }) => name === 'hdrhistogram-java');
  const jar = findJar() ?? (peer && programOf(peer));
  if (!jar) return () => ({ absent: 'no HdrHistogram.jar (set HDRSCOPE_HDRHISTOGRAM_JAR)' });
  // `java` compiles the source, which needs a JDK.
  if (spawnSync('javac', ['-version'], { stdio: 'ignore' }).status !== 0)
    return () => ({ absent: 'no JDK on this machine' });
  return (kind) => commandFor(['java', '-cp', jar, pathOf('./java/ContentionBench.java')], kind);
}

/**
 * Builds the peer at the first run.
 *
 * @returns {Program['command'] | { absent: string }}
 */
function findGo() {
  const peer = PEERS.find(({ name }) => name === 'contention-go');
  if (peer === undefined) throw new Error('tools/peers has no contention-go');
  // In a process of its own, because a build lowers the priority of its process.
  const { stdout } = spawnSync(process.execPath, [pathOf('../peers/install.js'), peer.name], {
    encoding: 'utf8',
  });
  const built = programOf(peer);
  if (built === undefined)
    return { absent: stdout.split('not installed: ').at(-1)?.trim() ?? 'not installed' };
  return (writers) => [built, String(writers)];
}

/**
 * @param {readonly [string, ...string[]]} start
 * @param {string} kind
 * @returns {Program['command']}
 */
function commandFor(start, kind) {
  return (writers) => [...start, kind, String(writers), String(DIGITS), String(hour.highest)];
}
