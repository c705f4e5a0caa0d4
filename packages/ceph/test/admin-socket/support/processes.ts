import { spawnSync } from 'node:child_process';

/** Leaves a socket behind, by killing a process that listens on it. */
export function leaveSocket(path: string): void {
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script], { timeout: 90_000 });
}
