// The law of this file has more cases in the long run.
import './identity.test.ts';
