import { REFUSAL_REASONS, type ServerRefusals } from '@hdrscope/kit/server';
import type { MetricFamily } from './families.ts';

/** What a server of metrics has refused, as a family. Reasons without a refusal are left out. */
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
