import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** Lets an invitation end, as after its seven days. */
export async function endInvitation(db: Knex, id: string): Promise<void> {
  await db('invitations')
    .where({ id })
    .update({ expires_at: db.raw('now()') })
}

interface OldInvitations {
  organization: string
  /** Identifier of the person who invited. */
  inviter: string
  count: number
  expiresAt: Date
}

/** Stores invitations that end at a time of one's choice, which the API does not let choose. */
export async function insertInvitations(
  db: Knex,
  { organization, inviter, count, expiresAt }: OldInvitations,
): Promise<void> {
  await db('invitations').insert(
    Array.from({ length: count }, () => ({
      id: v7(),
      organization_id: organization,
      email: `${v7()}@people.example`,
      role: 'viewer',
      status: 'pending',
      inviter_id: inviter,
      expires_at: expiresAt,
    })),
  )
}
