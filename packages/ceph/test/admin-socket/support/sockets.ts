import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminSocketOptions, type RunningAdminSocket, serveAdminSocket } from '../../../src/index.ts';

/** A folder for sockets, and servers in it. Both are removed after each test. */
export interface Sockets {
  pathOf(name: string): string;
  serve(options?: Partial<AdminSocketOptions>): Promise<RunningAdminSocket>;
}

export function useSockets(): Sockets {
  const running: RunningAdminSocket[] = [];
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-asok-'));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.close()));
    rmSync(folder, { recursive: true });
  });
  const pathOf = (name: string): string => join(folder, name);
  return {
    pathOf,
    async serve(options = {}) {
      const server = await serveAdminSocket({ path: pathOf('x.asok'), ...options });
      running.push(server);
      return server;
    },
  };
}
