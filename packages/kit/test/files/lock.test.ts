import { lockName } from '@hdrscope/kit/files';
import { testUnless } from '@hdrscope/testing';

const name = `kit test ${process.pid}`;

const lackOfLocks =
  process.platform === 'linux' ? undefined : { name: undefined, reason: 'names are locked on Linux only' };

testUnless(lackOfLocks)('a name is locked once, until it is unlocked', async () => {
  const unlock = await lockName(name);
  expect(unlock).toBeDefined();
  expect(await lockName(name)).toBeUndefined();
  const other = await lockName(`${name}, another one`);
  await other!();
  await unlock!();
  const again = await lockName(name);
  expect(again).toBeDefined();
  await again!();
});
