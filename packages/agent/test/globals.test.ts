test('the import of the agent changes no global', async () => {
  // What another copy of zod has put there.
  const other = { postProcessor: undefined };
  Object.assign(globalThis, { __zod_globalConfig: other });
  const before = new Map(Object.entries(Object.getOwnPropertyDescriptors(globalThis)));
  const { parseConfig } = await import('../src/index.ts');
  const { config } = parseConfig('sources: []\nsinks: [{ type: prometheus, listen: "localhost:0" }]');
  expect(config?.sinks[0]?.name).toBe('prometheus');
  const after = new Map(Object.entries(Object.getOwnPropertyDescriptors(globalThis)));
  expect([...after.keys()].filter((name) => !before.has(name))).toEqual([]);
  expect(after.get('__zod_globalConfig')?.value).toBe(other);
});
