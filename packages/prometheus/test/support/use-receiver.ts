import type { Registry } from '@hdrscope/registry';
import { type RemoteWriteOptions, type RemoteWriter, sendRemoteWrite } from '../../src/remote-write/index.ts';
import { startReceiver, take, type WrittenSeries } from './remote-write.ts';

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

interface Remote {
  /** The receiver of the running test. */
  readonly receiver: Receiver;
  /** A writer that sends when the test says so. It is stopped after the test. */
  writeTo(registry: Registry, options?: Partial<RemoteWriteOptions>): RemoteWriter;
  /** The series of the last request. */
  lastSeries(): WrittenSeries[];
}

/** Starts a receiver before each test, and checks after it that no sample went back in time. */
export function useReceiver(): Remote {
  let receiver: Receiver;
  const writers: RemoteWriter[] = [];
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    receiver.reply = take;
    await Promise.allSettled(writers.splice(0).map((writer) => writer.close()));
    await receiver.stop();
    expect(receiver.faults).toEqual([]);
  });
  return {
    get receiver() {
      return receiver;
    },
    writeTo(registry, options = {}) {
      const writer = sendRemoteWrite(registry, { url: receiver.url, intervalMs: 3_600_000, ...options });
      writers.push(writer);
      return writer;
    },
    lastSeries: () => receiver.requests.at(-1)!.series,
  };
}
