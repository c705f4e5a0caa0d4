/** Whether a metric is one of hdrscope itself, such as `hdrscope.agent.gather.duration`: nobody looks for its changes in an incident. */
export function isOwnMetric(name: string): boolean {
  return /^hdrscope[._]/.test(name);
}
