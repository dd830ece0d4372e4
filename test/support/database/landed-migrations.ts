import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listMigrationFiles, type MigrationFile } from '../../../core/database/migrations.ts'

/** The migrations of a commit, by the beginnings of their checksums. */
export interface LandedCommit {
  commit: string
  files: Record<string, string>
}

interface LandedRecord {
  commits: LandedCommit[]
  final: Record<string, string>
  earlier: Record<string, string>
}

/**
 * The migrations of the commits before checksums were kept: what each commit changed, the final checksums, and the text
 * of the migrations that were edited later. Since then no migration changes.
 */
const landedRecord = JSON.parse(
  readFileSync(new URL('../../core/database/landed.json', import.meta.url), 'utf8'),
) as LandedRecord

/** The checksums of the migrations that had landed by then; none of these migrations may change. */
export const finalChecksums: Readonly<Record<string, string>> = landedRecord.final

/** Lists the commits that changed migrations, each with all migrations that it had. */
export function listLandedCommits(): LandedCommit[] {
  const files: Record<string, string> = {}
  return landedRecord.commits.map((one) => ({ commit: one.commit, files: { ...Object.assign(files, one.files) } }))
}

export const computeShortChecksum = (text: string | Buffer) =>
  createHash('sha256').update(text).digest('hex').slice(0, 16)

/**
 * Creates a folder with the earlier texts of migrations. Migrations that have not changed are read from today's files.
 * `remove` deletes the folder.
 */
export async function createLandedFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-landed-'))
  const today = await listMigrationFiles()
  const filesByChecksum = new Map(today.map((file) => [file.checksum.slice(0, 16), file]))
  for (const [sum, text] of Object.entries(landedRecord.earlier)) {
    const path = join(folder, `${sum}.ts`)
    writeFileSync(path, text)
    filesByChecksum.set(sum, { name: '', path, checksum: sum })
  }
  return {
    listFilesOfCommit({ commit, files }: LandedCommit): MigrationFile[] {
      return Object.entries(files)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, sum]) => {
          const file = filesByChecksum.get(sum)
          if (!file) throw new Error(`Migration ${name} of ${commit} is not that of today and was not kept`)
          return { ...file, name }
        })
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
