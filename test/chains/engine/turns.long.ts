import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { NewTokenOperation } from '../../../core/chains/port.ts'
import { createClaim, createMints, toTokenId, useChainRig } from '../../support/chains/chain-rig.ts'
import {
  listSettledOrganizations,
  measureBatchPauses,
  numberSettlements,
  slowSettlements,
} from '../../support/chains/settlements.ts'
import { waitUntil } from '../../support/processes.ts'
import { countChainOperations, countSubmittedChainOperations } from '../../support/rows/chains/operations.ts'
import { countClaimsBefore } from '../../support/rows/chains/transactions.ts'

describe('Chain sender: fair turns of organizations in sending', function () {
  this.timeout(180_000)
  const rig = useChainRig()
  const [a, b] = [{ organization: randomUUID() }, { organization: randomUUID() }]
  const [ofA, ofB] = [randomUUID(), randomUUID()]

  before(() => {
    rig().startSenders()
  })

  /** How many operations of an organization have an outcome. */
  const settled = ({ organization }: typeof a) => countChainOperations(rig().db, { organization, status: 'final' })

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
    const before = await countClaimsBefore(rig().db, { organization: a.organization, operation: single.id })
    expect(before, 'claims of A sent before').to.be.below(100)
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
    await slowSettlements(rig().db)
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
    const { batches, medianSeconds } = await measureBatchPauses(rig().db)
    expect(batches).to.be.above(8)
    // A batch that waits for the next look comes a second later; the trigger alone takes a tenth.
    expect(medianSeconds, 'seconds between the last settlement and the next batch').to.be.below(1)
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
    await numberSettlements(rig().db)
    // Turns are counted in time: each settlement takes a tenth of a second, so that a pause of the machine counts little.
    await slowSettlements(rig().db)
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
      const sent = () => countSubmittedChainOperations(rig().db, idsOf(operations))
      await waitUntil(`${at + 1} are sent`, async () => (await sent()) === at + 1)
    }
  }

  /** Has one block take all of them. @returns whose were settled, in that order */
  async function settledInOneBlock(operations: readonly NewTokenOperation[]): Promise<string[]> {
    await rig().node.callRpc('evm_mine')
    await rig().node.callRpc('evm_setAutomine', true)
    await rig().waitForOutcomes(idsOf(operations))
    return listSettledOrganizations(rig().db, idsOf(operations))
  }

  it('settles one of each organization among the first of one that has eight in the same block', async () => {
    const operations = [
      ...manyOfA.flatMap((application) => createMints(a, 1, `many of ${application}`, application)),
      ...createMints(b, 1, 'one of B', ofB),
      ...createMints(c, 1, 'one of C', ofC),
    ]
    await sentInOrder(operations)
    const order = await settledInOneBlock(operations)
    expect(order).to.have.length(10)
    // Third at the latest; fifth where a pause of the machine made the organization's last settlement long.
    for (const { organization } of [b, c]) expect(order.indexOf(organization), order.join(' ')).to.be.below(5)
  })

  it('begins behind the organization that was settled last', async () => {
    const operations = [...createMints(a, 1, 'again of A', manyOfA[0]), ...createMints(b, 1, 'again of B', ofB)]
    await sentInOrder(operations)
    expect(await settledInOneBlock(operations)).to.deep.equal([b.organization, a.organization])
  })
})
