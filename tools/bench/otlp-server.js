/** A process that receives OTLP: `node otlp-server.js http`, or `grpc`. It ends with its parent. */
import { serveOtlp } from '@hdrscope/otel/receiver';
import { createRegistry } from '@hdrscope/registry';

const protocol = process.argv[2] === 'grpc' ? 'grpc' : 'http';
const server = await serveOtlp(createRegistry(), {
  port: 0,
  protocol,
  maxStreams: 100_000,
  familyOptions: () => ({ cardinalityLimit: 100_000 }),
});
process.on('disconnect', () => process.exit());
process.send?.(server.port);
