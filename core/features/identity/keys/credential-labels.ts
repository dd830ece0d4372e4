import type { Knex } from 'knex'

interface LabelRow {
  id: string
  label: string
}

/**
 * Reads what credentials are called, so that the people of an organization recognize them: its keys by their name and
 * last four characters, members by their e-mail address. Those that are not there any more are left out.
 * @param ids keys of the organization, and users who acted for it
 */
export async function readCredentialLabels(
  db: Knex,
  organization: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.raw<{ rows: LabelRow[] }>(
    `select id, coalesce(name, '') || ' …' || coalesce(metadata::jsonb ->> 'lastFour', '') as label
     from api_keys where organization = ? and id = any(?::uuid[])
     union all select id, email from users where id = any(?::uuid[])`,
    [organization, ids, ids] as Knex.RawBinding[],
  )
  return new Map(rows.map(({ id, label }) => [id, label]))
}
