// More cases of the laws than the tests have time for.
import './laws.test.ts';
