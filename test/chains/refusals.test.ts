import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { NewOperation } from '../../core/chains/chain.ts'
import anchorsArtifact from '../../core/chains/evm/contracts/artifacts/CertificateAnchors.json' with { type: 'json' }
import { anchors, claim, keyRecords, mints, startRig, tokenOf, type Rig } from '../support/chains.ts'
import { startDatabaseServer, type DatabaseServer } from '../support/database-server.ts'
import { eventually } from '../support/processes.ts'
import { anchored } from '../support/records.ts'
import { startRpcProxy, type RpcProxy } from '../support/rpc-proxy.ts'

const quick = { idle: 200, resend: 100, gone: 300, hold: 400 }
const ids = (operations: readonly NewOperation[]) => operations.map(({ id }) => id)

let server: DatabaseServer
before(async () => { server = await startDatabaseServer() })
after(() => server.stop())

describe('A sender whose node refuses', () => {
  let rig: Rig
  let proxy: RpcProxy
  let application: string
  let to: string

  before(async () => {
    rig = await startRig(server, { proxy: async (node) => proxy = await startRpcProxy(node) })
    rig.send(quick)
    application = randomUUID()
    to = await rig.chains.address('EthereumAnvil', 'account:1')
    await rig.queue(mints(rig, 1, 'first', application))
    await rig.outcome('mint:first:0')
  })
  after(() => rig.stop())
  afterEach(() => { proxy.refuses = () => null })

  /** The node never takes a transaction in which this token stands. */
  const refuse = (tokenId: string) => {
    proxy.refuses = (raw) => (raw.includes(tokenId.slice(2)) ? 'oversized data' : null)
  }
  const mintedTimes = async (operations: readonly NewOperation[]) => {
    const { mints: minted } = await rig.node.transfers()
    return operations.map(({ tokenId }) => minted.get(tokenId) ?? 0)
  }
  const failed = async (operations: readonly NewOperation[]) =>
    (await rig.outcomes(ids(operations))).filter(({ status }) => status === 'failed')
      .map(({ operation, reason, times }) => [operation, reason, times])

  it('an operation for good fails it after some tries, and goes on with the others', async () => {
    const bad = claim(rig, 'mintTo', tokenOf('never taken'), to, application)
    refuse(bad.tokenId)
    await rig.queue([bad])
    await eventually('it is refused', async () => (await rig.db('chain_attempts').where({ empty: true })).length > 0)
    const others = [0, 1, 2].map((at) => claim(rig, 'mintTo', tokenOf(`beside ${at}`), to, application))
    await rig.queue(others)
    expect(await failed([bad])).to.deep.equal([[bad.id, 'The network does not take the transaction.', 1]])
    expect(await failed(others)).to.deep.equal([])
    expect(await mintedTimes([bad, ...others])).to.deep.equal([0, 1, 1, 1])
    expect(await rig.db('chain_operations').where({ id: bad.id }).pluck('refusals')).to.deep.equal([3])
    expect(await rig.db('chain_transactions').where({ status: 'reverted', kind: 'mint' })).to.have.length(3)
  })

  it('a batch because of one token mints all others', async () => {
    const job = mints(rig, 12, 'poisoned', application)
    refuse(tokenOf('poisoned 7'))
    await rig.queue(job)
    expect(await failed(job)).to.deep.equal([['mint:poisoned:7', 'The network does not take the transaction.', 1]])
    expect(await mintedTimes(job)).to.deep.equal(job.map((_, at) => (at === 7 ? 0 : 1)))
  })

  it('everything for a while has nothing failed', async () => {
    proxy.refuses = () => 'internal error'
    const job = [...mints(rig, 5, 'sick', application), claim(rig, 'mintTo', tokenOf('sick claim'), to, application)]
    await rig.queue(job)
    await sleep(1_500)
    expect((await rig.db('chain_operations').whereIn('id', ids(job)).pluck<string[]>('status'))).to.not.include('failed')
    proxy.refuses = () => null
    expect(await failed(job)).to.deep.equal([])
    expect(await mintedTimes(job)).to.deep.equal(job.map(() => 1))
  })

  it('everything because it has no room signs nothing in its place', async () => {
    const empties = () => rig.db('chain_attempts').where({ empty: true })
    const before = (await empties()).length
    proxy.refuses = () => 'txpool is full'
    const one = claim(rig, 'mintTo', tokenOf('no room'), to, application)
    await rig.queue([one])
    await sleep(1_000)
    proxy.refuses = () => null
    expect(await failed([one])).to.deep.equal([])
    expect((await empties()).length).to.equal(before)
  })

  it('a contract makes the operations wait that need it, and no others', async () => {
    const stuck = randomUUID()
    const issuer = await rig.chains.address('EthereumAnvil', `issuer:${stuck}`)
    refuse(issuer.toLowerCase())
    const waiting = Array.from({ length: 20 }, (_, at) => claim(rig, 'mintTo', tokenOf(`no contract ${at}`), to, stuck))
    await rig.queue(waiting)
    await eventually('it is given up', async () =>
      (await rig.db('chain_transactions').where({ kind: 'deploy', status: 'reverted' })).length === 1)
    const others = [...mints(rig, 3, 'with contract', application),
      claim(rig, 'mintTo', tokenOf('with contract'), to, application)]
    await rig.queue(others)
    expect(await failed(others)).to.deep.equal([])
    proxy.refuses = () => null
    expect(await failed(waiting)).to.deep.equal([])
    expect(await mintedTimes([...others, ...waiting])).to.deep.equal(Array(24).fill(1))
  })

  it('the contract of roots makes the roots wait, and neither keys nor tokens', async () => {
    proxy.refuses = (raw) => (raw.includes(anchorsArtifact.bytecode.slice(2)) ? 'oversized data' : null)
    const waiting = anchors(rig, 3, 'no contract')
    await rig.record(waiting)
    await eventually('it is given up', async () =>
      (await rig.db('chain_transactions').where({ kind: 'deploy', status: 'reverted', application: null })).length === 1)
    const [others, tokens] = [keyRecords(randomUUID(), [tokenOf('a'), tokenOf('b')]), mints(rig, 3, 'no root', application)]
    await rig.record(others)
    await rig.queue(tokens)
    expect((await rig.recorded(others)).map(({ status }) => status)).to.deep.equal(['final', 'final', 'final'])
    expect(await failed(tokens)).to.deep.equal([])
    expect(await rig.db('record_settlements').whereIn('operation', waiting.map(({ id }) => id))).to.deep.equal([])
    proxy.refuses = () => null
    const all = await rig.recorded(waiting)
    expect(all.map(({ status, times }) => `${status} ${times}`)).to.deep.equal(Array(3).fill('final 1'))
    const counts = await anchored(rig.node)
    expect(waiting.map(({ root }) => counts.get(root))).to.deep.equal([1, 1, 1])
  })

  it('a transaction that it has all the same counts it once', async () => {
    await rig.node.ask('evm_setAutomine', false)
    const one = claim(rig, 'mintTo', tokenOf('taken all the same'), to, application)
    await rig.queue([one])
    const attempts = () => rig.db('chain_attempts').join('chain_transactions', 'chain_transactions.id', 'transaction')
      .join('chain_operations', 'chain_operations.transaction', 'chain_transactions.id')
      .where('chain_operations.id', one.id).orderBy('chain_attempts.created_at').pluck<boolean[]>('empty')
    await eventually('the node has it', async () => (await attempts()).length === 1)
    proxy.refuses = () => 'transaction type not supported'
    await eventually('its nonce is to be used up', async () => (await attempts()).includes(true))
    await rig.node.ask('evm_mine')
    await rig.node.ask('evm_setAutomine', true)
    proxy.refuses = () => null
    expect((await rig.outcome(one.id)).status).to.equal('final')
    expect(await mintedTimes([one])).to.deep.equal([1])
  })
})

/** Code that answers every call with the error `EnforcedPause()`. */
const paused = '0x63d93c066560e01b60005260046000fd'

describe('A contract that is paused', () => {
  let rig: Rig
  const [still, lively] = [randomUUID(), randomUUID()]

  before(async () => {
    rig = await startRig(server)
    rig.send(quick)
    const first = [...mints(rig, 1, 'still', still), ...mints(rig, 1, 'lively', lively)]
    await rig.queue(first)
    await rig.outcomes(ids(first))
  })
  after(() => rig.stop())

  let resume: (() => Promise<void>) | undefined
  afterEach(() => resume?.())

  async function pause(): Promise<void> {
    const { contract } = await rig.outcome('mint:still:0')
    const code = await rig.node.ask<string>('eth_getCode', contract, 'latest')
    await rig.node.ask('anvil_setCode', contract, paused)
    resume = async () => { await rig.node.ask('anvil_setCode', contract, code) }
  }
  const unsettled = async (operations: readonly NewOperation[]) =>
    operations.length - (await rig.db('settlements').whereIn('operation', ids(operations))).length

  it('makes its own operations wait and no others, and then they are done', async () => {
    const to = await rig.chains.address('EthereumAnvil', 'account:1')
    await pause()
    const waiting = [...mints(rig, 3, 'meanwhile', still),
      ...Array.from({ length: 30 }, (_, at) => claim(rig, 'mintTo', tokenOf(`waiting ${at}`), to, still))]
    await rig.queue(waiting)
    const others = [...mints(rig, 3, 'others', lively), claim(rig, 'mintTo', tokenOf('other'), to, lively)]
    await rig.queue(others)
    const done = await rig.outcomes(ids(others))
    expect(new Set(done.map(({ status }) => status))).to.deep.equal(new Set(['final']))
    expect(await unsettled(waiting)).to.equal(waiting.length)
    await resume?.()
    const all = await rig.outcomes(ids(waiting))
    expect(new Set(all.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
  })

  it('fails nothing that reverts because the pause came first', async () => {
    await rig.node.ask('evm_setAutomine', false)
    const job = mints(rig, 3, 'overtaken', still)
    await rig.queue(job)
    const sent = () => rig.db('chain_transactions').where({ kind: 'mintBatch', status: 'submitted' })
    await eventually('it is sent', async () => (await sent()).length === 1)
    await pause()
    await rig.node.ask('evm_mine')
    await rig.node.ask('evm_setAutomine', true)
    await eventually('it reverted', async () =>
      (await rig.db('chain_transactions').where({ kind: 'mintBatch', status: 'reverted' })).length === 1)
    expect(await unsettled(job)).to.equal(job.length)
    await resume?.()
    const all = await rig.outcomes(ids(job))
    expect(new Set(all.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
  })
})
