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

/** Lists the contracts whose deployment the signer knows. @param url of the database, as the signer's role */
export const listDeployments = (url: string): Promise<{ kind: string; application: string | null }[]> =>
  query(url, 'select kind, application from signer.deployments')

/** Forgets the deployments: an earlier version kept what it signed, and nothing of contracts. */
export async function forgetDeployments(url: string): Promise<void> {
  await query(url, 'delete from signer.deployments')
}

/** Forgets the deployments and which contract each batch was for, which an earlier version did not keep either. */
export async function forgetContracts(url: string): Promise<void> {
  await query(url, 'with forgotten as (delete from signer.deployments) update signer.signatures set contract = null')
}

/** Forgets the deployments and everything that was signed. */
export async function forgetSignatures(url: string): Promise<void> {
  await query(url, 'with forgotten as (delete from signer.deployments) delete from signer.signatures')
}
