import { expect } from 'chai'
import type { Answer } from '../../support/client.ts'
import { operator } from '../identity/people.ts'

export const replayed = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true'
export const withKey = (key: string, headers: Record<string, string> = {}) => ({
  headers: { 'idempotency-key': key, ...headers },
})

/** What an answer says, and what it says it of: everything that a replay has to repeat. */
const essence = ({ status, headers, bytes }: Answer) => ({
  status,
  body: bytes.toString('utf8'),
  type: headers['content-type'],
  location: headers['location'],
  etag: headers['etag'],
})

/** Whether a first answer and the second one are the same, and only the second is a replay. */
export function expectReplay(first: Answer, second: Answer, status: number): void {
  expect(first.status, first.text).to.equal(status)
  expect(essence(second)).to.deep.equal(essence(first))
  expect([replayed(first), replayed(second)]).to.deep.equal([false, true])
  expect(second.headers['x-request-id']).not.to.equal(first.headers['x-request-id'])
}

/** Runs `during` while the rows that a query locks are held by somebody else. */
export async function whileLocked(
  sql: string,
  values: string[],
  during: (release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { db } = await operator()
  const trx = await db.transaction()
  await trx.raw(sql, values)
  const release = async () => {
    if (!trx.isCompleted()) await trx.rollback()
  }
  try {
    await during(release)
  } finally {
    await release()
  }
}

export const stateOf = async (key: string) =>
  (await (await operator()).db('idempotency').where({ key }).first<{ state: string } | undefined>('state'))?.state
export const expireLease = async (key: string) =>
  (await operator())
    .db('idempotency')
    .where({ key, state: 'running' })
    .update({ lease_until: new Date(0) })
