import type { Direct, Statement } from '../../database/connection.ts'
import { listDirectly } from '../../database/list.direct.ts'
import type { Sql } from '../../database/list.filters.ts'
import type { Listed, Page } from '../../kernel/page.ts'
import { gather } from '../../queue/gather.ts'
import { passportCount } from './passports.counts.ts'
import { shownToReader } from './passports.json.ts'
import { besidePassport, passportColumns, type PassportRow } from './passports.model.ts'
import { presentPassport, shownColumns, type ShownPassport } from './passports.present.ts'
import type { Passport } from './passports.schema.ts'

interface Asked { id: string; organization: string | null }
type Shown = Passport | null

/** The arrays stand in selects so that the planner does not see how long they are: it would plan anew each time. */
const passportsById: Statement = {
  name: 'passports_by_id',
  text: `select ${shownToReader('passports.organization = asked.organization')} as shown
    from unnest((select $1::uuid[]), (select $2::uuid[])) with ordinality as asked (id, organization, place)
    left join passports on passports.id = asked.id order by asked.place`,
}

/** What reads passports by one connection pool. */
const readers = new WeakMap<Direct, (asked: Asked) => Promise<Shown>>()

function readerOf(direct: Direct): (asked: Asked) => Promise<Shown> {
  const known = readers.get(direct)
  if (known) return known
  const made = gather<Asked, Shown>(async (asked) => {
    const values = [asked.map(({ id }) => id), asked.map(({ organization }) => organization)]
    return (await direct.rows<{ shown: Shown }>(passportsById, values)).map(({ shown }) => shown)
  }, { most: 32, atOnce: 2 })
  readers.set(direct, made)
  return made
}

/** A passport as a reader may see it, null for none. @param organization whose members' eyes it is seen with, if any */
export function readShown(direct: Direct, id: string, organization: string | null): Promise<Shown> {
  return readerOf(direct)({ id, organization })
}

/** Instants as the driver reads them. */
type Instants = Pick<PassportRow, 'certifiedAt' | 'trustEnrolledAt' | 'createdAt' | 'updatedAt'>
type Row = Omit<ShownPassport, keyof Instants> & { [Name in keyof Instants]: Date | Extract<Instants[Name], null> }

/** Columns, and not JSON as for one passport: of many rows making JSON would be most of what PostgreSQL does. */
const selected = [
  ...shownColumns.map((name) => `passports.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} as "${name}"`),
  ...Object.entries(besidePassport).map(([name, sql]) => `${sql} as "${name}"`),
].join(', ')

const present = (row: Row): Passport => presentPassport({
  ...row,
  certifiedAt: row.certifiedAt?.toISOString() ?? null,
  trustEnrolledAt: row.trustEnrolledAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** The organization's passports, as it sees them. */
export function readList(direct: Direct, organization: string, page: Page): Promise<Listed<Passport>> {
  const tenancy: Sql = { sql: 'passports.organization = ?', bindings: [organization] }
  const counted = passportCount(organization, page)
  return listDirectly(direct, { table: 'passports', selected, present, columns: passportColumns, tenancy, counted }, page)
}
