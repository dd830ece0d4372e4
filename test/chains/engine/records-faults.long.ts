import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Hex } from 'viem'
import type { NewChainRecord } from '../../../core/chains/port.ts'
import {
  createAnchors,
  createKeyRecords,
  toTokenId,
  useChainRig,
  type ChainRig,
} from '../../support/chains/chain-rig.ts'
import { waitUntil } from '../../support/processes.ts'
import {
  countAnchors,
  getAnchorsContract,
  getKeysContract,
  toOrganizationWord,
} from '../../support/chains/record-contracts.ts'
import type { RecordSettlement } from '../../support/chains/settlements.ts'
import { deleteSharedContracts, listSharedContracts } from '../../support/rows/chains/contracts.ts'
import {
  listChainTransactions,
  readChainTransactionStatus,
  type ChainTransaction,
} from '../../support/rows/chains/transactions.ts'

const quick = { idleIntervalMs: 200, resendDelayMs: 500, replaceDelayMs: 400, lostPlaceDelayMs: 300 }

/** Three roots, and two keys of the same organization with all that becomes of them. */
function recordsOf(organization: string, series: string): NewChainRecord[] {
  const [register, rotate, revoke] = createKeyRecords(organization, [
    toTokenId(`${series} a`),
    toTokenId(`${series} b`),
  ])
  const roots = createAnchors({ organization }, 3, series)
  return [register, roots[0], roots[1], rotate, roots[2], revoke].flatMap((record) => record ?? [])
}

/** All are final, each root is anchored once on this chain, and what was told of it is so. */
async function allOnce(rig: ChainRig, records: readonly NewChainRecord[], times = 1): Promise<RecordSettlement[]> {
  const all = await rig.waitForRecords(records, times)
  expect(new Set(all.map(({ status }) => status))).to.deep.equal(new Set(['final']))
  const counts = await countAnchors(rig.node)
  for (const [index, record] of records.entries()) {
    const { contract = null, hash, block, at } = all[index] ?? {}
    const receipt = await rig.node.callRpc<{ blockNumber: Hex } | null>('eth_getTransactionReceipt', hash)
    expect(Number(receipt?.blockNumber), record.id).to.equal(block)
    const { timestamp } = await rig.node.callRpc<{ timestamp: Hex }>(
      'eth_getBlockByNumber',
      receipt?.blockNumber,
      false,
    )
    expect(at, record.id).to.deep.equal(new Date(Number(timestamp) * 1_000))
    if (record.kind !== 'anchor') continue
    expect(counts.get(record.root), record.id).to.equal(1)
    expect(await getAnchorsContract(rig.node.url, contract).read.anchorOf([record.root as Hex])).to.deep.equal([
      BigInt(timestamp),
      BigInt(block ?? 0),
    ])
  }
  return all
}

const suite = useChainRig()

/** The first of a kind strikes the deployment of a contract, a later one a root or a key. */
const points = ['tx.stored:1', 'tx.stored:3', 'tx.broadcast:5', 'tx.receipt:3']

describe('Chain sender of anchors and key records, killed at fault points', () => {
  for (const point of points) {
    it(`loses and doubles nothing after a kill at ${point} and a restart`, async () => {
      const rig = suite()
      // Contracts of their own for each point.
      await deleteSharedContracts(rig.db)
      const records = recordsOf(randomUUID(), point)
      const first = await rig.startSenderProcess(point)
      await rig.insertRecords(records)
      const [, signal] = (await first.exited) as [number | null, string | null]
      expect(signal, 'the fault point was reached').to.equal('SIGKILL')
      const second = rig.startSenders()
      const all = await allOnce(rig, records)
      await second.stop()
      expect(new Set(all.map(({ times }) => times))).to.deep.equal(new Set([1]))
    })
  }
})

describe('Chain sender of anchors and key records, during faults of the node', () => {
  let senders: ReturnType<ChainRig['startSenders']>
  before(() => {
    senders = suite().startSenders(quick)
  })

  it('records again, under the same ids and with new facts, what a reorganization took away', async () => {
    const rig = suite()
    const kept = recordsOf(randomUUID(), 'kept')
    await rig.insertRecords(kept)
    await allOnce(rig, kept)
    const snapshot = await rig.node.callRpc<string>('evm_snapshot')
    const taken = recordsOf(randomUUID(), 'taken')
    await rig.insertRecords(taken)
    const before = await allOnce(rig, taken)
    await rig.node.callRpc('evm_setAutomine', false)
    await rig.node.callRpc('evm_revert', snapshot)
    await rig.node.callRpc('evm_increaseTime', 1_000)
    await rig.node.callRpc('evm_mine')
    await rig.node.callRpc('evm_setAutomine', true)
    await rig.node.callRpc('evm_mine')
    const after = await allOnce(rig, taken, 2)
    expect(after.filter(({ at }, index) => Number(at) < Number(before[index]?.at) + 900_000)).to.deep.equal([])
    expect(new Set((await allOnce(rig, kept)).map(({ times }) => times))).to.deep.equal(new Set([1]))
  })

  for (const running of [true, false]) {
    it(`brings contracts, keys and roots in their order to an empty chain, ${running ? 'at work' : 'at its start'}`, async () => {
      const rig = suite()
      const organization = randomUUID()
      const series = `again ${running}`
      const records = recordsOf(organization, series)
      await rig.insertRecords(records)
      await allOnce(rig, records)
      if (!running) await senders.stop()
      await rig.node.kill()
      await rig.node.start()
      if (!running) senders = rig.startSenders(quick)
      const [registered, , , rotated] = await allOnce(rig, records, 2)
      const { read } = getKeysContract(rig.node.url, registered?.contract ?? null)
      const [since, until, revoked] = await read.windowOf([
        toOrganizationWord(organization),
        toTokenId(`${series} a`) as Hex,
      ])
      expect([since, until]).to.deep.equal([registered, rotated].map((one) => BigInt(Number(one?.at) / 1_000)))
      expect(revoked >= until).to.equal(true)
      const more = recordsOf(randomUUID(), `more ${running}`)
      await rig.insertRecords(more)
      await allOnce(rig, more)
      expect(await listSharedContracts(rig.db)).to.have.length(2)
    })
  }

  it('records again what lost its nonce to somebody else', async () => {
    const rig = suite()
    // Nothing is sent again by time: between the two calls below it would get its nonce back.
    await senders.stop()
    senders = rig.startSenders({ ...quick, resendDelayMs: 60_000 })
    const first = createAnchors(rig, 1, 'first')
    await rig.insertRecords(first)
    await allOnce(rig, first)
    await rig.node.callRpc('evm_setAutomine', false)
    const records = createAnchors(rig, 4, 'overtaken')
    await rig.insertRecords(records)
    const sent = () => listChainTransactions(rig.db, { kind: 'anchor', status: 'submitted' })
    await waitUntil('it is sent', async () => (await sent()).length === 1)
    const [{ id, sender }] = (await sent()) as [ChainTransaction]
    await rig.node.callRpc('anvil_dropAllTransactions')
    await rig.node.callRpc('anvil_impersonateAccount', sender)
    await rig.node.callRpc('eth_sendTransaction', { from: sender, to: sender, value: '0x1' })
    await rig.node.callRpc('evm_mine')
    await rig.node.callRpc('evm_setAutomine', true)
    await allOnce(rig, records)
    expect(await readChainTransactionStatus(rig.db, id)).to.equal('lost')
  })
})
