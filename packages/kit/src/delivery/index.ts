// Entry `@hdrscope/kit/delivery`: requests of senders on Node.js, and how long they wait after a failure.
export { backoffMs, type DeliveryHints, retryAfterMs } from './backoff.ts';
export { chunkBytes, type GzipOptions, gzipInSlices } from './gzip.ts';
export { intervalTicks } from './interval-ticks.ts';
export { DeliveryLoop, type DeliveryPace, type DeliveryTurns } from './loop.ts';
export { MOST_ANSWER_BYTES, mayBeTaken, type PostedRequest, type PostOutcome, post } from './post.ts';
export { causeOf, isAboutFuture, quoted } from './said.ts';
export { DeliveryTimes } from './times.ts';
export { type SenderTlsFiles, tls, tlsOptionsOf, url } from './tls.ts';
