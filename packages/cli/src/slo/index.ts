import type { Group } from '../command-module.ts';

/** `hdrscope slo`: one module for each command, loaded when it runs. */
export const group: Group = {
  path: 'hdrscope slo',
  description: 'Works on service level objectives: shares of requests within a threshold.',
  commands: [
    {
      name: 'rules',
      summary: 'prints recording and alerting rules for Prometheus',
      load: () => import('./rules.ts'),
    },
    {
      name: 'report',
      summary: 'says how an objective would have been kept, by day, from a history',
      load: () => import('./report.ts'),
    },
  ],
  examples: [
    'hdrscope slo rules --metric http_request_duration_seconds --threshold 300ms --objective 99.9%',
    'hdrscope slo report history --metric rpc.duration --threshold 250ms --objective 99.9%',
  ],
};
