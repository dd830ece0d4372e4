import { expect } from 'chai'
import type { Answer } from '../../../support/client.ts'
import { getOperator } from '../../identity/people.ts'

export const isReplayed = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true'
export const createKeyHeaders = (key: string, headers: Record<string, string> = {}) => ({
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
  expect([isReplayed(first), isReplayed(second)]).to.deep.equal([false, true])
  expect(second.headers['x-request-id']).not.to.equal(first.headers['x-request-id'])
}

/** Runs `during` while the rows that a query locks are held by somebody else. */
export async function runWhileLocked(
  sql: string,
  values: string[],
  during: (release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { db } = await getOperator()
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

export const readKeyState = async (key: string) =>
  (await (await getOperator()).db('idempotency').where({ key }).first<{ state: string } | undefined>('state'))?.state
