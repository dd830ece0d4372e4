import type { Knex } from 'knex'
import type { Role } from '../../../../core/kernel/permission.ts'

/** Gives a member another role in every organization. */
export async function changeRole(db: Knex, email: string, role: Role): Promise<void> {
  await db('members').whereIn('user_id', db('users').where({ email }).select('id')).update({ role })
}

/** Takes a person out of every organization. */
export async function removeMember(db: Knex, email: string): Promise<void> {
  await db('members').whereIn('user_id', db('users').where({ email }).select('id')).delete()
}
