import { createServer, type Server } from 'node:http';
import { dashboardHandler } from '@hdrscope/dashboard';
import { readHistograms } from '@hdrscope/interval-log';
import { plotsOfLog } from '@hdrscope/plot';
import type { Registry } from '@hdrscope/registry';

/** The live page of the demo. */
export interface Page {
  /** Does not listen yet. */
  readonly server: Server;
  /** Ends the streams to open pages. Until then, the server cannot close. */
  end(): void;
}

/** Makes the page of a registry. It also shows logs and distributions, in nanoseconds, that are dropped on it. */
export function createPage(registry: Registry): Page {
  const dashboard = dashboardHandler(registry, {
    title: 'hdrscope demo',
    openFile: (_, bytes) => plotsOfLog(readHistograms(bytes)),
  });
  return { server: createServer(dashboard.handle), end: dashboard.close };
}
