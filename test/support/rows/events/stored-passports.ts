import type { Knex } from 'knex'

/** What an event keeps of a passport, with the passport's id. */
export interface StoredEventPassport {
  id: string
  passport: unknown
}

/** Lists what the events of a type keep of an application's passports with these references; the API shows the passports. */
export async function listEventPassports(
  db: Knex,
  { application, type, references }: { application: string; type: 'create' | 'update'; references: readonly string[] },
): Promise<StoredEventPassport[]> {
  const { rows } = await db.raw<{ rows: StoredEventPassport[] }>(
    `select p.id, e.passport from passports p join events e on e.passport_id = p.id and e.type = ?
     where p.application = ? and p.reference = any(?::text[])`,
    [type, application, references as string[]],
  )
  return rows
}
