import { expect } from 'chai'
import type { Answer, Client } from '../../../support/client.ts'
import { lockPassport } from '../../../support/rows/dpp/passports.ts'
import { findStoredKey } from '../../../support/rows/http/idempotency-keys.ts'
import { listApplicationNames } from '../serve/application-names.ts'
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

/** Runs `during` while somebody else holds a passport. */
export async function runWhilePassportLocked(
  passport: string,
  during: (release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { db } = await getOperator()
  const trx = await db.transaction()
  const release = async () => {
    if (!trx.isCompleted()) await trx.rollback()
  }
  try {
    await lockPassport(trx, passport)
    await during(release)
  } finally {
    await release()
  }
}

export const readKeyState = async (key: string) => (await findStoredKey((await getOperator()).db, key))?.state

/** Counts the applications of an organization that have this name. */
export const countApplications = async (api: Client, name: string) =>
  (await listApplicationNames(api)).filter((one) => one === name).length
