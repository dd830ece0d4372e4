import type { Knex } from 'knex'
import type { NewRecord, RecordKind } from '../../chains/chain.ts'
import type { Network } from '../../chains/networks.ts'
import type { Context } from '../../kernel/work.ts'
import { insertReceipt } from './issuer-keys/receipts.ts'
import { activeKey } from './keys.ts'
import { hexOf, type KeyRow } from './keys.rows.ts'

type KeyRecordKind = Exclude<RecordKind, 'anchor'>

/** Whose record this is, in its id: an act on a key happens once on a network, a revocation once from each moment. */
const idOf = (act: Act, network: Network, key: string) => {
  // A key may be revoked again from an earlier moment.
  const since = act.kind === 'revokeKey' && act.again ? `.${act.compromisedAt?.getTime() ?? 0}` : ''
  return `${act.kind}${since}:${network}:${key}`
}

/**
 * Sees to it that the active key is registered on a network where the organization anchors: queues the record once.
 * The active key's row is held in share till the end of the transaction.
 */
export async function registerKeyOn(
  trx: Knex,
  context: Context,
  organization: string,
  network: Network,
  job: string,
): Promise<void> {
  const key = await activeKey(trx, context, organization)
  if (!(await claimRegistration(trx, key.id, network))) return
  const record = { id: idOf({ kind: 'registerKey' }, network, key.id), organization, network, job }
  await recordKey(trx, context, { ...record, kind: 'registerKey', key: hexOf(key) })
}

/** Whether this is the first to register the key on the network. */
async function claimRegistration(trx: Knex, key: string, network: Network): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    'insert into certification_key_registrations (key, network) values (?, ?) on conflict do nothing',
    [key, network],
  )
  return rowCount === 1
}

/** Networks where the organization has keys and that this installation can send on. */
export async function networksInUse(
  trx: Knex,
  { chains }: Pick<Context, 'chains'>,
  organization: string,
): Promise<Network[]> {
  const found = await trx('certification_key_registrations as r')
    .join('certification_keys as k', 'k.id', 'r.key')
    .where('k.organization', organization)
    .distinct<{ network: Network }[]>('r.network')
    .orderBy('r.network')
  return found.map(({ network }) => network).filter((network) => chains.usable(network))
}

type Key = Pick<KeyRow, 'id' | 'organization' | 'public_key'>

/**
 * Registers a new key on these networks, each as a job of its own; where the one before it is known, as its successor.
 * @returns how many jobs that made
 */
export async function queueSuccession(
  trx: Knex,
  context: Context,
  { key, previous, networks }: { key: Key; previous: Key; networks: readonly Network[] },
): Promise<number> {
  const known = await trx('certification_key_registrations').where({ key: previous.id }).pluck<Network[]>('network')
  let jobs = 0
  for (const network of networks) {
    if (!(await claimRegistration(trx, key.id, network))) continue
    const kind = known.includes(network) ? 'rotateKey' : 'registerKey'
    await queueRecord(trx, context, key, network, kind === 'rotateKey' ? { kind, previous: hexOf(previous) } : { kind })
    jobs++
  }
  return jobs
}

/**
 * Revokes a key on each network that has it; a registration still on the way brings it here again with its outcome.
 * @param again from an earlier moment than before, which the registry takes in whatever order the two come
 */
export async function queueRevocation(
  trx: Knex,
  context: Context,
  key: Key & { compromised_at: Date | null },
  again = false,
): Promise<number> {
  const networks = await trx('certification_key_registrations')
    .where({ key: key.id, status: 'registered' })
    .modify((query) => { if (!again) void query.whereNull('revocation') })
    .update({ revocation: 'pending' })
    .returning<{ network: Network }[]>('network')
  for (const { network } of networks) {
    await queueRecord(trx, context, key, network, { kind: 'revokeKey', compromisedAt: key.compromised_at, again })
  }
  return networks.length
}

type Act =
  { kind: 'registerKey' } | { kind: 'rotateKey'; previous: string } | { kind: 'revokeKey'; compromisedAt: Date | null; again: boolean }

/** What the job of a record is about. */
export interface KeyJobPayload {
  act: KeyRecordKind
  key: string
  network: Network
}

async function queueRecord(trx: Knex, context: Context, key: Key, network: Network, act: Act): Promise<void> {
  const { id, organization } = key
  const payload: KeyJobPayload = { act: act.kind, key: id, network }
  const job = await context.queue.enqueue(trx, { type: 'rotate', organization, total: 1, payload })
  const record: NewRecord = { id: idOf(act, network, id), organization, network, job, key: hexOf(key), ...act }
  await recordKey(trx, context, record)
}

/** Queues a record with the row that keeps its receipt. */
async function recordKey(trx: Knex, context: Context, record: NewRecord): Promise<void> {
  await insertReceipt(trx, record)
  await context.chains.record(trx, [record])
}
