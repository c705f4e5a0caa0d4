/** All scenarios. */
import { killAgent, reload, socketGone } from './scenarios/agent.js';
import { bitFlips } from './scenarios/bit-flips.js';
import { clockSteps } from './scenarios/clock-steps.js';
import { collectorGone } from './scenarios/collector-gone.js';
import { fullDisk, readOnlyFolder } from './scenarios/disks.js';
import { killLog } from './scenarios/kill-log.js';
import { killOtlp } from './scenarios/kill-otlp.js';
import { proxyFails } from './scenarios/proxy.js';
import { receiverGone } from './scenarios/receiver-gone.js';
import { stopService } from './scenarios/stop-service.js';
import { killChild, killCluster, killThread, stopWorker } from './scenarios/workers.js';

/** @type {readonly import('./scenario.js').Scenario[]} */
export const scenarios = [
  killLog,
  killOtlp,
  killThread,
  killChild,
  killCluster,
  killAgent,
  reload,
  socketGone,
  receiverGone,
  collectorGone,
  stopService,
  stopWorker,
  fullDisk,
  readOnlyFolder,
  clockSteps,
  proxyFails,
  bitFlips,
];
