import { lockName } from '@hdrscope/kit/files';

const name = `kit test ${process.pid}`;

(process.platform === 'linux' ? test : test.skip)('a name is locked once, until it is unlocked', async () => {
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
