import type { Direct, Statement } from '../../database/connection.ts'
import { listDirectly } from '../../database/list.direct.ts'
import type { Sql } from '../../database/list.filters.ts'
import type { Listed, Page } from '../../kernel/page.ts'
import { passportCount } from './passports.counts.ts'
import { shownPublicly, shownToOwner } from './passports.json.ts'
import { passportColumns } from './passports.model.ts'
import type { Passport } from './passports.schema.ts'

const passportById: Statement = {
  name: 'passport_by_id',
  text: `select case when organization = $2 then ${shownToOwner} when status <> 'draft' then ${shownPublicly} end as shown
    from passports where id = $1`,
}

/** A passport as a reader may see it, null for none. @param organization whose members' eyes it is seen with, if any */
export async function readShown(direct: Direct, id: string, organization: string | null): Promise<Passport | null> {
  const [row] = await direct.rows<{ shown: Passport | null }>(passportById, [id, organization])
  return row?.shown ?? null
}

/** The organization's passports, as it sees them. */
export function readList(direct: Direct, organization: string, page: Page): Promise<Listed<Passport>> {
  const tenancy: Sql = { sql: 'passports.organization = ?', bindings: [organization] }
  const counted = passportCount(organization, page)
  return listDirectly(direct, { table: 'passports', shown: shownToOwner, columns: passportColumns, tenancy, counted }, page)
}
