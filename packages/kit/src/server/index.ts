// Entry `@hdrscope/kit/server`: HTTP servers on Node.js, with their limits and their access in one place.
export {
  ACCESS_RULES,
  Access,
  type AccessOptions,
  areEqual,
  assertToken,
  isBearer,
  isOfAnotherSite,
  type Refusal,
} from './access.ts';
export { Bodies, type BodyLimits, type IncomingBody, withPendingBytes } from './bodies.ts';
export {
  createGuardedHttp2Server,
  type GuardedHttp2Server,
  type StreamHandlers,
  type StreamRefusal,
} from './guarded-http2.ts';
export {
  createGuardedServer,
  GUARD_RULES,
  type GuardedHandler,
  type GuardedServerOptions,
  type GuardOptions,
  HEALTH_PATH,
  refuse,
} from './guarded-server.ts';
export { hostnameOf, inUrl, isLoopback } from './host.ts';
export { HttpRefusal } from './http-refusal.ts';
export { limitsOf, type ServerLimits } from './limits.ts';
export { host, type ListenAddress, listenAt, port } from './listen-at.ts';
export { noRefusals, REFUSAL_REASONS, type RefusalReason, type ServerRefusals } from './refusals.ts';
export { hasRoom, holdBytes, holdParts } from './room.ts';
export type { TlsFiles } from './tls.ts';
export { type PartsSink, writeParts } from './write-parts.ts';
