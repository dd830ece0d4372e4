import type { Knex } from 'knex'

/** An entry of the audit trail. */
export interface StoredAuditEntry {
  action: string
  actor: string
  details: object
}

/** Lists the audit entries about a subject, which no command shows. */
export async function listAuditEntries(db: Knex, subject: string): Promise<StoredAuditEntry[]> {
  return db('audit_entries').where({ subject }).select<StoredAuditEntry[]>('action', 'actor', 'details')
}

/** Tries to name another actor in the audit entries about a subject, which the database refuses. */
export async function rewriteAuditEntries(db: Knex, subject: string): Promise<void> {
  await db('audit_entries').where({ subject }).update({ actor: 'nobody' })
}

/** Tries to delete the audit entries about a subject, which the database refuses. */
export async function deleteAuditEntries(db: Knex, subject: string): Promise<void> {
  await db('audit_entries').where({ subject }).delete()
}
