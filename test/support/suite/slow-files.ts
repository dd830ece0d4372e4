/**
 * Test files that take 15 s and longer on two processors, or 10 s without starting anything. They begin first, so that
 * no process works on one of them while the others have nothing left. The end of a run prints the slowest files of each
 * lane.
 */
export const slowFiles: readonly string[] = [
  'test/core/commands/backup/restore.test.ts',
  'test/chains/engine/faults.test.ts',
  'test/proof/kills/migration-kills.test.ts',
  'test/chains/engine/max-batches.test.ts',
  'test/core/imports/intake/decompression-bombs.test.ts',
  'test/core/commands/backup/backup.test.ts',
  'test/proof/kills/more-kills.test.ts',
  'test/core/http/limits/verify-fairness.test.ts',
  'test/core/http/serve/outages.test.ts',
  'test/core/queue/engine/worker-deaths.test.ts',
  'test/core/app/production.test.ts',
  'test/proof/kills/kills.test.ts',
  'test/core/commands/admin/admin.test.ts',
  'test/proof/kills/certify-kills.test.ts',
  'test/core/queue/upkeep/retention.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/pages/passport.test.ts',
  'test/readme.test.ts',
  'test/core/certification/rotation/did-web.rotation.test.ts',
  'test/core/dpp/certificates/races.test.ts',
  'test/core/commands/persons/persons.test.ts',
  'test/core/dpp/tokens/mint.test.ts',
  'test/pages/imports.test.ts',
  'test/proof/large/tool-requests.test.ts',
]
