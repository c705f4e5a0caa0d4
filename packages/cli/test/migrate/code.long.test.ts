// The laws of these files have more cases in the long run, and the services are all there.
import './code.test.ts';
import './code-laws.test.ts';
