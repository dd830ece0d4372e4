import type { Knex } from 'knex'
import { lockByName } from '../../../database/lock.ts'
import type { DidWebCheck } from '../did-web.schema.ts'

export interface DomainRow {
  organization: string
  domain: string
  state: 'pending' | 'active' | 'former'
  last_check: DidWebCheck | null
  published: string[]
  proven_at: Date | null
  checked_at: Date | null
  missing_since: Date | null
  told_at: Date | null
}

/** Milliseconds that a document may be missing before its domain counts as proven no more, and before people are told. */
export const graceMs = 24 * 60 * 60 * 1000

/** Makes this transaction the only one, until its end, that changes whose domain this is. */
export const lockDomain = (trx: Knex, domain: string): Promise<void> => lockByName(trx, `did-web:${domain}`)

/** The domain that the organization signs under, or none. */
export const activeDomain = (db: Knex, organization: string): Promise<DomainRow | undefined> =>
  db<DomainRow>('did_web_domains').where({ organization, state: 'active' }).first()

/** The domain that was set last: the one that waits for its document, else the one that is signed under. */
export const configuredDomain = (db: Knex, organization: string): Promise<DomainRow | undefined> =>
  db<DomainRow>('did_web_domains').where({ organization }).whereIn('state', ['pending', 'active'])
    .orderByRaw(`state = 'pending' desc`).first()

/** The organization that has the domain active, where it is another than this one. */
export const otherHolder = (db: Knex, organization: string, domain: string): Promise<DomainRow | undefined> =>
  db<DomainRow>('did_web_domains').where({ domain, state: 'active' }).whereNot({ organization }).first()

/** Whether the document of an active domain was there within the last day. */
export const isStillProven = ({ missing_since }: Pick<DomainRow, 'missing_since'>, now: Date): boolean =>
  missing_since === null || now.getTime() - missing_since.getTime() < graceMs
