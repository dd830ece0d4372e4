import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { NewOperation } from '../../core/chains/chain.ts'
import { passportsAbi as abi } from '../../core/chains/evm/contracts/passports.abi.ts'
import { strandedOperations } from '../../core/chains/retired.ts'
import { claim, contractOwner, mints, startRig, tokenOf, type Rig } from '../support/chains.ts'
import { startDatabaseServer, type DatabaseServer } from '../support/database-server.ts'
import { eventually } from '../support/processes.ts'

const limitedTo = (batches: number) => ({ PASSPORT_BATCHES_PER_CONTRACT: `${batches}` })
const quick = { idle: 200, resend: 500, gone: 300 }
const ids = (operations: readonly NewOperation[]) => operations.map(({ id }) => id)

describe('an application whose contract has all its batches', () => {
  let server: DatabaseServer
  let rig: Rig
  let application: string
  const lines: string[] = []

  before(async () => { server = await startDatabaseServer() })
  after(() => server.stop())
  const begin = async (batches: number) => {
    rig = await startRig(server, {
      env: { ...limitedTo(batches), LOG_LEVEL: 'warn' },
      log: new Writable({ write: (chunk: Buffer, _, done) => { lines.push(String(chunk)); done() } }),
    })
  }
  beforeEach(async () => {
    lines.length = 0
    await begin(2)
    application = randomUUID()
  })
  afterEach(() => rig.stop())

  const call = async (to: string, data: Hex) => rig.node.ask<Hex>('eth_call', { to, data }, 'latest')
  const ownerOf = async (contract: string | null, tokenId: string) => {
    const data = encodeFunctionData({ abi, functionName: 'ownerOf', args: [BigInt(tokenId)] })
    return decodeFunctionResult({ abi, functionName: 'ownerOf', data: await call(contract ?? '', data) })
  }
  /** Contracts of the application, oldest first, and how many batches the chain says each has. */
  const batchCounts = async () => {
    const contracts = await rig.chains.contracts(rig.db, [application])
    return Promise.all(contracts.map(async ({ address }) => {
      const data = await call(address, encodeFunctionData({ abi, functionName: 'batchCount' }))
      return Number(decodeFunctionResult({ abi, functionName: 'batchCount', data }))
    }))
  }
  const allDone = async (operations: readonly NewOperation[], times = 1) => {
    const found = await rig.outcomes(ids(operations), 40_000, times)
    expect(new Set(found.map(({ status }) => status))).to.deep.equal(new Set(['final']))
    return found
  }
  const mintedOnce = async (operations: readonly NewOperation[]) => {
    const { mints: minted } = await rig.node.transfers()
    expect(operations.filter(({ tokenId }) => minted.get(tokenId) !== 1)).to.deep.equal([])
  }
  /** One batch after another, three tokens each. */
  const batches = async (...series: string[]) => {
    const all: NewOperation[][] = []
    for (const name of series) {
      const job = mints(rig, 3, name, application)
      await rig.queue(job)
      await allDone(job)
      all.push(job)
    }
    return all.flat()
  }

  it('mints the next batch in a further contract, each token once', async () => {
    rig.send(quick)
    const all = await batches('one', 'two', 'three')
    expect(await batchCounts()).to.deep.equal([2, 1])
    const [first, second] = (await rig.chains.contracts(rig.db, [application])).map(({ address }) => address)
    expect((await allDone(all)).map(({ contract }) => contract))
      .to.deep.equal([...Array<unknown>(6).fill(first), ...Array<unknown>(3).fill(second)])
    await mintedOnce(all)
  })

  it('moves a token in the contract that it was minted in, and mints a claimed one in the newest', async () => {
    rig.send(quick)
    await batches('one', 'two', 'three')
    const to = await rig.chains.address('EthereumAnvil', 'account:1')
    const issuer = await rig.chains.address('EthereumAnvil', `issuer:${application}`)
    const claims = [
      claim(rig, 'transferTo', tokenOf('one 1'), to, application),
      claim(rig, 'transferTo', tokenOf('three 1'), to, application),
      claim(rig, 'mintTo', tokenOf('fresh'), to, application),
    ]
    await rig.queue(claims)
    const settled = await allDone(claims)
    const [first, second] = (await rig.chains.contracts(rig.db, [application])).map(({ address }) => address)
    expect(settled.map(({ contract, owner, sender }) => [contract, owner, sender]))
      .to.deep.equal([[first, to, issuer], [second, to, issuer], [second, to, null]])
    for (const { contract, operation } of settled) {
      expect(await ownerOf(contract, operation.split(':')[1] ?? '')).to.equal(to)
    }
    expect(await ownerOf(first ?? null, tokenOf('two 1'))).to.equal(issuer)
    expect(await ownerOf(second ?? null, tokenOf('three 2'))).to.equal(issuer)
  })

  it('goes on in the newest contract while an older one is paused, and in that one afterwards', async () => {
    // A contract that takes nothing is left alone for longer than the test may take.
    const senders = rig.send({ ...quick, hold: 3_200_000 })
    await batches('one', 'two', 'three')
    const [first] = await rig.chains.contracts(rig.db, [application])
    const order = (functionName: 'pause' | 'unpause') => rig.node.ask('eth_sendTransaction', {
      from: contractOwner, to: first?.address, data: encodeFunctionData({ abi, functionName }),
    })
    await order('pause')
    const to = await rig.chains.address('EthereumAnvil', 'account:1')
    const held = claim(rig, 'transferTo', tokenOf('one 1'), to, application)
    await rig.queue([held])
    await eventually('it is found to be paused', () => lines.some((line) => line.includes('a contract takes nothing')))
    const others = [
      ...mints(rig, 3, 'four', application), claim(rig, 'transferTo', tokenOf('three 1'), to, application),
      claim(rig, 'mintTo', tokenOf('fresh'), to, application),
    ]
    await rig.queue(others)
    await allDone(others)
    expect(await rig.db('chain_operations').where({ id: held.id }).first('status')).to.deep.equal({ status: 'queued' })
    await order('unpause')
    await senders.stop()
    rig.send(quick)
    expect((await allDone([held]))[0]?.contract).to.equal(first?.address)
  })

  it('counts each operation once that waits for a sender that is not configured any more', async () => {
    const senders = rig.send(quick)
    await batches('one', 'two', 'three')
    await senders.stop()
    await rig.db('chain_senders').update({ retired: true })
    const to = await rig.chains.address('EthereumAnvil', 'account:1')
    await rig.queue([
      ...mints(rig, 2, 'four', application), claim(rig, 'transferTo', tokenOf('one 1'), to, application),
      claim(rig, 'transferTo', tokenOf('three 1'), to, application), claim(rig, 'mintTo', tokenOf('fresh'), to, application),
    ])
    expect((await strandedOperations(rig.db)).map(({ contracts, operations }) => [contracts, operations]))
      .to.deep.equal([[2, 5]])
  })

  it('has no more batches under way at once than the contract takes', async () => {
    await rig.stop()
    await begin(3)
    rig.send(quick)
    await rig.queue(mints(rig, 1, 'first', application))
    await rig.outcome('mint:first:0')
    await rig.node.ask('evm_setAutomine', false)
    const job = mints(rig, 2_100, 'at once', application)
    await rig.queue(job)
    const sent = async (kind: string) => (await rig.db('chain_transactions').where({ kind, status: 'submitted' })).length
    await eventually('more is sent than the contract takes, or a further one', async () =>
      await sent('deploy') > 0 || await sent('mintBatch') > 2)
    expect([await sent('mintBatch'), await sent('deploy')]).to.deep.equal([2, 1])
    await rig.node.ask('evm_setAutomine', true)
    await rig.node.ask('evm_mine')
    await allDone(job)
    expect(await batchCounts()).to.deep.equal([3, 3])
    await mintedOnce(job)
  })

  it('plans no more batches in one round than the contract still takes', async () => {
    await rig.stop()
    await begin(1)
    rig.send(quick)
    const job = mints(rig, 1_500, 'round', application)
    await rig.queue(job)
    await allDone(job)
    expect(await batchCounts()).to.deep.equal([1, 1, 1])
    await mintedOnce(job)
  })

  for (const point of ['tx.stored:4', 'tx.broadcast:4', 'tx.stored:5']) {
    it(`gets its further contract once when the sender is killed at ${point}`, async () => {
      const job = mints(rig, 1_100, point, application)
      const killed = await rig.sendInChild(point)
      await rig.queue(job)
      const [, signal] = await killed.exited as [number | null, string | null]
      expect(signal, 'the fault point was reached').to.equal('SIGKILL')
      rig.send(quick)
      await allDone(job)
      expect(await batchCounts()).to.deep.equal([2, 1])
      await mintedOnce(job)
    })
  }

  it('gets the same further contract again when a reorganization took it away', async () => {
    rig.send(quick)
    const kept = await batches('one', 'two')
    const snapshot = await rig.node.ask<string>('evm_snapshot')
    const to = await rig.chains.address('EthereumAnvil', 'account:1')
    const taken = [...await batches('three'), claim(rig, 'transferTo', tokenOf('one 0'), to, application)]
    await rig.queue(taken)
    const before = await allDone(taken)
    await rig.node.ask('evm_revert', snapshot)
    const after = await allDone(taken, 2)
    expect(after.map(({ contract }) => contract)).to.deep.equal(before.map(({ contract }) => contract))
    expect(await batchCounts()).to.deep.equal([2, 1])
    expect(await ownerOf(after[0]?.contract ?? null, tokenOf('three 0')))
      .to.equal(await rig.chains.address('EthereumAnvil', `issuer:${application}`))
    await mintedOnce([...kept, ...taken.slice(0, 3)])
  })
})

describe('a contract that has more batches than its sender knows', () => {
  let server: DatabaseServer
  let rig: Rig

  before(async () => { server = await startDatabaseServer() })
  after(() => server.stop())
  beforeEach(async () => { rig = await startRig(server) })
  afterEach(() => rig.stop())

  /** Sets the counter, which lies above relayer and pause in slot 8, to the most that the contract takes. */
  const fill = async (contract: string) => {
    const word = BigInt(await rig.node.ask<Hex>('eth_getStorageAt', contract, '0x8', 'latest'))
    const others = word & ~((2n ** 64n - 1n) << 168n)
    await rig.node.ask('anvil_setStorageAt', contract, '0x8', `0x${(others | 2_000n << 168n).toString(16).padStart(64, '0')}`)
  }

  for (const when of ['simulated', 'mined']) {
    it(`fails no mint that it refuses when it is ${when}: a further contract takes it`, async () => {
      const application = randomUUID()
      rig.send(quick)
      await rig.queue(mints(rig, 1, 'first', application))
      const { contract } = await rig.outcome('mint:first:0')
      // The signer is told that one batch is all that a contract takes.
      await rig.signer.kill()
      await rig.signer.start({ PASSPORT_BATCHES_PER_CONTRACT: '1' })
      const job = mints(rig, 1, 'refused', application)
      if (when === 'mined') {
        await rig.node.ask('evm_setAutomine', false)
        await rig.queue(job)
        await eventually('it is sent', async () =>
          (await rig.db('chain_transactions').where({ kind: 'mintBatch', status: 'submitted' })).length === 1)
        await fill(contract ?? '')
        await rig.node.ask('evm_setAutomine', true)
        await rig.node.ask('evm_mine')
      } else {
        await fill(contract ?? '')
        await rig.queue(job)
      }
      const settled = await rig.outcomes(ids(job))
      expect(new Set(settled.map(({ status }) => status))).to.deep.equal(new Set(['final']))
      const contracts = (await rig.chains.contracts(rig.db, [application])).map(({ address }) => address)
      expect(contracts).to.have.length(2)
      expect(new Set(settled.map((one) => one.contract))).to.deep.equal(new Set([contracts[1]]))
    })
  }
})
