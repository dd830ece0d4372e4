import type { Knex } from 'knex'
import { lockByName } from '../../../database/lock.ts'
import type { DidWebCheck } from './did-web.schema.ts'

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

/**
 * How long a document may be missing, in milliseconds, before its domain no longer counts as proven and owners are
 * notified.
 */
export const maxMissingMs = 24 * 60 * 60 * 1000

/** Locks a domain until the end of the transaction, so that no other transaction changes its holder. */
export const lockDomain = (trx: Knex, domain: string): Promise<void> => lockByName(trx, `did-web:${domain}`)

/** Finds the domain that the organization signs under. */
export const findActiveDomain = (db: Knex, organization: string): Promise<DomainRow | undefined> =>
  db<DomainRow>('did_web_domains').where({ organization, state: 'active' }).first()

/** Finds the domain that was set last: the pending one, or else the active one. */
export const findConfiguredDomain = (db: Knex, organization: string): Promise<DomainRow | undefined> =>
  db<DomainRow>('did_web_domains')
    .where({ organization })
    .whereIn('state', ['pending', 'active'])
    .orderByRaw(`state = 'pending' desc`)
    .first()

/** Finds the row of another organization that has the domain active. */
export const findOtherHolder = (db: Knex, organization: string, domain: string): Promise<DomainRow | undefined> =>
  db<DomainRow>('did_web_domains').where({ domain, state: 'active' }).whereNot({ organization }).first()

/** Checks whether the document of an active domain was there within the last day. */
export const isStillProven = ({ missing_since }: Pick<DomainRow, 'missing_since'>, now: Date): boolean =>
  missing_since === null || now.getTime() - missing_since.getTime() < maxMissingMs
