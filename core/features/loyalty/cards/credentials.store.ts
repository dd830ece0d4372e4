import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { CardChannel } from '../../accounts/index.ts'

/** What everybody of the organization may know of credentials. */
export interface CredentialFacts {
  passTypeIdentifier?: string
  teamIdentifier?: string
  /** RFC 3339. */
  expiresAt?: string
  clientEmail?: string
}

export interface CredentialsRow {
  id: string
  organization: string
  application: string
  channel: CardChannel
  facts: CredentialFacts
  sealed: Buffer
  updatedAt: Date
}

const rowSql = `id, organization, application, channel, facts, sealed, updated_at as "updatedAt" from wallet_credentials`

/** Finds the credentials of an application for a wallet. */
export async function findCredentials(
  db: Knex,
  application: string,
  channel: CardChannel,
): Promise<CredentialsRow | undefined> {
  const { rows } = await db.raw<{ rows: CredentialsRow[] }>(`select ${rowSql} where application = ? and channel = ?`, [
    application,
    channel,
  ])
  return rows[0]
}

/** Stores credentials in place of those before. @param seal encrypts the private part for the row that gets it */
export async function putCredentials(
  trx: Knex,
  {
    organization,
    application,
    channel,
    facts,
  }: Pick<CredentialsRow, 'organization' | 'application' | 'channel' | 'facts'>,
  seal: (row: { id: string; organization: string }) => Buffer,
): Promise<void> {
  await deleteCredentials(trx, application, channel)
  const id = newId()
  await trx.raw(
    `insert into wallet_credentials (id, organization, application, channel, facts, sealed) values (?, ?, ?, ?, ?, ?)`,
    [id, organization, application, channel, JSON.stringify(facts), seal({ id, organization })],
  )
}

/** Deletes the credentials of an application for a wallet. */
export async function deleteCredentials(trx: Knex, application: string, channel: CardChannel): Promise<void> {
  await trx.raw('delete from wallet_credentials where application = ? and channel = ?', [application, channel])
}

/** How many days before a certificate ends its organization is reminded of it. */
export const certificateNoticeDays = 30

/** A certificate that ends soon, or has ended. */
interface EndingCertificate {
  application: string
  expiresAt: string
}

/** Lists the certificates of an organization that end soon or have ended, the first to end first. */
export async function listEndingCertificates(db: Knex, organization: string, now: Date): Promise<EndingCertificate[]> {
  const { rows } = await db.raw<{ rows: EndingCertificate[] }>(
    `select application, facts ->> 'expiresAt' as "expiresAt" from wallet_credentials
     where organization = ? and (facts ->> 'expiresAt')::timestamptz < ?::timestamptz + make_interval(days => ?)
     order by (facts ->> 'expiresAt')::timestamptz limit 10`,
    [organization, now, certificateNoticeDays],
  )
  return rows
}
