import pg from 'pg'

/** A key as the signer keeps it, with all columns. */
export interface SignerKeyRow {
  account: string
  sealed: Buffer
}

/** Lists the keys of the signer. @param url of the database, as the role that reads; other roles may not */
export const listSignerKeys = (url: string): Promise<SignerKeyRow[]> =>
  query<SignerKeyRow>(url, 'select * from signer.keys')

async function query<T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<T>(sql).finally(() => client.end())
  return rows
}
