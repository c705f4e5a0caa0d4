/** The processes of services, and the processors on which they run. */
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Service
 * @property {number} port
 * @property {string | undefined} url Where the page of its metrics is.
 * @property {() => Promise<{ processorMs: number, memoryMb: number }>} use The processor time since the call before, and the memory.
 * @property {() => void} end
 */

/**
 * Gives services the last processor and this process the others, where Linux lets a process choose. Otherwise the system shares them out.
 *
 * @returns {number | undefined} The processor of the services.
 */
export function divideProcessors() {
  const processors = listProcessors();
  const last = processors.pop();
  if (last === undefined || processors.length === 0) return undefined;
  const moved = spawnSync('taskset', ['-acp', processors.join(','), String(process.pid)]);
  return moved.status === 0 ? last : undefined;
}

/** @returns {number[]} The processors that this process may use. */
function listProcessors() {
  if (process.platform !== 'linux') return [];
  const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return allowed.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 || 0 }, (_, index) => first + index);
  });
}

/**
 * @param {number} index Which of the subjects counts the requests of this service.
 * @param {number} series
 * @param {string} otlpUrl
 * @param {number | undefined} processor
 * @returns {Promise<Service>}
 */
export async function startService(index, series, otlpUrl, processor) {
  const program = fileURLToPath(new URL('./service.js', import.meta.url));
  const [execPath, ...execArgv] =
    processor === undefined ? [process.execPath] : ['taskset', '-c', String(processor), process.execPath];
  const child = fork(program, [String(index), String(series), otlpUrl], { execPath, execArgv });
  const [{ port, url }] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() =>
      Promise.reject(new Error(`the service of subject ${index} did not start`)),
    ),
  ]);
  return {
    port,
    url,
    async use() {
      child.send('use');
      return (await once(child, 'message'))[0];
    },
    end: () => child.kill('SIGKILL'),
  };
}
