// The laws of these files have more cases in the long run.
import './data/bounded-curves.test.ts';
import './data/true-curves.test.ts';
import './render/gallery.test.ts';
import './render/hostile-texts.test.ts';
