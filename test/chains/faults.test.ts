import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { NewOperation } from '../../core/chains/chain.ts'
import { anchors, claim, mints, startRig, tokenOf, type Rig } from '../support/chains.ts'
import { startDatabaseServer, type DatabaseServer } from '../support/database-server.ts'
import { makePicky } from '../support/picky.ts'
import { eventually } from '../support/processes.ts'
import { anchored } from '../support/records.ts'

const quick = { idle: 200, resend: 500, stuck: 400, gone: 300 }
const ids = (operations: readonly NewOperation[]) => operations.map(({ id }) => id)

describe('sending while something is wrong', () => {
  let server: DatabaseServer
  let rig: Rig
  let application: string

  before(async () => { server = await startDatabaseServer() })
  after(() => server.stop())
  beforeEach(async () => {
    rig = await startRig(server)
    application = randomUUID()
  })
  afterEach(() => rig.stop())

  const sent = () => rig.db('chain_transactions').where({ kind: 'mintBatch', status: 'submitted' })
  const mintedOnce = async (operations: readonly NewOperation[]) => {
    const { mints: minted } = await rig.node.transfers()
    expect(operations.filter(({ tokenId }) => minted.get(tokenId) !== 1).map(({ id }) => id)).to.deep.equal([])
  }
  const allDone = async (operations: readonly NewOperation[], times = 1) => {
    const found = await rig.outcomes(ids(operations), 30_000, times)
    expect(new Set(found.map(({ status }) => status))).to.deep.equal(new Set(['final']))
    await mintedOnce(operations.filter(({ kind }) => kind !== 'transferTo'))
    return found
  }

  it('waits for a node that does not answer and fails nothing', async () => {
    rig.send(quick)
    await rig.queue(mints(rig, 1, 'before', application))
    await rig.outcome('mint:before:0')
    await rig.node.kill()
    const job = mints(rig, 700, 'meanwhile', application)
    await rig.queue(job)
    await sleep(500)
    expect(await rig.chains.answers('EthereumAnvil')).to.equal(false)
    expect((await rig.settlements()).length).to.equal(1)
    await rig.node.start()
    expect(await rig.chains.answers('EthereumAnvil')).to.equal(true)
    await allDone([...job, ...mints(rig, 1, 'before', application)])
  })

  it('sends what was queued before the clock was put back, and waits for no more of it', async () => {
    const job = mints(rig, 3, 'ahead', application)
    await rig.queue(job)
    await rig.db('chain_operations').update({ created_at: rig.db.raw(`now() + interval '1 hour'`) })
    rig.send(quick)
    await allDone(job)
  })

  it('waits for a signer that is away and goes on with it', async () => {
    rig.send(quick)
    await rig.queue(mints(rig, 1, 'before', application))
    await rig.outcome('mint:before:0')
    await rig.signer.kill()
    const job = mints(rig, 10, 'unsigned', application)
    await rig.queue(job)
    await sleep(400)
    expect((await rig.settlements()).length).to.equal(1)
    await rig.signer.start()
    await allDone(job)
  })

  it('sends again, under the same operation ids, what a reorganization took away', async () => {
    rig.send(quick)
    const kept = mints(rig, 3, 'kept', application)
    await rig.queue(kept)
    await allDone(kept)
    const snapshot = await rig.node.ask<string>('evm_snapshot')
    const to = await rig.chains.address('EthereumAnvil', 'account:1')
    const taken = [...mints(rig, 600, 'taken', application), claim(rig, 'mintTo', tokenOf('fresh'), to, application),
      claim(rig, 'transferTo', tokenOf('kept 1'), to, application)]
    await rig.queue(taken)
    await allDone(taken)
    await rig.node.ask('evm_revert', snapshot)
    await allDone(taken, 2)
    expect((await rig.outcomes(ids(kept))).map(({ times }) => times)).to.deep.equal([1, 1, 1])
    expect((await rig.node.transfers()).moves.get(tokenOf('kept 1'))).to.equal(1)
  })

  for (const running of [true, false]) {
    const how = running ? 'that takes the place of the old one' : 'that it finds at its start'
    it(`brings everything to a new, empty chain ${how}`, async () => {
      const senders = rig.send(quick)
      const job = mints(rig, 600, 'again', application)
      const to = await rig.chains.address('EthereumAnvil', 'account:1')
      await rig.queue(job)
      await allDone(job)
      const moved = claim(rig, 'transferTo', tokenOf('again 5'), to, application)
      await rig.queue([moved])
      await allDone([moved])
      if (!running) await senders.stop()
      await rig.node.kill()
      await rig.node.start()
      if (!running) rig.send(quick)
      const [first] = await allDone([...job, moved], 2)
      expect(await rig.node.ask('eth_getCode', first?.contract, 'latest')).to.have.length.above(1_000)
      expect((await rig.node.transfers()).moves.get(tokenOf('again 5'))).to.equal(1)
      const more = mints(rig, 5, 'more', application)
      await rig.queue(more)
      await allDone(more)
    })
  }

  it('replaces a transaction that blocks pass by with one that pays more', async () => {
    rig.send(quick)
    await rig.queue(mints(rig, 1, 'first', application))
    await rig.outcome('mint:first:0')
    await rig.node.ask('evm_setAutomine', false)
    const job = mints(rig, 4, 'stuck', application)
    await rig.queue(job)
    const attempts = () => rig.db('chain_attempts').join('chain_transactions', 'chain_transactions.id', 'transaction')
      .where({ kind: 'mintBatch', status: 'submitted' })
    await eventually('it is sent', async () => (await attempts()).length === 1)
    await rig.node.ask('anvil_setNextBlockBaseFeePerGas', `0x${(60n * 10n ** 9n).toString(16)}`)
    for (const _ of [1, 2, 3]) await rig.node.ask('evm_mine')
    await eventually('it is replaced', async () => (await attempts()).length >= 2)
    await sleep(200)
    await rig.node.ask('evm_setAutomine', true)
    await rig.node.ask('evm_mine')
    await allDone(job)
  })

  it('fills a gap in its nonces', async () => {
    const senders = rig.send(quick)
    await rig.queue(mints(rig, 1, 'first', application))
    await rig.outcome('mint:first:0')
    await senders.stop()
    await rig.db.raw('update chain_senders set next_nonce = next_nonce + 2')
    rig.send(quick)
    const job = mints(rig, 3, 'after the gap', application)
    await rig.queue(job)
    await allDone(job)
    expect((await rig.db('chain_transactions').where({ kind: 'fill' })).length).to.equal(2)
  })

  it('sends again what lost its nonce to somebody else', async () => {
    rig.send(quick)
    await rig.queue(mints(rig, 1, 'first', application))
    await rig.outcome('mint:first:0')
    await rig.node.ask('evm_setAutomine', false)
    const job = mints(rig, 4, 'overtaken', application)
    await rig.queue(job)
    await eventually('it is sent', async () => (await sent()).length === 1)
    const [{ id, sender }] = await sent() as [{ id: string; sender: string }]
    await rig.node.ask('anvil_dropAllTransactions')
    await rig.node.ask('anvil_impersonateAccount', sender)
    await rig.node.ask('eth_sendTransaction', { from: sender, to: sender, value: '0x1' })
    await rig.node.ask('evm_mine')
    await rig.node.ask('evm_setAutomine', true)
    await allDone(job)
    expect(await rig.db('chain_transactions').where({ id }).select('status')).to.deep.equal([{ status: 'lost' }])
  })

  for (const when of ['simulated', 'mined']) {
    it(`splits a batch that reverts when it is ${when}, until the bad operation fails alone`, async () => {
      rig.send(quick)
      await rig.queue(mints(rig, 1, 'first', application))
      const contract = (await rig.outcome('mint:first:0')).contract ?? ''
      const job = mints(rig, 40, 'poisoned', application)
      if (when === 'mined') await rig.node.ask('evm_setAutomine', false)
      else await makePicky(rig.node, contract, tokenOf('poisoned 13'))
      await rig.queue(job)
      if (when === 'mined') {
        await eventually('it is sent', async () => (await sent()).length === 1)
        await makePicky(rig.node, contract, tokenOf('poisoned 13'))
        await rig.node.ask('evm_mine')
        await rig.node.ask('evm_setAutomine', true)
      }
      const all = await rig.outcomes(ids(job))
      expect(all.filter(({ status }) => status === 'failed').map(({ operation, reason }) => [operation, reason]))
        .to.deep.equal([['mint:poisoned:13', 'The contract refused the operation.']])
      await mintedOnce(job.filter((_, index) => index !== 13))
    })
  }

  it('is done by one of several processes, and by another when that one ends', async () => {
    const first = rig.send(quick)
    rig.send(quick)
    const job = mints(rig, 600, 'shared', application)
    await rig.queue(job)
    await allDone(job)
    const activity = await rig.db('pg_stat_activity').select('query')
      .where({ application_name: 'tessera sender' }).whereRaw('datname = current_database()')
    const asks = ({ query }: { query: string }) => query.includes('pg_try_advisory_lock')
    expect(activity.map(asks).sort()).to.deep.equal([false, true])
    await first.stop()
    const more = mints(rig, 600, 'taken over', application)
    await rig.queue(more)
    await allDone(more)
  })

  it('stops sending the moment its database connection is cut, and goes on with a new one', async () => {
    rig.send(quick)
    await rig.queue(mints(rig, 1, 'first', application))
    await rig.outcome('mint:first:0')
    await rig.db.raw(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tessera sender'
      and datname = current_database()`)
    const job = mints(rig, 600, 'new connection', application)
    await rig.queue(job)
    await allDone(job)
  })
})

describe('a network with several confirmations', () => {
  let server: DatabaseServer
  let rig: Rig

  before(async () => {
    server = await startDatabaseServer()
    rig = await startRig(server, { node: ['--chain-id', '84532'], rpcName: 'BASE_SEPOLIA_RPC_URL' })
  })
  after(async () => {
    await rig.stop()
    await server.stop()
  })

  const statuses = async () => {
    const rows = await rig.db('chain_transactions').select<{ status: string }[]>('status')
    return rows.map(({ status }) => status).join(' ')
  }

  it('ends nothing before enough blocks are on top, and takes back what is reorganized until then', async () => {
    rig.send(quick)
    const application = randomUUID()
    const snapshot = await rig.node.ask<string>('evm_snapshot')
    const job = mints(rig, 5, 'deep', application, 'BaseSepolia')
    const roots = anchors(rig, 2, 'deep', 'BaseSepolia')
    await rig.queue(job)
    await rig.record(roots)
    await eventually('all is included', async () => await statuses() === 'included included included included')
    await sleep(300)
    expect([await rig.settlements(), await rig.db('record_settlements')]).to.deep.equal([[], []])

    await rig.node.ask('evm_revert', snapshot)
    await eventually('it is in the chain again', async () =>
      (await rig.node.transfers()).mints.size === 5 && (await anchored(rig.node)).size === 2)
    await rig.node.ask('anvil_mine', '0x5')
    const all = await rig.outcomes(ids(job))
    const both = [...all, ...await rig.recorded(roots)]
    expect(both.map(({ status, times }) => `${status} ${times}`)).to.deep.equal(Array(7).fill('final 1'))
  })
})
