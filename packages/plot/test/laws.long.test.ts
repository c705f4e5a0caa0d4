// The laws of these files have more cases in the long run.
import './data/true-curves.test.ts';
import './render/hostile-texts.test.ts';
