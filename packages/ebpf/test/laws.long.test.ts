// The laws of these files have more cases in the long run.
import './bpf/hostile-btf.test.ts';
import './source/hostile-output.test.ts';
import './bytecode/slot-steps.test.ts';
import './bytecode/terms.test.ts';
import './bytecode/slot-refusals.test.ts';
