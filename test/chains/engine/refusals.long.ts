import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { NewTokenOperation } from '../../../core/chains/port.ts'
import anchorsArtifact from '../../../core/chains/evm/contracts/artifacts/CertificateAnchors.json' with { type: 'json' }
import {
  createAnchors,
  createClaim,
  createKeyRecords,
  createMints,
  startChainRig,
  toTokenId,
  type ChainRig,
} from '../../support/chains/chain-rig.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { waitUntil } from '../../support/processes.ts'
import { countAnchors } from '../../support/chains/record-contracts.ts'
import { startRpcProxy, type RpcProxy } from '../../support/chains/rpc-proxy.ts'
import { countEmptyAttempts, listAttempts } from '../../support/rows/chains/attempts.ts'
import { listChainOperationStatuses, readRefusals } from '../../support/rows/chains/operations.ts'
import { countChainTransactions } from '../../support/rows/chains/transactions.ts'

const quick = { idleIntervalMs: 200, resendDelayMs: 100, lostPlaceDelayMs: 300, maxHoldMs: 400 }
const ids = (operations: readonly NewTokenOperation[]) => operations.map(({ id }) => id)

let server: DatabaseServer
before(async () => {
  server = await startDatabaseServer()
})
after(() => server.stop())

describe('Chain sender: transactions that the node refuses', () => {
  let rig: ChainRig
  let proxy: RpcProxy
  let application: string
  let to: string

  before(async () => {
    rig = await startChainRig(server, { proxy: async (node) => (proxy = await startRpcProxy(node)) })
    rig.startSenders(quick)
    application = randomUUID()
    to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    await rig.queueOperations(createMints(rig, 1, 'first', application))
    await rig.waitForOutcome('mint:first:0')
  })
  after(() => rig.stop())
  afterEach(() => {
    proxy.findRefusal = () => null
  })

  /** The node never takes a transaction in which this token stands. */
  const refuse = (tokenId: string) => {
    proxy.findRefusal = (raw) => (raw.includes(tokenId.slice(2)) ? 'oversized data' : null)
  }
  const mintedTimes = async (operations: readonly NewTokenOperation[]) => {
    const { mints: minted } = await rig.node.countTransfers()
    return operations.map(({ tokenId }) => minted.get(tokenId) ?? 0)
  }
  const failed = async (operations: readonly NewTokenOperation[]) =>
    (await rig.waitForOutcomes(ids(operations)))
      .filter(({ status }) => status === 'failed')
      .map(({ operation, reason, times }) => [operation, reason, times])

  it('fails an operation that is refused for good after some tries, and goes on with the others', async () => {
    const bad = createClaim(rig, 'mintTo', toTokenId('never taken'), to, application)
    refuse(bad.tokenId)
    await rig.queueOperations([bad])
    await waitUntil('it is refused', async () => (await countEmptyAttempts(rig.db)) > 0)
    const others = [0, 1, 2].map((at) => createClaim(rig, 'mintTo', toTokenId(`beside ${at}`), to, application))
    await rig.queueOperations(others)
    expect(await failed([bad])).to.deep.equal([[bad.id, 'The network does not take the transaction.', 1]])
    expect(await failed(others)).to.deep.equal([])
    expect(await mintedTimes([bad, ...others])).to.deep.equal([0, 1, 1, 1])
    expect(await readRefusals(rig.db, bad.id)).to.equal(3)
    expect(await countChainTransactions(rig.db, { status: 'reverted', kind: 'mint' })).to.equal(3)
  })

  it('mints all others when a batch is refused because of one token', async () => {
    const job = createMints(rig, 12, 'poisoned', application)
    refuse(toTokenId('poisoned 7'))
    await rig.queueOperations(job)
    expect(await failed(job)).to.deep.equal([['mint:poisoned:7', 'The network does not take the transaction.', 1]])
    expect(await mintedTimes(job)).to.deep.equal(job.map((_, at) => (at === 7 ? 0 : 1)))
  })

  it('fails nothing while everything is refused for a while', async () => {
    proxy.findRefusal = () => 'internal error'
    const job = [
      ...createMints(rig, 5, 'sick', application),
      createClaim(rig, 'mintTo', toTokenId('sick claim'), to, application),
    ]
    await rig.queueOperations(job)
    await sleep(1_500)
    expect(await listChainOperationStatuses(rig.db, ids(job))).to.not.include('failed')
    proxy.findRefusal = () => null
    expect(await failed(job)).to.deep.equal([])
    expect(await mintedTimes(job)).to.deep.equal(job.map(() => 1))
  })

  it('signs nothing new while the node has no room', async () => {
    const before = await countEmptyAttempts(rig.db)
    proxy.findRefusal = () => 'txpool is full'
    const one = createClaim(rig, 'mintTo', toTokenId('no room'), to, application)
    await rig.queueOperations([one])
    await sleep(1_000)
    proxy.findRefusal = () => null
    expect(await failed([one])).to.deep.equal([])
    expect(await countEmptyAttempts(rig.db)).to.equal(before)
  })

  it('makes only the operations wait whose contract is refused', async () => {
    const stuck = randomUUID()
    const issuer = await rig.chains.ensureWalletAddress('EthereumAnvil', `issuer:${stuck}`)
    refuse(issuer.toLowerCase())
    const waiting = Array.from({ length: 20 }, (_, at) =>
      createClaim(rig, 'mintTo', toTokenId(`no contract ${at}`), to, stuck),
    )
    await rig.queueOperations(waiting)
    await waitUntil(
      'it is given up',
      async () => (await countChainTransactions(rig.db, { kind: 'deploy', status: 'reverted' })) === 1,
    )
    const others = [
      ...createMints(rig, 3, 'with contract', application),
      createClaim(rig, 'mintTo', toTokenId('with contract'), to, application),
    ]
    await rig.queueOperations(others)
    expect(await failed(others)).to.deep.equal([])
    proxy.findRefusal = () => null
    expect(await failed(waiting)).to.deep.equal([])
    expect(await mintedTimes([...others, ...waiting])).to.deep.equal(Array(24).fill(1))
  })

  it('makes roots wait while their contract is refused, and neither keys nor tokens', async () => {
    proxy.findRefusal = (raw) => (raw.includes(anchorsArtifact.bytecode.slice(2)) ? 'oversized data' : null)
    const waiting = createAnchors(rig, 3, 'no contract')
    await rig.insertRecords(waiting)
    await waitUntil(
      'it is given up',
      async () =>
        (await countChainTransactions(rig.db, { kind: 'deploy', status: 'reverted', application: null })) === 1,
    )
    const [others, tokens] = [
      createKeyRecords(randomUUID(), [toTokenId('a'), toTokenId('b')]),
      createMints(rig, 3, 'no root', application),
    ]
    await rig.insertRecords(others)
    await rig.queueOperations(tokens)
    expect((await rig.waitForRecords(others)).map(({ status }) => status)).to.deep.equal(['final', 'final', 'final'])
    expect(await failed(tokens)).to.deep.equal([])
    const settled = await rig.listRecordSettlements()
    expect(settled.filter(({ operation }) => waiting.some(({ id }) => id === operation))).to.deep.equal([])
    proxy.findRefusal = () => null
    const all = await rig.waitForRecords(waiting)
    expect(all.map(({ status, times }) => `${status} ${times}`)).to.deep.equal(Array(3).fill('final 1'))
    const counts = await countAnchors(rig.node)
    expect(waiting.map(({ root }) => counts.get(root))).to.deep.equal([1, 1, 1])
  })

  it('counts a transaction once that the node refuses and has all the same', async () => {
    await rig.node.callRpc('evm_setAutomine', false)
    const one = createClaim(rig, 'mintTo', toTokenId('taken all the same'), to, application)
    await rig.queueOperations([one])
    const attempts = () => listAttempts(rig.db, one.id)
    await waitUntil('the node has it', async () => (await attempts()).length === 1)
    proxy.findRefusal = () => 'transaction type not supported'
    await waitUntil('its nonce is to be used up', async () => (await attempts()).some(({ empty }) => empty))
    await rig.node.callRpc('evm_mine')
    await rig.node.callRpc('evm_setAutomine', true)
    proxy.findRefusal = () => null
    expect((await rig.waitForOutcome(one.id)).status).to.equal('final')
    expect(await mintedTimes([one])).to.deep.equal([1])
  })
})

/** Code that answers every call with the error `EnforcedPause()`. */
const paused = '0x63d93c066560e01b60005260046000fd'

describe('Chain sender: a paused contract', () => {
  let rig: ChainRig
  const [still, lively] = [randomUUID(), randomUUID()]

  before(async () => {
    rig = await startChainRig(server)
    rig.startSenders(quick)
    const first = [...createMints(rig, 1, 'still', still), ...createMints(rig, 1, 'lively', lively)]
    await rig.queueOperations(first)
    await rig.waitForOutcomes(ids(first))
  })
  after(() => rig.stop())

  let resume: (() => Promise<void>) | undefined
  afterEach(() => resume?.())

  async function pause(): Promise<void> {
    const { contract } = await rig.waitForOutcome('mint:still:0')
    const code = await rig.node.callRpc<string>('eth_getCode', contract, 'latest')
    await rig.node.callRpc('anvil_setCode', contract, paused)
    resume = async () => {
      await rig.node.callRpc('anvil_setCode', contract, code)
    }
  }
  const unsettled = async (operations: readonly NewTokenOperation[]) => {
    const settled = new Set((await rig.listSettlements()).map(({ operation }) => operation))
    return operations.filter(({ id }) => !settled.has(id)).length
  }

  it('makes its own operations wait and no others, and then they are done', async () => {
    const to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    await pause()
    const waiting = [
      ...createMints(rig, 3, 'meanwhile', still),
      ...Array.from({ length: 30 }, (_, at) => createClaim(rig, 'mintTo', toTokenId(`waiting ${at}`), to, still)),
    ]
    await rig.queueOperations(waiting)
    const others = [
      ...createMints(rig, 3, 'others', lively),
      createClaim(rig, 'mintTo', toTokenId('other'), to, lively),
    ]
    await rig.queueOperations(others)
    const done = await rig.waitForOutcomes(ids(others))
    expect(new Set(done.map(({ status }) => status))).to.deep.equal(new Set(['final']))
    expect(await unsettled(waiting)).to.equal(waiting.length)
    await resume?.()
    const all = await rig.waitForOutcomes(ids(waiting))
    expect(new Set(all.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
  })

  it('fails nothing that reverts because the pause came first', async () => {
    await rig.node.callRpc('evm_setAutomine', false)
    const job = createMints(rig, 3, 'overtaken', still)
    await rig.queueOperations(job)
    const batches = (status: 'submitted' | 'reverted') => countChainTransactions(rig.db, { kind: 'mintBatch', status })
    await waitUntil('it is sent', async () => (await batches('submitted')) === 1)
    await pause()
    await rig.node.callRpc('evm_mine')
    await rig.node.callRpc('evm_setAutomine', true)
    await waitUntil('it reverted', async () => (await batches('reverted')) === 1)
    expect(await unsettled(job)).to.equal(job.length)
    await resume?.()
    const all = await rig.waitForOutcomes(ids(job))
    expect(new Set(all.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
  })
})
