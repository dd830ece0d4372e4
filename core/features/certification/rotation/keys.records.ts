import type { Knex } from 'knex'
import type { NewChainRecord, ChainRecordKind } from '../../../chains/port.ts'
import type { Network } from '../../../chains/networks.ts'
import type { Context } from '../../../kernel/work.ts'
import { insertReceipt } from './receipts.ts'
import { type KeyRow, readActiveKey, toHexPublicKey } from '../keys/index.ts'

type KeyRecordKind = Exclude<ChainRecordKind, 'anchor'>

/**
 * Creates the id of a record. An act on a key happens once on a network; a revocation happens once for each time of
 * compromise.
 */
const createRecordId = (act: KeyAct, network: Network, key: string) => {
  // A key may be revoked again with an earlier time of compromise.
  const since = act.kind === 'revokeKey' && act.again ? `.${act.compromisedAt?.getTime() ?? 0}` : ''
  return `${act.kind}${since}:${network}:${key}`
}

/**
 * Ensures that the active key is registered on a network where the organization anchors: queues the record, but only
 * once. The active key's row stays share-locked until the end of the transaction.
 */
export async function registerKeyOnNetwork(
  trx: Knex,
  context: Context,
  organization: string,
  network: Network,
  job: string,
): Promise<void> {
  const key = await readActiveKey(trx, context, organization)
  if (!(await insertRegistration(trx, key.id, network))) return
  const record = { id: createRecordId({ kind: 'registerKey' }, network, key.id), organization, network, job }
  await insertKeyRecord(trx, context, { ...record, kind: 'registerKey', key: toHexPublicKey(key) })
}

/** Inserts the registration of a key on a network. @returns false if it was already there */
async function insertRegistration(trx: Knex, key: string, network: Network): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    'insert into certification_key_registrations (key, network) values (?, ?) on conflict do nothing',
    [key, network],
  )
  return rowCount === 1
}

/** Lists the networks where the organization has keys and that this installation can send transactions on. */
export async function findNetworksInUse(
  trx: Knex,
  { chains }: Pick<Context, 'chains'>,
  organization: string,
): Promise<Network[]> {
  const found = await trx('certification_key_registrations as r')
    .join('certification_keys as k', 'k.id', 'r.key')
    .where('k.organization', organization)
    .distinct<{ network: Network }[]>('r.network')
    .orderBy('r.network')
  return found.map(({ network }) => network).filter((network) => chains.canSend(network))
}

type RecordedKey = Pick<KeyRow, 'id' | 'organization' | 'public_key'>

/**
 * Queues the registration of a new key on these networks, with one job for each. A network that knows the previous key
 * records the new one as its successor.
 * @returns the number of jobs
 */
export async function queueSuccession(
  trx: Knex,
  context: Context,
  { key, previous, networks }: { key: RecordedKey; previous: RecordedKey; networks: readonly Network[] },
): Promise<number> {
  const knownNetworks = await trx('certification_key_registrations')
    .where({ key: previous.id })
    .pluck<Network[]>('network')
  let jobs = 0
  for (const network of networks) {
    if (!(await insertRegistration(trx, key.id, network))) continue
    const kind = knownNetworks.includes(network) ? 'rotateKey' : 'registerKey'
    await queueRecord(
      trx,
      context,
      key,
      network,
      kind === 'rotateKey' ? { kind, previous: toHexPublicKey(previous) } : { kind },
    )
    jobs++
  }
  return jobs
}

/**
 * Queues the revocation of a key on each network that has it. A registration that is still in progress calls this
 * function again when it succeeds.
 * @param again true for a new revocation with an earlier time of compromise; the registry accepts both in either order
 * @returns the number of jobs
 */
export async function queueRevocation(
  trx: Knex,
  context: Context,
  key: RecordedKey & { compromised_at: Date | null },
  again = false,
): Promise<number> {
  const networks = await trx('certification_key_registrations')
    .where({ key: key.id, status: 'registered' })
    .modify((query) => {
      if (!again) void query.whereNull('revocation')
    })
    .update({ revocation: 'pending' })
    .returning<{ network: Network }[]>('network')
  for (const { network } of networks) {
    await queueRecord(trx, context, key, network, { kind: 'revokeKey', compromisedAt: key.compromised_at, again })
  }
  return networks.length
}

type KeyAct =
  | { kind: 'registerKey' }
  | { kind: 'rotateKey'; previous: string }
  | { kind: 'revokeKey'; compromisedAt: Date | null; again: boolean }

/** The payload of a record's job. */
export interface KeyJobPayload {
  act: KeyRecordKind
  key: string
  network: Network
}

async function queueRecord(
  trx: Knex,
  context: Context,
  key: RecordedKey,
  network: Network,
  act: KeyAct,
): Promise<void> {
  const { id, organization } = key
  const payload: KeyJobPayload = { act: act.kind, key: id, network }
  const job = await context.queue.enqueue(trx, { type: 'rotate', organization, total: 1, payload })
  const record: NewChainRecord = {
    id: createRecordId(act, network, id),
    organization,
    network,
    job,
    key: toHexPublicKey(key),
    ...act,
  }
  await insertKeyRecord(trx, context, record)
}

/** Queues a record and inserts the row for its receipt. */
async function insertKeyRecord(trx: Knex, context: Context, record: NewChainRecord): Promise<void> {
  await insertReceipt(trx, record)
  await context.chains.queueRecords(trx, [record])
}
