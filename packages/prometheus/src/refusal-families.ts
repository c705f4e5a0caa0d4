import { REFUSAL_REASONS, type ServerRefusals } from '@hdrscope/kit/server';
import type { MetricFamily } from './families.ts';

/** The refusals of a server of metrics as a family, which has the reasons with at least one refusal. */
export function refusalFamilies(refusals: Readonly<ServerRefusals>): MetricFamily[] {
  const reasons = REFUSAL_REASONS.filter((reason) => refusals[reason] > 0);
  if (reasons.length === 0) return [];
  return [
    {
      name: 'hdrscope_server_refusals',
      help: 'Requests and connections that the server of metrics has refused',
      unit: '',
      type: 'counter',
      metrics: reasons.map((reason) => ({
        labels: [['reason', reason]],
        value: { kind: 'number', value: refusals[reason] },
      })),
    },
  ];
}
