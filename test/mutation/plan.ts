import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { instrumentModule, type Mutant } from './mutants/instrument.ts'
import { listTargetFiles, root } from './targets.ts'

/** All mutants of the product as it is now, and the folder where the run keeps what it knows of them. */
export interface MutationPlan {
  folder: string
  /** The modules with their mutants, by their path from the root. */
  codeFolder: string
  mutants: readonly Mutant[]
}

/**
 * Writes every module with its mutants into a temporary folder that belongs to exactly these sources: a later run on
 * the same sources goes on there.
 */
export function preparePlan(): MutationPlan {
  const sources = listTargetFiles().map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }))
  const hash = createHash('sha256').update(root)
  for (const { file, source } of sources) hash.update(`\0${file}\0${source}`)
  const folder = join(tmpdir(), `tessera-mutants-${hash.digest('hex').slice(0, 12)}`)
  const codeFolder = join(folder, 'code')
  const planFile = join(folder, 'mutants.json')
  if (existsSync(planFile)) {
    return { folder, codeFolder, mutants: JSON.parse(readFileSync(planFile, 'utf8')) as Mutant[] }
  }
  const mutants: Mutant[] = []
  for (const { file, source } of sources) {
    const instrumented = instrumentModule(file, source, mutants.length + 1)
    mutants.push(...instrumented.mutants)
    mkdirSync(dirname(join(codeFolder, file)), { recursive: true })
    writeFileSync(join(codeFolder, file), instrumented.text)
  }
  writeFileSync(planFile, JSON.stringify(mutants))
  return { folder, codeFolder, mutants }
}
