/** The processes of a round. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const WATCHDOG = new URL('./watchdog.js', import.meta.url).href;

/** How long a process may take to start, or to end. This machine may be busy. */
const LONGEST_WAIT_MS = 60_000;

/** A process that this run has started. */
export class Process {
  /** What it has printed. */
  output = '';
  #child;
  #exit;

  /**
   * @param {string} command
   * @param {readonly string[]} args
   * @param {NodeJS.ProcessEnv} [environment]
   */
  constructor(command, args, environment = {}) {
    const env = { ...process.env, ...environment };
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.output += text;
      });
    }
    // A process that was killed does not read.
    this.#child.stdin.on('error', () => {});
    this.#exit = once(this.#child, 'close');
    // Whoever waits for the end hears of a command that does not exist.
    this.#exit.catch(() => {});
  }

  get pid() {
    return /** @type {number} */ (this.#child.pid);
  }

  get hasEnded() {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    this.#child.kill(signal);
  }

  /** @param {string} line */
  write(line) {
    this.#child.stdin.write(`${line}\n`);
  }

  /**
   * Waits until it has printed a text that matches.
   *
   * @param {RegExp} pattern
   * @param {number} [from] where in the output to begin
   */
  async printed(pattern, from = 0) {
    return waitFor(`${pattern} in the output of a process`, () => {
      const match = pattern.exec(this.output.slice(from));
      if (match === null && this.hasEnded) throw new Error(`a process has ended early: ${this.output}`);
      return match ?? undefined;
    });
  }

  /**
   * Waits for the end.
   *
   * @returns {Promise<number | string>} the exit code, or the signal that ended it
   */
  async ended() {
    const late = setTimeout(() => this.signal('SIGKILL'), LONGEST_WAIT_MS);
    try {
      const [code, signal] = await this.#exit;
      return code ?? signal;
    } finally {
      clearTimeout(late);
    }
  }

  /** Ends it in good order. */
  async stop() {
    this.signal('SIGTERM');
    const end = await this.ended();
    if (end !== 0) throw new Error(`a process must end with exit code 0, got ${end}: ${this.output}`);
  }

  /** Kills it. The moment is that of the call. */
  async kill() {
    this.signal('SIGKILL');
    await this.ended();
  }
}

/**
 * Starts a script of this folder.
 *
 * @param {string} name
 * @param {object} options
 * @param {object} options.settings Its only argument, as JSON.
 * @param {NodeJS.ProcessEnv} [options.environment]
 * @param {readonly string[]} [options.before] A command that runs Node.js, such as `nsenter`.
 */
export function startScript(name, { settings, environment, before = [] }) {
  const script = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const clock = environment?.CHAOS_CLOCK === undefined ? [] : ['--import', clockModule];
  const [command, ...args] = [
    ...before,
    process.execPath,
    '--import',
    WATCHDOG,
    ...clock,
    script,
    JSON.stringify(settings),
  ];
  return new Process(command ?? process.execPath, args, environment);
}

const clockModule = new URL('./wall-clock.js', import.meta.url).href;
const program = fileURLToPath(new URL('../../packages/cli/bin/hdrscope.js', import.meta.url));

/**
 * Starts `hdrscope run`.
 *
 * @param {string} config The path of its configuration.
 */
export function startAgent(config) {
  return startCommand(['run', config]);
}

/**
 * Starts a command of hdrscope.
 *
 * @param {readonly string[]} args
 */
export function startCommand(args) {
  return new Process(process.execPath, ['--import', WATCHDOG, program, ...args]);
}

/**
 * Asks repeatedly until there is an answer.
 *
 * @template Answer
 * @param {string} what
 * @param {() => Answer | undefined | false | Promise<Answer | undefined | false>} ask
 * @param {number} [longestMs]
 * @returns {Promise<Answer>}
 */
export async function waitFor(what, ask, longestMs = LONGEST_WAIT_MS) {
  const endMs = performance.now() + longestMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > endMs) throw new Error(`${what}: not within ${longestMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
