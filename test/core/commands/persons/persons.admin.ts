import { expect } from 'chai'
import { runAdmin } from '../../../support/admin-command.ts'
import { platform } from '../../../support/platform.ts'
import { listRowsNaming, readTransactionNumber } from '../../../support/rows/persons/named-rows.ts'
import { getOperator } from '../../identity/people.ts'

export const admin = (...args: string[]) => runAdmin(platform.dataDir, ...args, '--json')

/** What a command answers that has to succeed. */
export async function done(...args: string[]) {
  const { code, err, json } = await admin(...args)
  expect(code, err).to.equal(0)
  return json
}

/** The transaction before which nothing of these tests was written. */
let begun = '0'

/** Tells that what these tests write begins now. */
export async function beginRows(): Promise<void> {
  begun = await readTransactionNumber((await getOperator()).db)
}

/** Lists the rows that name any of these words, of those that were written since these tests began. */
export async function namedIn(...words: string[]): Promise<string[]> {
  return listRowsNaming((await getOperator()).db, words, { since: begun })
}
