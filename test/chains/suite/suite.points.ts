import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { countOperationsByState } from '../../../core/chains/engine/rows/operation-states.ts'
import type { Capabilities } from '../../../core/chains/networks.ts'
import type { NewPointsOperation } from '../../../core/chains/port.ts'
import { createPoints } from '../../support/chains/chain-rig.ts'
import { deleteChainOperations } from '../../support/rows/chains/operations.ts'
import type { FamilyStage } from './stage.ts'

export interface PointsSuite {
  capabilities: Capabilities
  getStage(): FamilyStage
  /** Runs senders in this process while `work` runs. */
  withSenders(work: () => Promise<void>): Promise<void>
}

/** The first strikes what puts the contract on the chain, a later one points. */
const faultPoints = ['tx.stored:2', 'tx.broadcast:2', 'tx.receipt:1', 'tx.receipt:2']

/** Defines the tests of points, for every family that performs them. */
export function definePointsSuite({ capabilities, getStage, withSenders }: PointsSuite): void {
  let application: string
  beforeEach(() => {
    application = randomUUID()
  })

  const openWallets = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => getStage().openWallet(`account:points-${index}`)))
  /** Creates one entry for each amount, of the accounts in turn. */
  const createEntries = (series: string, accounts: readonly string[], amounts: readonly bigint[]) =>
    createPoints(getStage().rig, series, { application, network: getStage().network, accounts, amounts })
  /** Waits until everything is final, and expects that the chain has each entry once and the positions of the accounts. */
  const expectPosted = async (entries: readonly NewPointsOperation[], outcomes: readonly string[] = ['final']) => {
    const { rig, network, countPosted } = getStage()
    const settled = await rig.waitForPoints(entries, outcomes.length)
    expect(new Set(settled.map(({ statuses }) => statuses.join(' ')))).to.deep.equal(new Set([outcomes.join(' ')]))
    const posted = await countPosted?.()
    expect(entries.filter(({ id }) => posted?.get(id) !== 1)).to.deep.equal([])
    const accounts = [...new Set(entries.map(({ account }) => account))]
    expect(await rig.chains.readPoints(rig.db, network, application, accounts)).to.deep.equal(sumByAccount(entries))
    return settled
  }

  it('posts points of many accounts, in transactions of at most what the family takes', async () => {
    const { rig, network } = getStage()
    const accounts = await openWallets(40)
    const count = capabilities.maxPointsPerTransaction * 2 + 10
    const amounts = Array.from({ length: count }, (_, index) => (index % 5 === 4 ? -30n : BigInt(index + 1)))
    const entries = createEntries('many', accounts, [...amounts.slice(1), 10n ** 18n - 1n])
    const ids = entries.map(({ id }) => id)
    await rig.queuePoints(entries)
    expect(new Set((await rig.chains.readOperationStates(rig.db, ids)).values())).to.deep.equal(
      new Set([...ids.map(() => ({ state: 'queued', transactionHash: null }))]),
    )
    const [first] = await rig.chains.readOperationStates(rig.db, [ids[0] ?? '', 'no such operation'])
    expect(first).to.deep.equal([ids[0], { state: 'queued', transactionHash: null }])
    const queued = (await countOperationsByState(rig.db)).filter(({ state }) => state === 'queued')
    expect(queued).to.deep.equal([{ network, state: 'queued', count }])
    await withSenders(async () => {
      const settled = await expectPosted(entries)
      const sizes = [...Map.groupBy(settled, ({ hash }) => hash).values()].map(({ length }) => length)
      expect(sizes.filter((size) => size > capabilities.maxPointsPerTransaction)).to.deep.equal([])
      const states = await rig.chains.readOperationStates(rig.db, ids)
      expect(settled.map(({ operation }) => states.get(operation))).to.deep.equal(
        settled.map(({ hash }) => ({ state: 'final', transactionHash: hash })),
      )
      expect(settled.filter(({ at }) => Math.abs(Number(at) - Date.now()) > 60_000)).to.deep.equal([])
      const contracts = await rig.chains.listDeployedContracts(rig.db, [application])
      expect(contracts).to.deep.equal([
        {
          kind: 'points',
          application,
          network,
          address: settled[0]?.contract,
          issuer: null,
          name: 'Bags',
          symbol: 'BAGS',
        },
      ])
    })
  })

  it('leaves an account below zero that more is taken from than it has, until it gets more', async () => {
    const accounts = await openWallets(1)
    await withSenders(async () => {
      const before = createEntries('debt', accounts, [10n, -25n])
      await getStage().rig.queuePoints(before)
      await expectPosted(before)
      const after = createEntries('paid', accounts, [40n])
      await getStage().rig.queuePoints([...before, ...after])
      await expectPosted([...before, ...after])
    })
  })

  it('leaves out an operation that the contract has counted, and counts it as done', async () => {
    const { rig, network } = getStage()
    const accounts = await openWallets(2)
    const entries = createEntries('again', accounts, [10n, 20n])
    await withSenders(async () => {
      await rig.queuePoints(entries)
      await expectPosted(entries)
      await deleteChainOperations(
        rig.db,
        entries.map(({ id }) => id),
      )
      const others = createEntries('beside', accounts, [1n])
      await rig.queuePoints([...entries, ...others])
      await rig.waitForPoints(entries, 2)
      await rig.waitForPoints(others)
      const positions = await rig.chains.readPoints(rig.db, network, application, accounts)
      expect([...positions.values()]).to.deep.equal([11n, 20n])
      const posted = await getStage().countPosted?.()
      expect([...entries, ...others].map(({ id }) => posted?.get(id))).to.deep.equal([1, 1, 1])
    })
  })

  it('fails the entry of an account that is none, with a reason for people, and no other', async () => {
    const { rig, invalidAddress } = getStage()
    const accounts = await openWallets(3)
    const entries = createEntries('beside a wrong one', accounts, [1n, 2n, 3n, 4n])
    const wrong = createEntries('wrong', [invalidAddress], [5n])
    await withSenders(async () => {
      await rig.queuePoints([...entries.slice(0, 2), ...wrong, ...entries.slice(2)])
      const [failed] = await rig.waitForPoints(wrong)
      expect([failed?.statuses, failed?.reason]).to.deep.equal([['failed'], 'The receiving address is not valid.'])
      await expectPosted(entries)
    })
  })

  it('posts nothing twice when answers of the node get lost', async () => {
    const entries = createEntries('unanswered', await openWallets(5), [1n, 2n, 3n, 4n, 5n])
    await withSenders(async () => {
      getStage().loseAnswers(3)
      await getStage().rig.queuePoints(entries)
      await expectPosted(entries)
    })
  })

  for (const point of faultPoints) {
    it(`loses and doubles no points after a kill at ${point} and a restart`, async () => {
      const entries = createEntries(point, await openWallets(5), [10n, 20n, -30n, 40n, 50n, -60n])
      const killed = await getStage().rig.startSenderProcess(point)
      await getStage().rig.queuePoints(entries)
      const [, signal] = (await killed.exited) as [number | null, string | null]
      expect(signal, 'the fault point was reached').to.equal('SIGKILL')
      await withSenders(async () => {
        await expectPosted(entries)
      })
    })
  }

  it('refuses amounts that are none and ids that are no words', async () => {
    const { rig } = getStage()
    const [entry] = createEntries('refused', [getStage().invalidAddress], [1n])
    if (!entry) throw new Error('unreachable')
    const wrong = [{ amount: 0n }, { amount: 10n ** 18n }, { amount: -(10n ** 18n) }, { id: '0x12' }]
    for (const members of wrong) {
      const refused = await rig.queuePoints([{ ...entry, ...members }]).then(
        () => undefined,
        (cause: unknown) => cause,
      )
      expect(refused).to.be.instanceOf(TypeError)
    }
    expect(rig.chains.performs(entry.network, 'postPoints')).to.equal(true)
  })

  if (capabilities.reorganizes) {
    it('takes back what a reorganization took away, and posts it again under the same ids', async () => {
      const { rig } = getStage()
      const accounts = await openWallets(10)
      const kept = createEntries('kept', accounts, [1n])
      const amounts = Array.from({ length: capabilities.maxPointsPerTransaction + 20 }, (_, index) => BigInt(index + 1))
      const taken = createEntries('taken', accounts, amounts)
      await withSenders(async () => {
        await rig.queuePoints(kept)
        await expectPosted(kept)
        const endDetour = await getStage().startDetour?.()
        await rig.queuePoints(taken)
        await rig.waitForPoints(taken)
        await endDetour?.()
        const settled = await rig.waitForPoints(taken, 3)
        expect(new Set(settled.map(({ statuses }) => statuses.join(' ')))).to.deep.equal(
          new Set(['final undone final']),
        )
        expect((await rig.waitForPoints(kept)).map(({ statuses }) => statuses)).to.deep.equal([['final']])
        const all = [...kept, ...taken]
        expect(await rig.chains.readPoints(rig.db, getStage().network, application, accounts)).to.deep.equal(
          sumByAccount(all),
        )
        const posted = await getStage().countPosted?.()
        expect(all.filter(({ id }) => posted?.get(id) !== 1)).to.deep.equal([])
      })
    })
  }
}

function sumByAccount(entries: readonly NewPointsOperation[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { account, amount } of entries) sums.set(account, (sums.get(account) ?? 0n) + amount)
  return sums
}
