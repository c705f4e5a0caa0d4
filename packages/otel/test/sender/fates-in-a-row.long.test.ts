// The same law, with many cases.
import './fates-in-a-row.test.ts';
