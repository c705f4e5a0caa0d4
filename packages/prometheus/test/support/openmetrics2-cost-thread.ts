import { answer, measureLeast, taskOfThread } from '@hdrscope/testing/threads';
import { prometheusHandler } from '../../src/index.ts';
import { OPENMETRICS_2, PROTOBUF } from './http.ts';
import { respond } from './respond.ts';
import { recordThousandSeries } from './thousand-series.ts';

// How many times the bytes and the processor time of protobuf a scrape of OpenMetrics 2 takes, when all series have changed.

const limit = taskOfThread<number>();
const { registry, record } = recordThousandSeries();
const handler = prometheusHandler(registry);
const bytes = { openmetrics2: 0, protobuf: 0 };
const scrape = (form: keyof typeof bytes, accept: string) => async (): Promise<void> => {
  const { body } = await respond(handler, { accept, 'accept-encoding': 'gzip' });
  bytes[form] = body.length;
};
const { openmetrics2, protobuf } = await measureLeast(
  { protobuf: scrape('protobuf', PROTOBUF), openmetrics2: scrape('openmetrics2', OPENMETRICS_2) },
  ({ openmetrics2, protobuf }) => openmetrics2 <= limit * protobuf,
  {
    rounds: 60,
    prepare: () => {
      record(1);
      return registry.gather();
    },
  },
);
answer({ bytes: bytes.openmetrics2 / bytes.protobuf, processorTime: openmetrics2 / protobuf });
