import type { Network } from '../../../../core/chains/networks.ts'
import { insertKey, readCertificationKeys, type KeyRow } from '../../../../core/features/certification/keys/index.ts'
import { queueSuccession } from '../../../../core/features/certification/rotation/keys.records.ts'
import type { Context } from '../../../../core/kernel/work.ts'

/** A rotation of the active key of an organization that waits for these networks. */
export interface WaitingRotation {
  organization: string
  /** The id of the active key. */
  previous: string
  networks: readonly Network[]
}

/**
 * Starts a rotation on networks that this installation has no node of, which the API does not do: a test decides what
 * each network answers. @returns the id of the new key
 */
export async function startRotation(
  context: Context,
  { organization, previous, networks }: WaitingRotation,
): Promise<string> {
  return context.db.transaction(async (trx) => {
    const id = await insertKey(trx, context, organization, 'pending')
    const keys = await readCertificationKeys(trx, organization)
    await queueSuccession(trx, context, { key: pickKey(keys, id), previous: pickKey(keys, previous), networks })
    return id
  })
}

function pickKey(keys: readonly KeyRow[], id: string): KeyRow {
  const key = keys.find((one) => one.id === id)
  if (!key) throw new Error(`There is no certification key ${id}`)
  return key
}
