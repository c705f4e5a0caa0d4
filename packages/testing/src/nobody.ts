import { type SpawnSyncReturns, spawnSync } from 'node:child_process';

/** Runs Node.js as a user who owns nothing and has no capability. */
export function spawnNodeAsNobody(args: readonly string[]): SpawnSyncReturns<string> {
  const nobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
  return spawnSync('setpriv', [...nobody, process.execPath, ...args], { encoding: 'utf8', cwd: '/' });
}

/** The reason why Node.js cannot run as another user here; `undefined` where it can. */
export function whyNotAsNobody(): string | undefined {
  const { status, error } = spawnNodeAsNobody(['--version']);
  if (error !== undefined) return 'there is no setpriv';
  return status === 0 ? undefined : 'this process cannot run Node.js as another user';
}
