import { globSync } from 'node:fs'
import { join } from 'node:path'

/** The root of the repository. */
export const root = join(import.meta.dirname, '../..')

/** The folders whose code is changed, and the machines of the areas. */
const targets = [
  'core/kernel/**/*.ts',
  'core/http/**/*.ts',
  'core/database/**/*.ts',
  'core/queue/**/*.ts',
  'core/features/identity/**/*.ts',
  'core/features/**/*machine.ts',
]

/**
 * What the judges could not notice a change in: a migration has run long ago, an index has no code, and the owners of
 * tables are read by the rules of the repository alone.
 */
const exceptions = ['core/database/migrations/**', 'core/**/index.ts', 'core/database/tables.ts']

/**
 * The tests that judge: those of the same folders first, then those that go through the same code for other reasons.
 * A mutant that only other tests would notice counts as a survivor.
 */
const judges = [
  'test/core/{kernel,http,database,queue,identity}/**/*.test.ts',
  'test/core/{app,start,commands,accounts,applications,events,outbound,dpp/passports,dpp/sheets,imports/staging,certification/keys}/**/*.test.ts',
  'test/access/**/*.test.ts',
  'test/house/document/document.test.ts',
]

const listFiles = (patterns: readonly string[]) => [
  ...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).sort())),
]

/** Lists the modules in which mutants stand, as paths from the root. @param only beginnings of paths; [] means all */
export function listTargetFiles(only: readonly string[] = []): string[] {
  const left = new Set(listFiles(exceptions))
  return listFiles(targets)
    .filter((file) => !left.has(file) && (only.length === 0 || only.some((start) => file.startsWith(start))))
    .sort()
}

/** Lists the test files that judge mutants, nearest first. */
export const listJudgeFiles = (): string[] => listFiles(judges)
