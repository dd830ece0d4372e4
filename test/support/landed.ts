import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrationFiles, type MigrationFile } from '../../core/database/migrations.ts'

/** The migrations that a commit had, by the beginnings of their checksums. */
export interface LandedCommit { commit: string; files: Record<string, string> }

interface LandedRecord { commits: LandedCommit[]; final: Record<string, string>; earlier: Record<string, string> }

/**
 * Migrations as commits had them until their checksums were kept: of each commit that changed some what it changed, the
 * checksum that counts, and the text of those that were edited later. From then on no migration changes.
 */
const record = JSON.parse(readFileSync(new URL('../core/database/landed.json', import.meta.url), 'utf8')) as LandedRecord

/** Checksums of the migrations that had landed by then, none of which may change. */
export const finalChecksums: Readonly<Record<string, string>> = record.final

/** The migrations of every landed commit that changed them, whole. */
export function landedCommits(): LandedCommit[] {
  const files: Record<string, string> = {}
  return record.commits.map((one) => ({ commit: one.commit, files: { ...Object.assign(files, one.files) } }))
}

export const shortChecksum = (text: string | Buffer) => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The files that a commit had, those of today where they are the same. They lie in a folder that `remove` removes. */
export async function landedFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-landed-'))
  const today = await migrationFiles()
  const bySum = new Map(today.map((file) => [file.checksum.slice(0, 16), file]))
  for (const [sum, text] of Object.entries(record.earlier)) {
    const path = join(folder, `${sum}.ts`)
    writeFileSync(path, text)
    bySum.set(sum, { name: '', path, checksum: sum })
  }
  return {
    of({ commit, files }: LandedCommit): MigrationFile[] {
      return Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => {
        const file = bySum.get(sum)
        if (!file) throw new Error(`Migration ${name} of ${commit} is not that of today and was not kept`)
        return { ...file, name }
      })
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
