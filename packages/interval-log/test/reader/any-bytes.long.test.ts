import { describeAnyBytes } from './support/any-bytes.ts';

describeAnyBytes(300);
