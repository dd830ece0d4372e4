import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { migrate } from '../../../core/commands/migrate.ts'
import { connect } from '../../../core/database/connection.ts'
import { migrationFiles } from '../../../core/database/migrations.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database-server.ts'
import { root } from '../../support/earlier.ts'
import { landedCommits, landedFiles, shortChecksum } from '../../support/landed.ts'
import { asBeforeChecksums } from '../../support/migrations.ts'
import { describeSchema } from '../../support/schema.ts'

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 1 << 26 })

describe('The life of a database through every landed commit', function () {
  this.timeout(1_800_000)
  let server: DatabaseServer
  let landed: Awaited<ReturnType<typeof landedFiles>>
  const commits = landedCommits()

  before(async () => {
    server = await startDatabaseServer()
    landed = await landedFiles()
  })
  after(async () => {
    landed?.remove()
    await server?.stop()
  })

  it('every commit had migrations that are kept or those of today', async () => {
    const today = new Map((await migrationFiles()).map(({ name, checksum }) => [name, checksum.slice(0, 16)]))
    const kept = new Set(commits.map(({ files }) => JSON.stringify(Object.entries(files).sort())))
    const sums = new Map<string, string>()
    const unknown: string[] = []
    for (const commit of git('rev-list', 'HEAD').toString().trim().split('\n')) {
      const listed = git('ls-tree', commit, 'core/database/migrations/').toString().trim().split('\n').filter(Boolean)
      const files = listed.map((line): [string, string] => {
        const [blob = '', path = ''] = [line.split(/\s+/)[2], line.split('\t')[1]]
        if (!sums.has(blob)) sums.set(blob, shortChecksum(git('cat-file', 'blob', blob)))
        return [path.replace(/^.*\/|\.ts$/g, ''), sums.get(blob) ?? '']
      }).sort()
      const isOfToday = files.every(([name, sum]) => today.get(name) === sum)
      if (!isOfToday && !kept.has(JSON.stringify(files))) unknown.push(commit)
    }
    expect(unknown).to.deep.equal([])
  })

  it('one that lived through all commits from any one on has the schema of a fresh one', async () => {
    const { url: freshUrl } = await server.database()
    await migrate(freshUrl)
    const freshDb = connect({ url: freshUrl, name: 'tests', max: 1 })
    const fresh = await describeSchema(freshDb)
    await freshDb.destroy()
    for (const [first, { commit }] of commits.entries()) {
      // Two of the edits made later commits fail on such a database, which then stayed as it was until it was repaired.
      const { url } = await server.database()
      const db = connect({ url, name: 'tests', max: 1 })
      try {
        for (const each of commits.slice(first)) await asBeforeChecksums(db, landed.of(each)).catch((cause: Error) => {
          if (!/"jobs_leased" already exists|function passport_gtin\(jsonb\) does not exist/.test(cause.message)) throw cause
        })
        await migrate(url)
        expect(await describeSchema(db), commit).to.deep.equal(fresh)
      } finally {
        await db.destroy()
      }
    }
  })
})
