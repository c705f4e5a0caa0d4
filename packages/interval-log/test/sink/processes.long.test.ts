// More processes are killed in the long run.
import './processes.test.ts';
