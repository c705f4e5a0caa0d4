import { describeUnless, lackOfBuild, lackOfPeer } from '@hdrscope/testing';
import { FrameworkApplication } from '../frameworks/application.js';
import { SUBJECTS } from '../frameworks/subjects.js';

describeUnless(
  lackOfBuild('otel'),
  lackOfPeer('frameworks'),
  lackOfPeer('frameworks-previous'),
)('register counts each request', () => {
  test.each(SUBJECTS.map((subject) => [subject.name, subject] as const))(
    'of %s, and names what is missing for it',
    async (_, subject) => {
      const application = new FrameworkApplication(subject);
      try {
        for (const modules of subject.modules)
          expect(await application.run(process.execPath, modules, true)).toEqual({
            isFound: true,
            warnings: [],
          });
        const { isFound, warnings } = await application.run(process.execPath, subject.modules[0]!, false);
        expect(isFound).toBe(false);
        // Whoever has no instrumentation of clients may not want one.
        expect(warnings).toHaveLength(subject.name.startsWith('clients') ? 0 : 1);
      } finally {
        application.remove();
      }
    },
    300_000,
  );
});
