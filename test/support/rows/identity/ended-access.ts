import type { PermissionMap, Role } from '../../../../core/kernel/permission.ts'
import type { Knex } from 'knex'

/** Ends the time of a key after this many milliseconds: the API takes no end of a key that exists. */
export async function expireKey(db: Knex, id: string, delayMs: number): Promise<void> {
  await db('api_keys')
    .where({ id })
    .update({ expires_at: new Date(Date.now() + delayMs) })
}

/** Gives a key other permissions, which the API gives once. */
export async function replacePermissions(db: Knex, id: string, permissions: PermissionMap): Promise<void> {
  await db('api_keys')
    .where({ id })
    .update({ permissions: JSON.stringify(permissions) })
}

/** Deletes a key, of which a revocation keeps the row. */
export async function deleteKey(db: Knex, id: string): Promise<void> {
  await db('api_keys').where({ id }).delete()
}

/** Ends the time of all sessions of a person. */
export async function expireSessions(db: Knex, email: string): Promise<void> {
  await db('sessions')
    .whereIn('user_id', db('users').where({ email }).select('id'))
    .update({ expires_at: new Date(0) })
}

/** Gives a member another role in every organization. */
export async function changeRole(db: Knex, email: string, role: Role): Promise<void> {
  await db('members').whereIn('user_id', db('users').where({ email }).select('id')).update({ role })
}

/** Takes a person out of every organization. */
export async function removeMember(db: Knex, email: string): Promise<void> {
  await db('members').whereIn('user_id', db('users').where({ email }).select('id')).delete()
}
