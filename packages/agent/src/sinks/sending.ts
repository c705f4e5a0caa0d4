import type { EntryContext, Running } from '../entry.ts';
import type { EntryDelivery } from '../health.ts';
import { withoutUser } from './without-user.ts';

/** A sender that works for a sink. */
interface Sender {
  stop(options: { readonly timeoutMs: number }): Promise<void>;
}

/** What a sender reports to its sink. */
interface Observer {
  succeeded(): void;
  failed(error: Error): void;
}

/**
 * Starts a sender as a sink: the health of the sink shows its deliveries and failures.
 *
 * @param deliveryOf All that the sink has delivered, by this sender and by those before it.
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
        await sender.stop({ timeoutMs: context.shutdownTimeoutMs });
      } finally {
        report();
      }
    },
  };
}
