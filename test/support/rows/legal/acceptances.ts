import type { Knex } from 'knex'

/** An acceptance as it is stored, which no answer shows whole. */
export interface StoredAcceptance {
  document: string
  version: string
  sha256: string
  organization: string | null
  address: string | null
  acceptedAt: Date
  person: string | null
}

/** Reads the acceptances of a person, or those that an organization has, by the name of the document. */
export async function listStoredAcceptances(
  db: Knex,
  owner: { user: string } | { organization: string },
): Promise<StoredAcceptance[]> {
  return db('legal_acceptances')
    .where('user' in owner ? { user_id: owner.user } : { organization: owner.organization })
    .orderBy('document')
    .select(
      'document',
      'version',
      'sha256',
      'organization',
      'address',
      'accepted_at as acceptedAt',
      'user_id as person',
    )
}

/** Tries to change and to delete the acceptances of a person. @returns what the database said to each */
export async function tamperWithAcceptances(db: Knex, user: string): Promise<string[]> {
  const own = () => db('legal_acceptances').where({ user_id: user })
  const attempts = [
    own().update({ version: '0' }),
    own().update({ accepted_at: db.raw('now()') }),
    own().update({ address: null }),
    own().delete(),
  ]
  const results = await Promise.allSettled(attempts)
  return results.map((result) => (result.status === 'rejected' ? String(result.reason) : 'done'))
}
