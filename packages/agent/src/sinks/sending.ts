import type { EntryContext, Running } from '../entry.ts';
import type { EntryDelivery } from '../health.ts';
import { withoutUser } from './without-user.ts';

/** A sender that works for a sink. */
interface Sender {
  close(options: { readonly timeoutMs: number }): Promise<void>;
}

/** Hears the reports of a sender. */
interface Observer {
  succeeded(): void;
  failed(error: Error): void;
}

/**
 * Starts a sender as a sink: the health of the sink shows its deliveries and failures.
 *
 * @param deliveryOf Returns the deliveries of the sink: those of this sender and of earlier ones.
 */
export function startSending<Own extends Sender>(
  url: string,
  context: EntryContext,
  start: (observer: Observer) => Own,
  deliveryOf: (sender: Own) => EntryDelivery,
): Running {
  const report = (): void => context.delivered(deliveryOf(sender));
  const sender = start({
    succeeded() {
      report();
      context.succeeded();
    },
    failed(error) {
      report();
      context.failed(error);
    },
  });
  report();
  return {
    note: withoutUser(url),
    async stop() {
      try {
        await sender.close({ timeoutMs: context.shutdownTimeoutMs });
      } finally {
        report();
      }
    },
  };
}
