import { randomUUID } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readArchive, writeArchive, type ArchiveHead } from '../../../../core/commands/backup/archive.ts'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { findFreePort } from '../../../../core/start/ports.ts'
import { signIn } from '../../../proof/stage/buyers.ts'
import { runAdmin, type CommandResult } from '../../../support/admin-command.ts'
import { createApiClient } from '../../../support/client.ts'
import { removeFolder, createTemporaryFolder } from '../../../support/folders.ts'
import { startPlatform } from '../../../support/own-platform.ts'
import { hasRestoreMark } from '../../../support/rows/database/restores.ts'
import { countUsers } from '../../../support/rows/identity/users.ts'
import { buildCertifiedPassport } from '../../../support/world.ts'
import { verifyByApi } from '../../certification/verify/verify.ts'

/** The files that a backup leaves out, and without which it cannot be restored. */
export const keptFiles = ['secrets.json', 'signer.json', 'erased-persons.ndjson']

/** How an archive is changed. */
interface ArchiveChange {
  head?: Partial<ArchiveHead>
  /** The path of a file more. */
  path?: string
  /** Whether the archive is from before the last column of one table. */
  withoutProcess?: boolean
}

export const formatOutcome = ({ code, out, err }: CommandResult) => `${code} ${out}${err}`

/**
 * Makes a platform with a certified passport and a person, archives it, erases the person, and stops it, before the
 * tests of a suite. Its folders are removed after them.
 */
export function useArchivedPlatform() {
  const folders = [createTemporaryFolder(), createTemporaryFolder()]
  const [from = '', archives = ''] = folders
  const file = join(archives, 'tessera.backup')
  const gone = `gone-${randomUUID()}@people.example`
  const made = {
    passport: '',
    credential: '',
    ports: { PORT: '', BRIDGE_PORT: '' },
    keys: { platform: [] as string[], signer: [] as string[] },
  }

  before(async () => {
    // Credentials name the address of where they were made, so what takes its place has the same.
    made.ports = { PORT: `${await findFreePort()}`, BRIDGE_PORT: `${await findFreePort()}` }
    const platform = await startPlatform({ dataDir: from, ports: made.ports })
    try {
      const api = createApiClient(platform.apiKey, platform.api)
      made.passport = await buildCertifiedPassport({ api, application: platform.application } as Parameters<
        typeof buildCertifiedPassport
      >[0])
      made.credential = (await api.get(`/v1/dpp/passports/${made.passport}/vc.jsonld`)).text
      await signIn(platform, gone)
      const ran = await runAdmin(from, 'backup', file, '--json')
      expect(ran.code, ran.err).to.equal(0)
      made.keys = ran.json['keys'] as unknown as typeof made.keys
      expect((await runAdmin(from, 'person', 'erase', gone)).code).to.equal(0)
    } finally {
      await platform.stop()
    }
  })
  after(async () => {
    for (const folder of folders) await removeFolder(folder)
  })

  return {
    /** The DATA_DIR that was archived. */
    from,
    /** The folder of the archive. */
    archives,
    file,
    made,

    /** Makes a new DATA_DIR with files of the old one. */
    createFolder(names: readonly string[] = keptFiles): string {
      const dataDir = createTemporaryFolder()
      folders.push(dataDir)
      for (const name of names) copyFileSync(join(from, name), join(dataDir, name))
      return dataDir
    },

    /** Writes a changed archive. @returns its file */
    async rewrite(name: string, { head = {}, path, withoutProcess = false }: ArchiveChange): Promise<string> {
      const to = join(archives, name)
      rmSync(to, { force: true })
      const [archive, copy] = [await readArchive(file), await writeArchive(to)]
      await copy.writeFrame({ ...archive.head, ...head })
      let files = 0
      for await (const { part, content } of archive.parts()) {
        const isOlder = withoutProcess && part.kind === 'table' && part.name === 'idempotency'
        if (isOlder) expect(part.columns.at(-1)).to.equal('process')
        await copy.writeFrame(isOlder ? { ...part, columns: part.columns.slice(0, -1) } : part)
        for await (const piece of content)
          await copy.writeContent(isOlder ? Buffer.from(piece.toString().replaceAll(/\t[^\t\n]*$/gm, '')) : piece)
        await copy.endContent()
        if (part.kind === 'file') files++
      }
      if (path !== undefined) {
        await copy.writeFrame({ kind: 'file', path })
        await copy.writeContent(Buffer.from('not ours'))
        await copy.endContent()
        files++
      }
      const { sequences, tables, rows } = archive.end()
      await copy.finish({ sequences, tables, rows, files })
      archive.close()
      return to
    },

    /** Starts what was restored: the passport verifies, and the person stays erased. */
    async expectRestored(dataDir: string): Promise<void> {
      const platform = await startPlatform({ dataDir, ports: made.ports })
      const db = connectDatabase({ url: platform.database, name: 'tests', maxConnections: 1 })
      try {
        const api = createApiClient({}, platform.api)
        expect(
          (await createApiClient(platform.apiKey, platform.api).get(`/v1/dpp/passports/${made.passport}/vc.jsonld`))
            .text,
        ).to.equal(made.credential)
        const found = await verifyByApi(JSON.parse(made.credential), api)
        expect(found.verdict, JSON.stringify(found.checks)).to.equal('verified')
        expect([await countUsers(db, gone), await hasRestoreMark(db)]).to.deep.equal([0, false])
      } finally {
        await db.destroy()
        await platform.stop()
      }
    },
  }
}
