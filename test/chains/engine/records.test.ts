import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Hex } from 'viem'
import {
  createAnchors,
  createKeyRecords,
  createMints,
  startChainRig,
  toTokenId,
  type ChainRig,
} from '../../support/chains/chain-rig.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { makeContractRefuseToken } from '../../support/chains/refusing-contract.ts'
import { waitUntil } from '../../support/processes.ts'
import {
  countAnchors,
  getAnchorsContract,
  getKeysContract,
  toOrganizationWord,
} from '../../support/chains/record-contracts.ts'
import { listSharedContracts } from '../../support/rows/chains/contracts.ts'
import { countChainOperations, countOpenChainOperations } from '../../support/rows/chains/operations.ts'

const [first, second] = [toTokenId('first key'), toTokenId('second key')] as [Hex, Hex]

describe('Chain sender: anchors and key records', () => {
  let server: DatabaseServer
  let rig: ChainRig

  before(async () => {
    server = await startDatabaseServer()
    rig = await startChainRig(server)
    rig.startSenders()
  })
  after(async () => {
    await rig.stop()
    await server.stop()
  })

  const one = async (records: Parameters<ChainRig['waitForRecords']>[0]) => {
    const [found] = await rig.waitForRecords(records)
    if (!found) throw new Error('unreachable')
    return found
  }
  const receiptOf = (hash: string | null) =>
    rig.node.callRpc<{ to: string; blockNumber: Hex; blockHash: Hex; status: Hex }>('eth_getTransactionReceipt', hash)
  const timeOf = async (blockHash: Hex) =>
    (await rig.node.callRpc<{ timestamp: Hex }>('eth_getBlockByHash', blockHash, false)).timestamp

  it('anchors a root and tells contract, transaction, and number and time of the block', async () => {
    const records = createAnchors(rig, 1, 'one')
    await rig.insertRecords(records)
    const { status, reason, contract, hash, block, at, times } = await one(records)
    expect({ status, reason, times }).to.deep.equal({ status: 'final', reason: null, times: 1 })
    const receipt = await receiptOf(hash)
    expect([receipt.to, Number(receipt.blockNumber)]).to.deep.equal([contract?.toLowerCase(), block])
    const time = await timeOf(receipt.blockHash)
    expect(at).to.deep.equal(new Date(Number(time) * 1_000))
    expect(
      await getAnchorsContract(rig.node.url, contract).read.anchorOf([toTokenId('root one 0') as Hex]),
    ).to.deep.equal([BigInt(time), BigInt(block ?? 0)])
  })

  it('anchors roots of one moment in one transaction', async () => {
    const records = createAnchors(rig, 20, 'together')
    await rig.insertRecords(records)
    const all = await rig.waitForRecords(records)
    expect(new Set(all.map(({ status }) => status))).to.deep.equal(new Set(['final']))
    expect(new Set(all.map(({ hash }) => hash)).size).to.equal(1)
    const counts = await countAnchors(rig.node)
    expect(records.map(({ root }) => counts.get(root))).to.deep.equal(records.map(() => 1))
  })

  it('leaves a record alone that comes a second time', async () => {
    const records = createAnchors(rig, 1, 'one')
    await rig.insertRecords(records)
    await rig.insertRecords(records.map((record) => ({ ...record, root: toTokenId('another root') })))
    await waitUntil('nothing is under way', async () => (await countOpenChainOperations(rig.db)) === 0)
    const count = await countChainOperations(rig.db, { id: records[0]?.id ?? '' })
    expect([count, (await one(records)).times]).to.deep.equal([1, 1])
    expect((await countAnchors(rig.node)).get(toTokenId('another root'))).to.equal(undefined)
  })

  it('tells of a root that was anchored before what proves it: the transaction of then', async () => {
    const before = await one(createAnchors(rig, 1, 'one'))
    const again = createAnchors(rig, 2, 'one').map((record) => ({ ...record, id: `again:${record.root}` }))
    await rig.insertRecords(again)
    const [known, fresh] = await rig.waitForRecords(again)
    expect({ ...known, operation: before.operation }).to.deep.equal(before)
    expect(fresh?.block).to.be.above(before.block ?? 0)
    expect(Number((await receiptOf(fresh?.hash ?? null)).blockNumber)).to.equal(fresh?.block)
    expect((await countAnchors(rig.node)).get(toTokenId('root one 0'))).to.equal(1)
  })

  it('registers, rotates and revokes keys of one moment in the order they were recorded', async () => {
    const organization = randomUUID()
    const records = createKeyRecords(organization, [first, second])
    await rig.insertRecords(records)
    const all = await rig.waitForRecords(records)
    expect(new Set(all.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
    const [registered, rotated, revoked] = all.map(({ at }) => BigInt(at?.getTime() ?? 0) / 1_000n)
    const { read } = getKeysContract(rig.node.url, all[0]?.contract ?? null)
    const word = toOrganizationWord(organization)
    expect(await read.windowOf([word, first])).to.deep.equal([registered, rotated, revoked, 1_700_000_000n])
    expect(await read.windowOf([word, second])).to.deep.equal([rotated, 0n, 0n, 0n])
  })

  it('keeps what an organization does with its keys and its roots in one order on the chain', async () => {
    const organization = randomUUID()
    const [register, rotate, revoke] = createKeyRecords(organization, [toTokenId('third'), toTokenId('fourth')])
    const roots = createAnchors({ organization }, 3, 'in turn')
    const order = [register, roots[0], rotate, roots[1], revoke, roots[2]].flatMap((record) => record ?? [])
    await rig.insertRecords(order)
    const all = await rig.waitForRecords(order)
    const places = await Promise.all(
      all.map(async ({ hash }) => {
        const { blockNumber, transactionIndex } = await rig.node.callRpc<{ blockNumber: Hex; transactionIndex: Hex }>(
          'eth_getTransactionReceipt',
          hash,
        )
        return Number(blockNumber) * 1_000 + Number(transactionIndex)
      }),
    )
    expect(places).to.deep.equal([...places].sort((a, b) => a - b))
  })

  it('has one contract of each kind for all organizations, none of which is a token of an application', async () => {
    const application = randomUUID()
    const records = [randomUUID(), randomUUID()].flatMap((organization, index) => [
      ...createAnchors({ organization }, 1, `organization ${index}`),
      ...createKeyRecords(organization, [toTokenId(`a ${index}`), toTokenId(`b ${index}`)]),
    ])
    await rig.queueOperations(createMints(rig, 1, 'beside', application))
    await rig.insertRecords(records)
    const all = await rig.waitForRecords(records)
    await rig.waitForOutcome('mint:beside:0')
    expect(new Set(all.map(({ contract }) => contract)).size).to.equal(2)
    const shared = await listSharedContracts(rig.db)
    expect(shared.map(({ kind, network }) => ({ kind, network }))).to.deep.equal(
      ['anchors', 'keys'].map((kind) => ({ kind, network: 'EthereumAnvil' })),
    )
    const tokens = await rig.chains.listDeployedContracts(rig.db, [application])
    expect(tokens.map(({ name }) => name)).to.deep.equal(['Demo collection'])
  })

  it('refuses a root or key that is none, and a key that follows itself', async () => {
    const [record] = createAnchors(rig, 1, 'wrong')
    if (!record) throw new Error('unreachable')
    const own = { ...record, kind: 'rotateKey', key: first, previous: first } as const
    for (const wrong of [{ ...record, root: '0x12' }, { ...record, root: record.root.toUpperCase() }, own]) {
      const refused = await rig.insertRecords([wrong]).then(
        () => undefined,
        (cause: unknown) => cause,
      )
      expect(refused).to.be.instanceOf(TypeError)
    }
  })

  it('fails the root that its contract refuses, with a reason for people, and no other', async () => {
    const contract = (await one(createAnchors(rig, 1, 'one'))).contract ?? ''
    const code = await rig.node.callRpc<string>('eth_getCode', contract, 'latest')
    const records = createAnchors(rig, 9, 'poisoned')
    await makeContractRefuseToken(rig.node, contract, records[4]?.root ?? '')
    await rig.insertRecords(records)
    const all = await rig.waitForRecords(records)
    await rig.node.callRpc('anvil_setCode', contract, code)
    expect(all.map(({ status }) => status)).to.deep.equal(records.map((_, index) => (index === 4 ? 'failed' : 'final')))
    expect(all[4]).to.include({
      reason: 'The contract refused the operation.',
      contract: null,
      hash: null,
      block: null,
      at: null,
    })
  })

  it('rolls back with the transaction that recorded', async () => {
    const records = createAnchors(rig, 1, 'rolled back')
    const refused = await rig.db
      .transaction(async (trx) => {
        await rig.chains.queueRecords(trx, records)
        throw new Error('no')
      })
      .catch((cause: Error) => cause.message)
    expect(refused).to.equal('no')
    expect(await rig.hasOperation(records[0]?.id ?? '')).to.equal(false)
  })
})
