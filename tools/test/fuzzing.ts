import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { SOURCE_ARGUMENTS } from '../lib/import-source.js';
import { workspaceRoot } from '../lib/workspace.js';

export const SEED = 20_260_101;

/** Runs `npm run fuzz`. */
export async function fuzz(...args: string[]): Promise<{ code: number | null; output: string }> {
  const program = join(workspaceRoot, 'tools/fuzz/main.js');
  const child = spawn(process.execPath, [...SOURCE_ARGUMENTS, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 800_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}
