import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { NewTokenOperation } from '../../../core/chains/port.ts'
import { createClaim, createMints, toTokenId, useChainRig } from '../../support/chains/chain-rig.ts'
import { waitUntil } from '../../support/processes.ts'

describe('Chain sender: fair turns of organizations in sending', function () {
  this.timeout(180_000)
  const rig = useChainRig()
  const [a, b] = [{ organization: randomUUID() }, { organization: randomUUID() }]
  const [ofA, ofB] = [randomUUID(), randomUUID()]

  before(() => {
    rig().startSenders()
  })

  /** How many operations of an organization have an outcome. */
  async function settled({ organization }: typeof a): Promise<number> {
    const {
      rows: [found],
    } = await rig().db.raw<{ rows: { count: number }[] }>(
      `select count(*)::int as count from chain_operations where organization = ? and status = 'final'`,
      [organization],
    )
    return found?.count ?? 0
  }

  it('sends and settles one mint of an organization before eight batches of one that has 24 waiting', async () => {
    const first = [...createMints(a, 1, 'first of A', ofA), ...createMints(b, 1, 'first of B', ofB)]
    await rig().queueOperations(first)
    await rig().waitForOutcomes(first.map(({ id }) => id))
    await rig().queueOperations(createMints(a, 12_000, 'many', ofA))
    await waitUntil('some are settled', async () => (await settled(a)) > 500, 30_000)
    const [single] = createMints(b, 1, 'single', ofB)
    if (!single) throw new Error('There is no mint')
    const before = await settled(a)
    await rig().queueOperations([single])
    await rig().waitForOutcome(single.id)
    expect((await settled(a)) - before, 'tokens of A between').to.be.below(4_000)
    await waitUntil('all of A are settled', async () => (await settled(a)) === 12_001, 60_000)
  })

  it('sends one claim of an organization before the hundredth of one that has 400 waiting', async () => {
    const to = await rig().chains.ensureWalletAddress('EthereumAnvil', 'account:buyer')
    const many = Array.from({ length: 400 }, (_, at) => createClaim(a, 'mintTo', toTokenId(`claim ${at}`), to, ofA))
    const single = createClaim(b, 'mintTo', toTokenId('single claim'), to, ofB)
    await rig().queueOperations([...many, single])
    await rig().waitForOutcome(single.id)
    const { rows } = await rig().db.raw<{ rows: { before: number }[] }>(
      `select count(*)::int as before from chain_transactions t join chain_operations o on o.transaction = t.id
       where o.organization = ? and t.kind = 'mint' and t.nonce < (
         select nonce from chain_transactions where id = (select transaction from chain_operations where id = ?))`,
      [a.organization, single.id],
    )
    expect(rows[0]?.before, 'claims of A sent before').to.be.below(100)
    await rig().waitForOutcomes(
      many.map(({ id }) => id),
      150_000,
    )
  })
})

describe('Chain sender with slow settlement of outcomes', function () {
  this.timeout(120_000)
  const rig = useChainRig()

  it('sends the next batches of an organization as soon as those before are settled', async () => {
    const own = { organization: randomUUID() }
    const application = randomUUID()
    await rig().db.raw(`
      create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.1); return null; end';
      create trigger slow after insert on settlements execute function slow();
      alter table settlements add column taken timestamptz not null default clock_timestamp()`)
    rig().startSenders()
    const first = createMints(own, 1, 'first', application)
    await rig().queueOperations(first)
    await rig().waitForOutcomes(first.map(({ id }) => id))
    const many = createMints(own, 6_000, 'slowly taken', application)
    await rig().queueOperations(many)
    await rig().waitForOutcomes(
      many.map(({ id }) => id),
      60_000,
    )
    const {
      rows: [found],
    } = await rig().db.raw<{ rows: { pause: number; batches: number }[] }>(`
      select count(*)::int as batches, percentile_cont(0.5) within group (order by pause)::float8 as pause from (
        select extract(epoch from t.created_at - max(s.taken)) as pause
        from chain_transactions t join settlements s on s.taken < t.created_at where t.kind = 'mintBatch' group by t.id
      ) pauses`)
    expect(found?.batches).to.be.above(8)
    // A batch that waits for the next look comes a second later; the trigger alone takes a tenth.
    expect(found?.pause, 'seconds between the last settlement and the next batch').to.be.below(1)
  })
})

describe('Chain sender: fair turns of organizations in settling', function () {
  this.timeout(120_000)
  const rig = useChainRig()
  const [a, b, c] = [{ organization: randomUUID() }, { organization: randomUUID() }, { organization: randomUUID() }]
  const manyOfA = Array.from({ length: 8 }, () => randomUUID())
  const [ofB, ofC] = [randomUUID(), randomUUID()]
  const idsOf = (operations: readonly NewTokenOperation[]) => operations.map(({ id }) => id)

  before(async () => {
    // When an outcome was taken, among all.
    await rig().db.raw('alter table settlements add column place bigint generated always as identity')
    rig().startSenders()
    const first = [
      ...manyOfA.flatMap((application) => createMints(a, 1, `first of ${application}`, application)),
      ...createMints(b, 1, 'first of B', ofB),
      ...createMints(c, 1, 'first of C', ofC),
    ]
    for (const operation of first) await rig().queueOperations([operation])
    await rig().waitForOutcomes(idsOf(first), 60_000)
  })
  beforeEach(() => rig().node.callRpc('evm_setAutomine', false))

  /** Queues operations one after the other, so that their nonces are in this order. */
  async function sentInOrder(operations: readonly NewTokenOperation[]): Promise<void> {
    for (const [at, operation] of operations.entries()) {
      await rig().queueOperations([operation])
      await waitUntil(`${at + 1} are sent`, async () => {
        const {
          rows: [found],
        } = await rig().db.raw<{ rows: { count: number }[] }>(
          `select count(*)::int as count from chain_transactions t join chain_operations o on o.transaction = t.id
           where t.status = 'submitted' and o.id = any(?::text[])`,
          [idsOf(operations)],
        )
        return found?.count === at + 1
      })
    }
  }

  /** Has one block take all of them. @returns whose were settled, in that order */
  async function settledInOneBlock(operations: readonly NewTokenOperation[]): Promise<string[]> {
    await rig().node.callRpc('evm_mine')
    await rig().node.callRpc('evm_setAutomine', true)
    await rig().waitForOutcomes(idsOf(operations))
    const { rows } = await rig().db.raw<{ rows: { organization: string }[] }>(
      `select o.organization::text from settlements s join chain_operations o on o.id = s.operation
       where o.id = any(?::text[]) order by s.place`,
      [idsOf(operations)],
    )
    return rows.map(({ organization }) => organization)
  }

  it('settles one of each organization before the second of one that has eight in the same block', async () => {
    const operations = [
      ...manyOfA.flatMap((application) => createMints(a, 1, `many of ${application}`, application)),
      ...createMints(b, 1, 'one of B', ofB),
      ...createMints(c, 1, 'one of C', ofC),
    ]
    await sentInOrder(operations)
    const order = await settledInOneBlock(operations)
    expect(order).to.have.length(10)
    // Third at the latest; fourth where the machine is so slow that a round ends after each.
    for (const { organization } of [b, c]) expect(order.indexOf(organization), order.join(' ')).to.be.below(4)
  })

  it('begins behind the organization that was settled last', async () => {
    const operations = [...createMints(a, 1, 'again of A', manyOfA[0]), ...createMints(b, 1, 'again of B', ofB)]
    await sentInOrder(operations)
    expect(await settledInOneBlock(operations)).to.deep.equal([b.organization, a.organization])
  })
})
