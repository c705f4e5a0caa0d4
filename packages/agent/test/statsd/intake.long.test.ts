// Its law has more cases in the long run.
import './intake.test.ts';
