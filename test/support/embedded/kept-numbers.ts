import pg from 'pg'

/** The functions take the address of a server with a role: what the role may do is what the tests are about. */

/** Creates a table with the number 1, which a server has to keep. */
export async function createKeptNumbers(url: string): Promise<void> {
  await query(url, 'create table kept as select 1 as n')
}

/** Inserts a number into the table. @returns the number that is stored */
export async function insertKeptNumber(url: string, n: number): Promise<number> {
  const [row] = await query<{ n: number }>(url, 'insert into kept values ($1) returning n', [n])
  if (!row) throw new Error('An insert returns its row')
  return row.n
}

/** Lists the numbers of the table, the lowest first. */
export async function listKeptNumbers(url: string): Promise<number[]> {
  const rows = await query<{ n: number }>(url, 'select n from public.kept order by n')
  return rows.map(({ n }) => n)
}

/** Creates the signer's table of keys with one secret. */
export async function createSignerSecret(signerUrl: string, secret: number): Promise<void> {
  await query(signerUrl, `create table keys as select ${secret} as secret`)
}

/** Lists the secrets of the signer. */
export async function listSignerSecrets(url: string): Promise<number[]> {
  const rows = await query<{ secret: number }>(url, 'select secret from signer.keys')
  return rows.map(({ secret }) => secret)
}

/** Throws an error unless the server lets this role in and answers. */
export async function assertAnswers(url: string): Promise<void> {
  await query(url, 'select 1')
}

async function query<T extends pg.QueryResultRow>(url: string, sql: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<T>(sql, values)).rows
  } finally {
    await client.end()
  }
}
