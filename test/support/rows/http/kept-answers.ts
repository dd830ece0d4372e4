import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** An answer of 300 bytes to write, which was given and is kept under an Idempotency-Key. */
export interface NewKeptAnswer {
  key: string
  expiresAt: Date
}

/** Inserts answers that are kept until any time, which may be past. */
export async function insertKeptAnswers(db: Knex, answers: readonly NewKeptAnswer[]): Promise<void> {
  await db('idempotency').insert(
    answers.map(({ key, expiresAt }) => ({
      scope: 's',
      operation: 'o',
      key,
      request_hash: randomBytes(8),
      state: 'done',
      holder: v7(),
      lease_until: db.fn.now(),
      body: randomBytes(300),
      expires_at: expiresAt,
    })),
  )
}

/** Lists the keys under which an answer is kept. */
export async function listKeysOfAnswers(db: Knex): Promise<string[]> {
  return db('idempotency').pluck<string[]>('key')
}
