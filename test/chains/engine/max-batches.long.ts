import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { NewTokenOperation } from '../../../core/chains/port.ts'
import { passportsAbi as abi } from '../../../core/chains/evm/contracts/passports.abi.ts'
import { listStrandedSenders } from '../../../core/chains/engine/rows/retired-senders.ts'
import {
  createClaim,
  contractOwner,
  createMints,
  startChainRig,
  toTokenId,
  type ChainRig,
} from '../../support/chains/chain-rig.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { waitUntil } from '../../support/processes.ts'
import { listChainOperationStatuses } from '../../support/rows/chains/operations.ts'
import { retireSenders } from '../../support/rows/chains/senders.ts'
import { countChainTransactions } from '../../support/rows/chains/transactions.ts'

const limitedTo = (batches: number) => ({ PASSPORT_BATCHES_PER_CONTRACT: `${batches}` })
const quick = { idleIntervalMs: 200, resendDelayMs: 500, lostPlaceDelayMs: 300 }
const ids = (operations: readonly NewTokenOperation[]) => operations.map(({ id }) => id)

describe('Chain sender: an application whose contract has reached its maximum of batches', () => {
  let server: DatabaseServer
  let rig: ChainRig
  let application: string
  const lines: string[] = []

  before(async () => {
    server = await startDatabaseServer()
  })
  after(() => server.stop())
  const begin = async (batches: number) => {
    rig = await startChainRig(server, {
      env: { ...limitedTo(batches), LOG_LEVEL: 'warn' },
      log: new Writable({
        write: (chunk: Buffer, _, done) => {
          lines.push(String(chunk))
          done()
        },
      }),
    })
  }
  beforeEach(async () => {
    lines.length = 0
    await begin(2)
    application = randomUUID()
  })
  afterEach(() => rig.stop())

  const call = async (to: string, data: Hex) => rig.node.callRpc<Hex>('eth_call', { to, data }, 'latest')
  const ownerOf = async (contract: string | null, tokenId: string) => {
    const data = encodeFunctionData({ abi, functionName: 'ownerOf', args: [BigInt(tokenId)] })
    return decodeFunctionResult({ abi, functionName: 'ownerOf', data: await call(contract ?? '', data) })
  }
  /** Contracts of the application, oldest first, and how many batches the chain says each has. */
  const batchCounts = async () => {
    const contracts = await rig.chains.listDeployedContracts(rig.db, [application])
    return Promise.all(
      contracts.map(async ({ address }) => {
        const data = await call(address, encodeFunctionData({ abi, functionName: 'batchCount' }))
        return Number(decodeFunctionResult({ abi, functionName: 'batchCount', data }))
      }),
    )
  }
  const allDone = async (operations: readonly NewTokenOperation[], times = 1) => {
    const found = await rig.waitForOutcomes(ids(operations), 40_000, times)
    expect(new Set(found.map(({ status }) => status))).to.deep.equal(new Set(['final']))
    return found
  }
  const mintedOnce = async (operations: readonly NewTokenOperation[]) => {
    const { mints: minted } = await rig.node.countTransfers()
    expect(operations.filter(({ tokenId }) => minted.get(tokenId) !== 1)).to.deep.equal([])
  }
  /** One batch after another, three tokens each. */
  const batches = async (...series: string[]) => {
    const all: NewTokenOperation[][] = []
    for (const name of series) {
      const job = createMints(rig, 3, name, application)
      await rig.queueOperations(job)
      await allDone(job)
      all.push(job)
    }
    return all.flat()
  }

  it('mints the next batch in a further contract, each token once', async () => {
    rig.startSenders(quick)
    const all = await batches('one', 'two', 'three')
    expect(await batchCounts()).to.deep.equal([2, 1])
    const [first, second] = (await rig.chains.listDeployedContracts(rig.db, [application])).map(
      ({ address }) => address,
    )
    expect((await allDone(all)).map(({ contract }) => contract)).to.deep.equal([
      ...Array<unknown>(6).fill(first),
      ...Array<unknown>(3).fill(second),
    ])
    await mintedOnce(all)
  })

  it('moves a token in the contract that it was minted in, and mints a claimed one in the newest', async () => {
    rig.startSenders(quick)
    await batches('one', 'two', 'three')
    const to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    const issuer = await rig.chains.ensureWalletAddress('EthereumAnvil', `issuer:${application}`)
    const claims = [
      createClaim(rig, 'transferTo', toTokenId('one 1'), to, application),
      createClaim(rig, 'transferTo', toTokenId('three 1'), to, application),
      createClaim(rig, 'mintTo', toTokenId('fresh'), to, application),
    ]
    await rig.queueOperations(claims)
    const settled = await allDone(claims)
    const [first, second] = (await rig.chains.listDeployedContracts(rig.db, [application])).map(
      ({ address }) => address,
    )
    expect(settled.map(({ contract, owner, sender }) => [contract, owner, sender])).to.deep.equal([
      [first, to, issuer],
      [second, to, issuer],
      [second, to, null],
    ])
    for (const { contract, operation } of settled) {
      expect(await ownerOf(contract, operation.split(':')[1] ?? '')).to.equal(to)
    }
    expect(await ownerOf(first ?? null, toTokenId('two 1'))).to.equal(issuer)
    expect(await ownerOf(second ?? null, toTokenId('three 2'))).to.equal(issuer)
  })

  it('goes on in the newest contract while an older one is paused, and in that one afterwards', async () => {
    // A contract that takes nothing is left alone for longer than the test may take.
    const senders = rig.startSenders({ ...quick, maxHoldMs: 3_200_000 })
    await batches('one', 'two', 'three')
    const [first] = await rig.chains.listDeployedContracts(rig.db, [application])
    const order = (functionName: 'pause' | 'unpause') =>
      rig.node.callRpc('eth_sendTransaction', {
        from: contractOwner,
        to: first?.address,
        data: encodeFunctionData({ abi, functionName }),
      })
    await order('pause')
    const to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    const held = createClaim(rig, 'transferTo', toTokenId('one 1'), to, application)
    await rig.queueOperations([held])
    await waitUntil('it is found to be paused', () => lines.some((line) => line.includes('a contract takes nothing')))
    const others = [
      ...createMints(rig, 3, 'four', application),
      createClaim(rig, 'transferTo', toTokenId('three 1'), to, application),
      createClaim(rig, 'mintTo', toTokenId('fresh'), to, application),
    ]
    await rig.queueOperations(others)
    await allDone(others)
    expect(await listChainOperationStatuses(rig.db, [held.id])).to.deep.equal(['queued'])
    await order('unpause')
    await senders.stop()
    rig.startSenders(quick)
    expect((await allDone([held]))[0]?.contract).to.equal(first?.address)
  })

  it('counts each operation once that waits for a sender that is not configured any more', async () => {
    const senders = rig.startSenders(quick)
    await batches('one', 'two', 'three')
    await senders.stop()
    await retireSenders(rig.db)
    const to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    await rig.queueOperations([
      ...createMints(rig, 2, 'four', application),
      createClaim(rig, 'transferTo', toTokenId('one 1'), to, application),
      createClaim(rig, 'transferTo', toTokenId('three 1'), to, application),
      createClaim(rig, 'mintTo', toTokenId('fresh'), to, application),
    ])
    expect(
      (await listStrandedSenders(rig.db)).map(({ contracts, operations }) => [contracts, operations]),
    ).to.deep.equal([[2, 5]])
  })

  it('has no more batches under way at once than the contract takes', async () => {
    await rig.stop()
    await begin(3)
    rig.startSenders(quick)
    await rig.queueOperations(createMints(rig, 1, 'first', application))
    await rig.waitForOutcome('mint:first:0')
    await rig.node.callRpc('evm_setAutomine', false)
    const job = createMints(rig, 2_100, 'at once', application)
    await rig.queueOperations(job)
    const sent = (kind: 'mintBatch' | 'deploy') => countChainTransactions(rig.db, { kind, status: 'submitted' })
    await waitUntil(
      'more is sent than the contract takes, or a further one',
      async () => (await sent('deploy')) > 0 || (await sent('mintBatch')) > 2,
    )
    expect([await sent('mintBatch'), await sent('deploy')]).to.deep.equal([2, 1])
    await rig.node.callRpc('evm_setAutomine', true)
    await rig.node.callRpc('evm_mine')
    await allDone(job)
    expect(await batchCounts()).to.deep.equal([3, 3])
    await mintedOnce(job)
  })

  it('plans no more batches in one round than the contract still takes', async () => {
    await rig.stop()
    await begin(1)
    rig.startSenders(quick)
    const job = createMints(rig, 1_500, 'round', application)
    await rig.queueOperations(job)
    await allDone(job)
    expect(await batchCounts()).to.deep.equal([1, 1, 1])
    await mintedOnce(job)
  })

  for (const point of ['tx.stored:4', 'tx.broadcast:4', 'tx.stored:5']) {
    it(`gets its further contract once when the sender is killed at ${point}`, async () => {
      const job = createMints(rig, 1_100, point, application)
      const killed = await rig.startSenderProcess(point)
      await rig.queueOperations(job)
      const [, signal] = (await killed.exited) as [number | null, string | null]
      expect(signal, 'the fault point was reached').to.equal('SIGKILL')
      rig.startSenders(quick)
      await allDone(job)
      expect(await batchCounts()).to.deep.equal([2, 1])
      await mintedOnce(job)
    })
  }

  it('gets the same further contract again when a reorganization took it away', async () => {
    rig.startSenders(quick)
    const kept = await batches('one', 'two')
    const snapshot = await rig.node.callRpc<string>('evm_snapshot')
    const to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    const taken = [...(await batches('three')), createClaim(rig, 'transferTo', toTokenId('one 0'), to, application)]
    await rig.queueOperations(taken)
    const before = await allDone(taken)
    await rig.node.callRpc('evm_revert', snapshot)
    const after = await allDone(taken, 2)
    expect(after.map(({ contract }) => contract)).to.deep.equal(before.map(({ contract }) => contract))
    expect(await batchCounts()).to.deep.equal([2, 1])
    expect(await ownerOf(after[0]?.contract ?? null, toTokenId('three 0'))).to.equal(
      await rig.chains.ensureWalletAddress('EthereumAnvil', `issuer:${application}`),
    )
    await mintedOnce([...kept, ...taken.slice(0, 3)])
  })
})

describe('Chain sender: a contract with more batches than the sender knows', () => {
  let server: DatabaseServer
  let rig: ChainRig

  before(async () => {
    server = await startDatabaseServer()
  })
  after(() => server.stop())
  beforeEach(async () => {
    rig = await startChainRig(server)
  })
  afterEach(() => rig.stop())

  /** Sets the counter, which lies above relayer and pause in slot 8, to the most that the contract takes. */
  const fill = async (contract: string) => {
    const word = BigInt(await rig.node.callRpc<Hex>('eth_getStorageAt', contract, '0x8', 'latest'))
    const others = word & ~((2n ** 64n - 1n) << 168n)
    await rig.node.callRpc(
      'anvil_setStorageAt',
      contract,
      '0x8',
      `0x${(others | (2_000n << 168n)).toString(16).padStart(64, '0')}`,
    )
  }

  for (const when of ['simulated', 'mined']) {
    it(`fails no mint that it refuses when it is ${when}: a further contract takes it`, async () => {
      const application = randomUUID()
      rig.startSenders(quick)
      await rig.queueOperations(createMints(rig, 1, 'first', application))
      const { contract } = await rig.waitForOutcome('mint:first:0')
      // The signer is told that one batch is all that a contract takes.
      await rig.signer.kill()
      await rig.signer.start({ PASSPORT_BATCHES_PER_CONTRACT: '1' })
      const job = createMints(rig, 1, 'refused', application)
      if (when === 'mined') {
        await rig.node.callRpc('evm_setAutomine', false)
        await rig.queueOperations(job)
        await waitUntil(
          'it is sent',
          async () => (await countChainTransactions(rig.db, { kind: 'mintBatch', status: 'submitted' })) === 1,
        )
        await fill(contract ?? '')
        await rig.node.callRpc('evm_setAutomine', true)
        await rig.node.callRpc('evm_mine')
      } else {
        await fill(contract ?? '')
        await rig.queueOperations(job)
      }
      const settled = await rig.waitForOutcomes(ids(job))
      expect(new Set(settled.map(({ status }) => status))).to.deep.equal(new Set(['final']))
      const contracts = (await rig.chains.listDeployedContracts(rig.db, [application])).map(({ address }) => address)
      expect(contracts).to.have.length(2)
      expect(new Set(settled.map((one) => one.contract))).to.deep.equal(new Set([contracts[1]]))
    })
  }
})
