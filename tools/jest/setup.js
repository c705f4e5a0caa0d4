import { createExpect } from './expect.js';

Reflect.set(globalThis, 'expect', createExpect(expect));
