import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isInstalled, type PeerName, whyNotInstalled } from './peers.ts';

/** Something that a test needs beside Node.js, npm and git, and that this machine does not have. */
export interface Lack {
  /** What `HDRSCOPE_REQUIRE_PEERS` calls it; `undefined` for what runs on request only, so that nothing requires it. */
  readonly name: string | undefined;
  /** Why it is not there, with the cure where there is one. */
  readonly reason: string;
}

/** `1` requires everything; a list of names requires these. What is required fails where it is missing. */
const REQUIRED = (process.env.HDRSCOPE_REQUIRE_PEERS ?? '').split(/[\s,]+/);

/** @param reason `undefined` where the machine has it. */
export function lack(name: string | undefined, reason: string | undefined): Lack | undefined {
  return reason === undefined ? undefined : { name, reason };
}

/** The peer is not installed: see `tools/peers`. `undefined` where it is. */
export function lackOfPeer(name: PeerName): Lack | undefined {
  return lack(name, isInstalled(name) ? undefined : whyNotInstalled(name));
}

/** The path of a program; `undefined` where it is not in the PATH. */
export function findProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** The program is not in the PATH. `undefined` where it is. */
export function lackOfProgram(name: string): Lack | undefined {
  return lack(name, findProgram(name) === undefined ? `there is no ${name} in the PATH` : undefined);
}

/** The file or folder does not exist. `undefined` where it does. */
export function lackOfFile(path: string): Lack | undefined {
  return lack(path, existsSync(path) ? undefined : `there is no ${path}`);
}

/**
 * The package is not built. `undefined` where it is. Tests of several projects bundle before they run, which makes no declarations.
 *
 * @param output What the build makes. @default dist
 */
export function lackOfBuild(folder: string, output = 'dist'): Lack | undefined {
  const isBuilt = existsSync(join(import.meta.dirname, '../..', folder, output));
  return lack('build', isBuilt ? undefined : `packages/${folder} has no ${output}: npm run build`);
}

/** The attempt fails, which its error explains. `undefined` where it succeeds. */
export async function lackByTrial(name: string, attempt: () => unknown): Promise<Lack | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    return lack(name, (error as Error).message);
  }
}

/** npm cannot install packages that are not there: it reaches no registry. `undefined` where it does. */
export function lackOfRegistry(): Lack | undefined {
  const quickly = ['--fetch-retries=0', '--fetch-timeout=15000'];
  const { status } = spawnSync('npm', ['view', 'typescript', 'name', ...quickly], {
    timeout: 60_000,
  });
  return lack('registry', status === 0 ? undefined : 'npm reaches no registry of packages');
}

/** This process is not root. `undefined` where it is. */
export function lackOfRoot(): Lack | undefined {
  return lack('root', process.getuid?.() === 0 ? undefined : 'this process is not root');
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

type Lacks = readonly (Lack | undefined)[];

/** `describe`. Where something is lacking, the body does not run at all: see {@link testUnless}. */
export function describeUnless(...lacks: Lacks): (title: string, tests: () => void) => void {
  const found = lacks.find((one) => one !== undefined);
  if (found === undefined) return describe;
  return (title) => describe(title, () => testUnless(found)('needs what is not here', () => {}));
}

/** {@link describeUnless} for tests of peers. */
export function describeWithPeers(names: readonly PeerName[]): (title: string, tests: () => void) => void {
  // Bounded: a test needs few peers.
  return describeUnless(...names.map(lackOfPeer));
}

/**
 * `test`. Where something is lacking, the test is skipped, and the reason is printed for the report of the run. It fails
 * instead where `HDRSCOPE_REQUIRE_PEERS` requires what is lacking.
 */
export function testUnless(...lacks: Lacks): typeof test {
  const found = lacks.find((one) => one !== undefined);
  if (found === undefined) return test;
  const { name } = found;
  if (name !== undefined && (REQUIRED.includes('1') || REQUIRED.includes(name))) return failing(found);
  console.log(`skipped: ${found.reason}`);
  return test.skip as typeof test;
}

/** `test` whose tests fail with the reason. */
function failing({ name, reason }: Lack): typeof test {
  const fail = (title: string): void =>
    test(title, () => {
      throw new Error(`HDRSCOPE_REQUIRE_PEERS requires ${name}, and ${reason}`);
    });
  return Object.assign(fail, { each: () => fail }) as unknown as typeof test;
}
