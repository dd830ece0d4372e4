import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createRetentions } from '../../../core/app/retentions.ts'
import { tableOwners } from '../../../core/database/tables.ts'
import { root, sources } from '../source-files.ts'
import { foreignReads, foreignWrites, type ForeignUses } from './exceptions.ts'
import { listModels, listTableUses, type TableUse } from './sql-tables.ts'

/** The files with SQL, except migrations, which are as they were released. */
const product = sources.filter((file) => /^core\//.test(file) && !/^core\/database\/migrations\//.test(file))

const isOwner = ({ file, table }: TableUse) => file.startsWith(`core/${tableOwners[table]}/`)

/** A store writes its rows and the events of the change with one statement. */
const isEventOfStore = ({ file, table, kind }: TableUse) =>
  table === 'events' && kind === 'insert' && /\.store(\.[\w-]+)?\.ts$/.test(file)

const formatUse = ({ file, table }: TableUse) => `${file.replace('core/', '')} ${table}`

const listAllowed = (groups: readonly ForeignUses[]) =>
  groups.flatMap(({ uses }) =>
    Object.entries(uses).flatMap(([file, tables]) => tables.split(' ').map((table) => `${file} ${table}`)),
  )

describe('Repository rules: tables', () => {
  const models = listModels(product)
  const tables = new Set(Object.keys(tableOwners))
  const foreign = product
    .flatMap((file) => listTableUses(file, tables, models))
    .filter((use) => !isOwner(use) && !isEventOfStore(use))
  const found = {
    reads: new Set(foreign.filter(({ kind }) => kind === 'read').map(formatUse)),
    writes: new Set(foreign.filter(({ kind }) => kind !== 'read').map(formatUse)),
  }
  const allowed = { reads: listAllowed(foreignReads), writes: listAllowed(foreignWrites) }

  it('have an owner each, which is a folder, and a retention', () => {
    const days = {
      jobRetentionDays: 1,
      importErrorRetentionDays: 1,
      attemptRetentionDays: 1,
      messageRetentionDays: 1,
      eventRetentionDays: 1,
    }
    expect(Object.keys(createRetentions(days)).sort()).to.deep.equal(Object.keys(tableOwners).sort())
    const folders = [...new Set(Object.values(tableOwners))]
    expect(folders.filter((folder) => !existsSync(join(root, 'core', folder)))).to.deep.equal([])
  })

  for (const kind of ['reads', 'writes'] as const) {
    it(`are named in SQL that ${kind} by their owner alone, but for ${allowed[kind].length} uses that are listed`, () => {
      expect([...found[kind]].filter((use) => !allowed[kind].includes(use)).sort()).to.deep.equal([])
    })

    it(`list no use that ${kind} and is gone`, () => {
      expect(allowed[kind].filter((use) => !found[kind].has(use))).to.deep.equal([])
    })
  }
})
