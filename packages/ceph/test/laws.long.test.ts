// These tests have more cases in the long run.
import './importer/budgets.test.ts';
import './importer/joined.test.ts';
import './importer/laws.test.ts';
