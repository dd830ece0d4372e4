/**
 * Test files that take 15 s and longer on two processors, or 10 s without starting anything. They begin first, so that
 * no process works on one of them while the others have nothing left. The end of a run prints the slowest files of each
 * lane.
 */
export const slowFiles: readonly string[] = [
  'test/fuzz/fuzz.test.ts',
  'test/core/commands/backup/restore.test.ts',
  'test/chains/engine/faults.test.ts',
  'test/core/app/production.test.ts',
  'test/proof/large/import-readers.test.ts',
  'test/core/queue/upkeep/retention.test.ts',
  'test/core/commands/admin/admin.test.ts',
  'test/core/commands/persons/persons.erase.test.ts',
  'test/proof/kills/kills.test.ts',
  'test/core/queue/engine/worker-deaths.test.ts',
  'test/core/commands/backup/backup.test.ts',
  'test/core/http/serve/outages.test.ts',
  'test/core/start/process-family.test.ts',
  'test/proof/outages/clock.test.ts',
  'test/core/database/landed.test.ts',
  'test/core/embedded/parts.test.ts',
  'test/proof/outages/outages.test.ts',
  'test/readme.test.ts',
  'test/core/certification/rotation/did-web.rotation.test.ts',
  'test/pages/claim.test.ts',
  'test/pages/passport.test.ts',
  'test/core/dpp/tokens/mint.test.ts',
  'test/core/dpp/certificates/races.test.ts',
  'test/pages/sign-in.test.ts',
]
