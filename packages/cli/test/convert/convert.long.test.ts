// Its law has more cases in the long run.
import './convert.test.ts';
