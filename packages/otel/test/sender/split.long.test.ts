import { expectNothingLost } from './fates.ts';

test.each(['http/protobuf', 'http/json'] as const)(
  'whatever happens to some requests of a delivery, no part is lost and none is sent after it was taken: %s',
  async (protocol) => {
    await expectNothingLost(protocol, 30);
  },
);
