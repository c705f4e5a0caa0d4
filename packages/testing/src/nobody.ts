import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { type Lack, lack, lackOfProgram } from './needs.ts';

/** Runs Node.js as a user who owns nothing and has no capability. */
export function spawnNodeAsNobody(args: readonly string[]): SpawnSyncReturns<string> {
  const nobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
  return spawnSync('setpriv', [...nobody, process.execPath, ...args], { encoding: 'utf8', cwd: '/' });
}

/** Node.js cannot run as another user here. `undefined` where it can. */
export function lackOfNobody(): Lack | undefined {
  const reason = 'this process cannot run Node.js as another user';
  return (
    lackOfProgram('setpriv') ??
    lack('nobody', spawnNodeAsNobody(['--version']).status === 0 ? undefined : reason)
  );
}
