/** Mounts in a namespace of their own: nobody else sees them, and they are gone when the last of their processes ends. */
import { spawnSync } from 'node:child_process';
import { Process } from './processes.js';

/** @import { Round } from './scenario.js' */

/** Why mounts are impossible here; `undefined` where they are possible. */
export function reasonAgainstMounts() {
  if (process.getuid?.() !== 0) return 'mounts need root';
  const { status, error, stderr } = spawnSync('unshare', ['--mount', 'nsenter', '--version'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `unshare fails: ${error?.message ?? stderr.trim()}`;
}

const LONGEST_S = 180;

export class MountNamespace {
  #holder;

  /** @param {Process} holder */
  constructor(holder) {
    this.#holder = holder;
  }

  /** @param {Round} round */
  static async open(round) {
    const script = `echo ready; exec sleep ${LONGEST_S}`;
    const holder = new Process('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script]);
    round.start(holder);
    await holder.printed(/ready/);
    return new MountNamespace(holder);
  }

  /** Before the command of a process that is to be in the namespace. It has the id of that process, as `nsenter` executes it. */
  get before() {
    return ['nsenter', '--target', String(this.#holder.pid), '--mount'];
  }

  /**
   * The path by which processes outside reach a path of the namespace.
   *
   * @param {string} path
   */
  outside(path) {
    return `/proc/${this.#holder.pid}/root${path}`;
  }

  /** @param {readonly string[]} args */
  mount(...args) {
    this.#run('mount', args);
  }

  /** @param {string} path */
  unmount(path) {
    this.#run('umount', [path]);
  }

  /**
   * @param {string} command
   * @param {readonly string[]} args
   */
  #run(command, args) {
    const [enter = '', ...options] = this.before;
    const { status, stderr } = spawnSync(enter, [...options, command, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr.trim()}`);
  }
}
