import { byType, type SinkPart } from '../part.ts';
import { adminSocket } from './admin-socket.ts';
import { dashboard } from './dashboard.ts';
import { health } from './health.ts';
import { history } from './history.ts';
import { intervalLog } from './interval-log.ts';
import { otlp } from './otlp.ts';
import { prometheus } from './prometheus.ts';
import { remoteWrite } from './remote-write.ts';
import { textfile } from './textfile.ts';

/** All sinks by their types, in the order of the configuration that `hdrscope config init` writes. */
export const SINKS: ReadonlyMap<string, SinkPart> = byType([
  prometheus,
  intervalLog,
  history,
  otlp,
  remoteWrite,
  textfile,
  adminSocket,
  dashboard,
  health,
]);
