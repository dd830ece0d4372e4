import type { Knex } from 'knex'

/** Makes the reports of a passport older by so many days: when they came, and when they were handled. */
export async function ageReports(db: Knex, passport: string, days: number): Promise<void> {
  await db.raw(
    `update passport_reports set created_at = created_at - make_interval(days => :days),
       handled_at = handled_at - make_interval(days => :days) where passport = :passport`,
    { days, passport },
  )
}

/** Fills up the reports of a passport that wait, without an address. */
export async function insertOpenReports(
  db: Knex,
  {
    organization,
    application,
    passport,
    count,
  }: Record<'organization' | 'application' | 'passport', string> & {
    count: number
  },
): Promise<void> {
  await db.raw(
    `insert into passport_reports (id, organization, application, passport, kind, text)
     select gen_random_uuid(), ?, ?, ?, 'other', 'One of many' from generate_series(1, ?)`,
    [organization, application, passport, count],
  )
}

/** Reads all that is stored of the reports of a passport as one text, in which a test looks for what must not be there. */
export async function readReportText(db: Knex, passport: string): Promise<string> {
  const { rows } = await db.raw<{ rows: [{ text: string | null }] }>(
    `select string_agg(r::text, ' ') as text from passport_reports r where passport = ?`,
    [passport],
  )
  return rows[0].text ?? ''
}
