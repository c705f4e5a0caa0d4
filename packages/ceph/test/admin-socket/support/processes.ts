import { spawnSync } from 'node:child_process';

/** What a process leaves that is killed while it listens. */
export function leaveSocket(path: string): void {
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script], { timeout: 20_000 });
}
