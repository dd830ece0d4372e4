import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { findApplication } from '../../../applications/index.ts'
import { findPassType, type PassTypeContext } from '../credentials.ts'
import { listCardsOfDevice } from '../registrations.store.ts'

/** The passes of a phone that have changed. Source: Apple, "Get the List of Updatable Passes". */
export interface UpdatedPasses {
  serialNumbers: string[]
  /** What the phone sends with its next question. */
  lastUpdated: string
}

/** The letters of a pass in the tag. */
const nameLength = 8

/**
 * Lists the passes of a phone that have changed since an earlier answer. The tag of an answer says of each pass which
 * change the phone heard of, so that no change is hidden by the time of another one.
 * @param since the tag of that answer; undefined for all passes
 * @returns null if nobody knows the phone
 */
export async function listUpdatedPasses(
  db: Knex,
  context: PassTypeContext,
  { device, passType, since }: { device: string; passType: string; since: string | undefined },
): Promise<UpdatedPasses | null> {
  const cards = await listCardsOfDevice(db, device)
  if (cards.length === 0) return null
  const heard = new Set(since?.split('.'))
  const serialNumbers: string[] = []
  const marks: string[] = []
  const versions = new Map<string, string | null>()
  for (const { id, application, changedAt } of cards) {
    if (!versions.has(application)) versions.set(application, await readVersion(db, context, application, passType))
    const version = versions.get(application) ?? null
    if (version === null) continue
    const mark = createHash('sha256')
      .update(`${id} ${changedAt.getTime()} ${version}`)
      .digest('base64url')
      .slice(0, nameLength)
    marks.push(mark)
    if (!heard.has(mark)) serialNumbers.push(id)
  }
  return { serialNumbers, lastUpdated: marks.join('.') }
}

/** Returns what tells the states of an application apart; null if its passes are of another type. */
async function readVersion(db: Knex, context: PassTypeContext, id: string, passType: string): Promise<string | null> {
  const application = await findApplication(db, id)
  return application && (await findPassType(db, context, id)) === passType ? application.updatedAt : null
}
