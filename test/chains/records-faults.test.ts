import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Hex } from 'viem'
import type { NewRecord } from '../../core/chains/chain.ts'
import { anchors, keyRecords, tokenOf, useRig, type Rig } from '../support/chains.ts'
import { eventually } from '../support/processes.ts'
import { anchored, anchorsAt, keysAt, organizationWord } from '../support/records.ts'
import type { RecordSettlement } from '../support/settlements.ts'

const quick = { idle: 200, resend: 500, stuck: 400, gone: 300 }

/** Three roots, and two keys of the same organization with all that becomes of them. */
function recordsOf(organization: string, series: string): NewRecord[] {
  const [register, rotate, revoke] = keyRecords(organization, [tokenOf(`${series} a`), tokenOf(`${series} b`)])
  const roots = anchors({ organization }, 3, series)
  return [register, roots[0], roots[1], rotate, roots[2], revoke].flatMap((record) => record ?? [])
}

/** All are final, each root is anchored once on this chain, and what was told of it is so. */
async function allOnce(rig: Rig, records: readonly NewRecord[], times = 1): Promise<RecordSettlement[]> {
  const all = await rig.recorded(records, times)
  expect(new Set(all.map(({ status }) => status))).to.deep.equal(new Set(['final']))
  const counts = await anchored(rig.node)
  for (const [index, record] of records.entries()) {
    const { contract = null, hash, block, at } = all[index] ?? {}
    const receipt = await rig.node.ask<{ blockNumber: Hex } | null>('eth_getTransactionReceipt', hash)
    expect(Number(receipt?.blockNumber), record.id).to.equal(block)
    const { timestamp } = await rig.node.ask<{ timestamp: Hex }>('eth_getBlockByNumber', receipt?.blockNumber, false)
    expect(at, record.id).to.deep.equal(new Date(Number(timestamp) * 1_000))
    if (record.kind !== 'anchor') continue
    expect(counts.get(record.root), record.id).to.equal(1)
    expect(await anchorsAt(rig.node.url, contract).read.anchorOf([record.root as Hex]))
      .to.deep.equal([BigInt(timestamp), BigInt(block ?? 0)])
  }
  return all
}

const suite = useRig()

/** The first of a kind strikes the deployment of a contract, a later one a root or a key. */
const points = ['tx.stored:1', 'tx.stored:3', 'tx.broadcast:5', 'tx.receipt:3']

describe('a sender of records that is killed', () => {
  for (const point of points) {
    it(`at ${point} has nothing lost and nothing twice after its restart`, async () => {
      const rig = suite()
      // Contracts of their own for each point.
      await rig.db('chain_contracts').whereNull('application').delete()
      const records = recordsOf(randomUUID(), point)
      const first = await rig.sendInChild(point)
      await rig.record(records)
      const [, signal] = await first.exited as [number | null, string | null]
      expect(signal, 'the fault point was reached').to.equal('SIGKILL')
      const second = rig.send()
      const all = await allOnce(rig, records)
      await second.stop()
      expect(new Set(all.map(({ times }) => times))).to.deep.equal(new Set([1]))
    })
  }
})

describe('recording while something is wrong', () => {
  let senders: ReturnType<Rig['send']>
  before(() => { senders = suite().send(quick) })

  it('records again, under the same ids and with new facts, what a reorganization took away', async () => {
    const rig = suite()
    const kept = recordsOf(randomUUID(), 'kept')
    await rig.record(kept)
    await allOnce(rig, kept)
    const snapshot = await rig.node.ask<string>('evm_snapshot')
    const taken = recordsOf(randomUUID(), 'taken')
    await rig.record(taken)
    const before = await allOnce(rig, taken)
    await rig.node.ask('evm_setAutomine', false)
    await rig.node.ask('evm_revert', snapshot)
    await rig.node.ask('evm_increaseTime', 1_000)
    await rig.node.ask('evm_mine')
    await rig.node.ask('evm_setAutomine', true)
    await rig.node.ask('evm_mine')
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
      await rig.record(records)
      await allOnce(rig, records)
      if (!running) await senders.stop()
      await rig.node.kill()
      await rig.node.start()
      if (!running) senders = rig.send(quick)
      const [registered, , , rotated] = await allOnce(rig, records, 2)
      const { read } = keysAt(rig.node.url, registered?.contract ?? null)
      const [since, until, revoked] = await read.windowOf([organizationWord(organization), tokenOf(`${series} a`) as Hex])
      expect([since, until]).to.deep.equal([registered, rotated].map((one) => BigInt(Number(one?.at) / 1_000)))
      expect(revoked >= until).to.equal(true)
      const more = recordsOf(randomUUID(), `more ${running}`)
      await rig.record(more)
      await allOnce(rig, more)
      expect(await rig.db('chain_contracts').whereNull('application')).to.have.length(2)
    })
  }

  it('records again what lost its nonce to somebody else', async () => {
    const rig = suite()
    const first = anchors(rig, 1, 'first')
    await rig.record(first)
    await allOnce(rig, first)
    await rig.node.ask('evm_setAutomine', false)
    const records = anchors(rig, 4, 'overtaken')
    await rig.record(records)
    const sent = () => rig.db('chain_transactions').where({ kind: 'anchor', status: 'submitted' })
    await eventually('it is sent', async () => (await sent()).length === 1)
    const [{ id, sender }] = await sent() as [{ id: string; sender: string }]
    await rig.node.ask('anvil_dropAllTransactions')
    await rig.node.ask('anvil_impersonateAccount', sender)
    await rig.node.ask('eth_sendTransaction', { from: sender, to: sender, value: '0x1' })
    await rig.node.ask('evm_mine')
    await rig.node.ask('evm_setAutomine', true)
    await allOnce(rig, records)
    expect(await rig.db('chain_transactions').where({ id }).select('status')).to.deep.equal([{ status: 'lost' }])
  })
})
