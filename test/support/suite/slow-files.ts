/**
 * Test files that take 15 s and longer on two processors, or 10 s without starting anything. They begin first, so that
 * no process works on one of them while the others have nothing left. The end of a run prints the slowest files of each
 * lane. A file that takes longer than half a minute belongs to the long tests, unless nothing else guards what it holds.
 */
export const slowFiles: readonly string[] = [
  'test/fuzz/fuzz.test.ts',
  'test/proof/kills/kills.test.ts',
  'test/readme.test.ts',
  'test/core/database/migrations.test.ts',
  'test/access/abuse.test.ts',
  'test/core/organization/quotas.test.ts',
  'test/pages/passport.test.ts',
  'test/core/dpp/tokens/mint.test.ts',
  'test/pages/places/places.test.ts',
  'test/pages/claim.test.ts',
  'test/pages/docs/reference.test.ts',
  'test/access/access-rules.test.ts',
]
