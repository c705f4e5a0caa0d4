// The long run has clusters of all sizes.
import './page.test.ts';
