import { createServer, type Server } from 'node:http';
import { dashboardHandler } from '@hdrscope/dashboard';
import { readHistograms } from '@hdrscope/interval-log';
import { plotsOfLog } from '@hdrscope/plot';
import type { Registry } from '@hdrscope/registry';

/** The live page of the demo. */
export interface Page {
  /** Not yet listening. */
  readonly server: Server;
  /** Ends what is sent to those who watch: a server closes when all that it answers has ended. */
  end(): void;
}

/** Shows a registry, and the logs and distributions that are dropped on the page: those in nanoseconds. */
export function createPage(registry: Registry): Page {
  const dashboard = dashboardHandler(registry, {
    title: 'hdrscope demo',
    openFile: (_, bytes) => plotsOfLog(readHistograms(bytes)),
  });
  return { server: createServer(dashboard.handle), end: dashboard.close };
}
