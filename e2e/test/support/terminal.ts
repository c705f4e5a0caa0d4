import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a command has printed, on both of its outputs, and how it ended. */
export interface Typed {
  readonly output: string;
  readonly exitCode: number | null;
}

// A network of their own, where the machine allows one: the ports of the documents may be in use.
const OWN_NETWORK = 'ip link set lo up && exec bash';
const NETWORK: readonly string[] =
  spawnSync('unshare', ['-n', 'sh', '-c', 'ip link set lo up']).status === 0 ? ['unshare', '-n'] : [];

// The documents show what a terminal of 80 columns without colours shows.
const { FORCE_COLOR, COLUMNS, NO_COLOR, ...environment } = process.env;
const ENVIRONMENT = { ...environment, LC_ALL: 'C.UTF-8', TZ: 'UTC' };

/** Ends the output of each command, with its exit code. */
const END = '\u001e';

/** How long the output of a job in the background is waited for. */
const PATIENCE_MS = 60_000;

/** How long a command may take to end after Ctrl-C. */
const END_MS = 15_000;

/** How long any command may take: less than a test may. */
const LONGEST_MS = 100_000;

/** A shell of a reader who types the commands of a document one after the other. */
export class Terminal {
  readonly #folder: string;
  readonly #shell: ChildProcess;
  #output = '';

  constructor(folder: string) {
    this.#folder = folder;
    this.#shell = this.#start();
    this.#shell.stdout!.setEncoding('utf8').on('data', (text) => {
      this.#output += text;
    });
    this.#shell.stdin!.write('exec 2>&1; set -m\n');
  }

  #start(): ChildProcess {
    const [program, ...args] = NETWORK.length > 0 ? [...NETWORK, 'sh', '-c', OWN_NETWORK] : ['bash'];
    return spawn(program!, args, { cwd: this.#folder, env: ENVIRONMENT, detached: true });
  }

  /**
   * Types a command and waits for its end. A job in the background stays.
   *
   * @param isComplete Whether a job in the background has printed what it should. It is waited for. @default it has
   */
  async type(command: string, isComplete: (output: string) => boolean = () => true): Promise<Typed> {
    this.#output = '';
    this.#shell.stdin!.write(`{ ${command}\n} < /dev/null; printf '${END}%s\\n' $?\n`);
    const startedAt = performance.now();
    for (;;) {
      const exitCode = new RegExp(`${END}(\\d+)\\n`).exec(this.#output)?.[1];
      const output = withoutNpm(this.#output.replace(new RegExp(`${END}\\d+\\n`), ''));
      const waitedMs = performance.now() - startedAt;
      if (exitCode !== undefined && (isComplete(output) || waitedMs > PATIENCE_MS)) {
        return { output, exitCode: Number(exitCode) };
      }
      if (this.#shell.exitCode !== null) throw new Error(`the shell has ended: ${this.#output}`);
      if (waitedMs > LONGEST_MS) throw new Error(`${command} does not end: ${this.#output}`);
      await sleep(20);
    }
  }

  /** Types a question to a server of this machine, and again when the answer is not there yet, as a reader does. */
  async typeUntilAnswered(command: string, isAnswered: (output: string) => boolean): Promise<Typed> {
    const startedAt = performance.now();
    for (;;) {
      const typed = await this.type(command);
      if (isAnswered(typed.output) || performance.now() - startedAt > PATIENCE_MS) return typed;
      await sleep(500);
    }
  }

  /** Types a command that does not end by itself, and Ctrl-C after its first output. */
  async typeUntilPrinted(command: string): Promise<Typed> {
    const shell = this.#start();
    let output = '';
    for (const stream of [shell.stdout!, shell.stderr!]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    const closed = once(shell, 'close');
    shell.stdin!.end(`${command} < /dev/null\n`.replace(/^(.*\|.*) < \/dev\/null$/m, '$1'));
    const giveUpAt = performance.now() + LONGEST_MS;
    const isPatient = (): boolean => performance.now() < giveUpAt;
    while (withoutNpm(output) === '' && shell.exitCode === null && isPatient()) await sleep(20);
    await sleep(300);
    if (shell.exitCode === null) process.kill(-shell.pid!, 'SIGINT');
    const killing = setTimeout(() => killSession(shell.pid!), END_MS);
    const [exitCode] = await closed;
    clearTimeout(killing);
    return { output: withoutNpm(output), exitCode };
  }

  /** Ends the shell and its jobs. */
  async close(): Promise<void> {
    if (this.#shell.exitCode !== null) return;
    const closed = once(this.#shell, 'close');
    killSession(this.#shell.pid!);
    await closed;
  }
}

/**
 * Kills the leader of a session and all processes in it. Each job is a group of processes: npx has the command as its child. The
 * session is in `/proc/PID/stat`: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
function killSession(leader: number): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name of the program, in brackets, may have blanks.
      const session = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3];
      if (Number(session) === leader) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** npm warns of the settings of a machine, and of newer versions of itself. */
function withoutNpm(output: string): string {
  return output.replace(/^npm (warn|notice).*\n/gm, '');
}
