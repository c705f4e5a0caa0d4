import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInstalled, type PeerName, programOf } from '@hdrscope/testing';
import { waitFor } from './peer-process.ts';

const SERVICES = fileURLToPath(new URL('../services', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** A process of an application. */
export interface Running {
  readonly child: ChildProcess;
  /** Where it answers requests. */
  readonly url: string;
  stdout(): string;
  stderr(): string;
  /** Its exit code, or the name of the signal that ended it. */
  readonly exit: Promise<number | string>;
}

/** A folder with services and the packages that they have installed. */
export class Application {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'hdrscope-application-'));
  readonly #children = new Set<ChildProcess>();

  /**
   * @param installed Names of packages in `node_modules` of the workspace; with `=`, another folder that has one.
   * @param dependencies Those in package.json.
   */
  constructor(installed: readonly string[], dependencies: readonly string[] = []) {
    cpSync(SERVICES, this.folder, { recursive: true });
    const manifest = {
      name: 'shop',
      private: true,
      scripts: { start: 'node express.cjs' },
      dependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])),
    };
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify(manifest));
    for (const one of installed) {
      const [name = '', folder = name] = one.split('=');
      const link = join(this.folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(resolve(MODULES, folder), link);
    }
  }

  /** Starts Node.js, or another program, in the folder, and waits until the service listens. */
  async start(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    program: string = process.execPath,
  ): Promise<Running> {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { PATH, HOME, OTEL_TRACES_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const exit = once(child, 'close').then(([code, signal]) => {
      this.#children.delete(child);
      return (code ?? signal) as number | string;
    });
    const port = await waitFor(
      () => {
        const found = /listening on (\d+)/.exec(stdout)?.[1];
        if (found === undefined && child.exitCode !== null)
          throw new Error(`the service has ended: ${stderr}`);
        return found;
      },
      { what: 'a service that listens' },
    );
    return { child, url: `http://127.0.0.1:${port}`, stdout: () => stdout, stderr: () => stderr, exit };
  }

  /** Ends what still runs, and removes the folder. */
  async remove(): Promise<void> {
    await Promise.all(
      [...this.#children].map((child) => {
        child.kill('SIGKILL');
        return once(child, 'exit');
      }),
    );
    rmSync(this.folder, { recursive: true });
  }
}

/** Packages of a peer, for an {@link Application}. There are none where the peer is not installed. */
export function findPeerPackages(peer: PeerName, names: readonly string[]): string[] {
  if (!isInstalled(peer)) return [];
  return names.map((entry) => {
    const [name = '', folder = name] = entry.split('=');
    return `${name}=${join(programOf(peer), folder)}`;
  });
}

/** Asks a service for items 1 to `count`, one after the other, and then to end. */
export async function visit({ url }: Running, count: number): Promise<void> {
  for (let id = 1; id <= count; id++) await request(`${url}/items/${id}`);
}

/** Asks a service to end, and returns its exit code. */
export async function quit(service: Running): Promise<number | string> {
  await request(`${service.url}/quit`);
  return service.exit;
}

async function request(url: string): Promise<void> {
  const response = await fetch(url, { headers: { connection: 'close' } });
  await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
}
