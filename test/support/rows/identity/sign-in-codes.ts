import type { Knex } from 'knex'

export interface StoredCode {
  /** The keyed hash of whom the code is for. */
  name: string
  expiresAt: Date
}

/** Reads the code that ends last, which is the newest one. Whom it is for cannot be read from its row. */
export async function readNewestCode(db: Knex): Promise<StoredCode> {
  const row = await db('sign_in_codes')
    .orderBy('expires_at', 'desc')
    .first<StoredCode | undefined>('name', 'expires_at as expiresAt')
  if (!row) throw new Error('There is no code')
  return row
}

/** Ends the time of a code: nobody waits for ten minutes. */
export async function expireCode(db: Knex, name: string): Promise<void> {
  await db('sign_in_codes')
    .where({ name })
    .update({ expires_at: db.raw(`now() - interval '1 second'`) })
}

/** Everything that is stored of codes: the rows of all tables of codes, with all columns. */
export interface CodeRows {
  codes: object[]
  sends: object[]
  verifications: object[]
}

/** Lists everything that is stored of codes, which is what a copy of the database has of them. */
export async function listCodeRows(db: Knex): Promise<CodeRows> {
  return {
    codes: await db('sign_in_codes').select<object[]>('*'),
    sends: await db('code_sends').select<object[]>('*'),
    verifications: await db('verifications').select<object[]>('*'),
  }
}

/** The tables in which a sign-in could leave a row. */
const signInTables = ['messages', 'users', 'verifications', 'sign_in_codes', 'code_sends', 'sessions'] as const

/** Counts the rows of each table in which a sign-in could leave one. */
export async function countSignInRows(db: Knex): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of signInTables) {
    const [row] = await db(table).count<{ count: string }[]>('*')
    counts[table] = Number(row?.count)
  }
  return counts
}
