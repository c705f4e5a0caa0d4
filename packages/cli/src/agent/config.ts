import type { Group } from '../command-module.ts';

/** `hdrscope config`: one module per command, loaded when it runs. */
export const group: Group = {
  path: 'hdrscope config',
  description: 'Writes and checks configurations of hdrscope run.',
  commands: [
    { name: 'init', summary: 'writes a configuration that runs as it is', load: () => import('./init.ts') },
    { name: 'check', summary: 'reports problems, with lines', load: () => import('./check.ts') },
    { name: 'schema', summary: 'prints the JSON schema, for editors', load: () => import('./schema.ts') },
  ],
  examples: ['hdrscope config init', 'hdrscope config check hdrscope.yaml'],
};
