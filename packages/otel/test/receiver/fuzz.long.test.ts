// More bodies in the long run.
import './fuzz.test.ts';
