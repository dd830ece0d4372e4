import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { NewTokenOperation } from '../../../core/chains/port.ts'
import {
  createAnchors,
  createClaim,
  createMints,
  startChainRig,
  toTokenId,
  type ChainRig,
} from '../../support/chains/chain-rig.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { cutSenderConnections, listSenderStatements } from '../../support/database/sender-connections.ts'
import { makeContractRefuseToken } from '../../support/chains/refusing-contract.ts'
import { waitUntil } from '../../support/processes.ts'
import { countAnchors } from '../../support/chains/record-contracts.ts'
import { countTransactionAttempts } from '../../support/rows/chains/attempts.ts'
import { postdateChainOperations } from '../../support/rows/chains/operations.ts'
import { skipNonces } from '../../support/rows/chains/senders.ts'
import {
  countChainTransactions,
  listChainTransactions,
  readChainTransactionStatus,
  type ChainTransaction,
} from '../../support/rows/chains/transactions.ts'

const quick = { idleIntervalMs: 200, resendDelayMs: 500, replaceDelayMs: 400, lostPlaceDelayMs: 300 }
const ids = (operations: readonly NewTokenOperation[]) => operations.map(({ id }) => id)

describe('Chain sender during faults of the node, the signer and the database', () => {
  let server: DatabaseServer
  let rig: ChainRig
  let application: string

  before(async () => {
    server = await startDatabaseServer()
  })
  after(() => server.stop())
  beforeEach(async () => {
    rig = await startChainRig(server)
    application = randomUUID()
  })
  afterEach(() => rig.stop())

  const sent = () => listChainTransactions(rig.db, { kind: 'mintBatch', status: 'submitted' })
  const mintedOnce = async (operations: readonly NewTokenOperation[]) => {
    const { mints: minted } = await rig.node.countTransfers()
    expect(operations.filter(({ tokenId }) => minted.get(tokenId) !== 1).map(({ id }) => id)).to.deep.equal([])
  }
  const allDone = async (operations: readonly NewTokenOperation[], times = 1) => {
    const found = await rig.waitForOutcomes(ids(operations), 30_000, times)
    expect(new Set(found.map(({ status }) => status))).to.deep.equal(new Set(['final']))
    await mintedOnce(operations.filter(({ kind }) => kind !== 'transferTo'))
    return found
  }

  it('waits for a node that does not answer and fails nothing', async () => {
    rig.startSenders(quick)
    await rig.queueOperations(createMints(rig, 1, 'before', application))
    await rig.waitForOutcome('mint:before:0')
    await rig.node.kill()
    const job = createMints(rig, 700, 'meanwhile', application)
    await rig.queueOperations(job)
    await sleep(500)
    expect(await rig.chains.isReachable('EthereumAnvil')).to.equal(false)
    expect((await rig.listSettlements()).length).to.equal(1)
    await rig.node.start()
    expect(await rig.chains.isReachable('EthereumAnvil')).to.equal(true)
    await allDone([...job, ...createMints(rig, 1, 'before', application)])
  })

  it('sends what was queued before the clock was put back, and waits for no more of it', async () => {
    const job = createMints(rig, 3, 'ahead', application)
    await rig.queueOperations(job)
    await postdateChainOperations(rig.db, { minutes: 60 })
    rig.startSenders(quick)
    await allDone(job)
  })

  it('waits for a signer that is away and goes on with it', async () => {
    rig.startSenders(quick)
    await rig.queueOperations(createMints(rig, 1, 'before', application))
    await rig.waitForOutcome('mint:before:0')
    await rig.signer.kill()
    const job = createMints(rig, 10, 'unsigned', application)
    await rig.queueOperations(job)
    await sleep(400)
    expect((await rig.listSettlements()).length).to.equal(1)
    await rig.signer.start()
    await allDone(job)
  })

  it('sends again, under the same operation ids, what a reorganization took away', async () => {
    rig.startSenders(quick)
    const kept = createMints(rig, 3, 'kept', application)
    await rig.queueOperations(kept)
    await allDone(kept)
    const snapshot = await rig.node.callRpc<string>('evm_snapshot')
    const to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    const taken = [
      ...createMints(rig, 600, 'taken', application),
      createClaim(rig, 'mintTo', toTokenId('fresh'), to, application),
      createClaim(rig, 'transferTo', toTokenId('kept 1'), to, application),
    ]
    await rig.queueOperations(taken)
    await allDone(taken)
    await rig.node.callRpc('evm_revert', snapshot)
    await allDone(taken, 2)
    expect((await rig.waitForOutcomes(ids(kept))).map(({ times }) => times)).to.deep.equal([1, 1, 1])
    expect((await rig.node.countTransfers()).moves.get(toTokenId('kept 1'))).to.equal(1)
  })

  for (const running of [true, false]) {
    const how = running ? 'that takes the place of the old one' : 'that it finds at its start'
    it(`brings everything to a new, empty chain ${how}`, async () => {
      const senders = rig.startSenders(quick)
      const job = createMints(rig, 600, 'again', application)
      const to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:1')
      await rig.queueOperations(job)
      await allDone(job)
      const moved = createClaim(rig, 'transferTo', toTokenId('again 5'), to, application)
      await rig.queueOperations([moved])
      await allDone([moved])
      if (!running) await senders.stop()
      await rig.node.kill()
      await rig.node.start()
      if (!running) rig.startSenders(quick)
      const [first] = await allDone([...job, moved], 2)
      expect(await rig.node.callRpc('eth_getCode', first?.contract, 'latest')).to.have.length.above(1_000)
      expect((await rig.node.countTransfers()).moves.get(toTokenId('again 5'))).to.equal(1)
      const more = createMints(rig, 5, 'more', application)
      await rig.queueOperations(more)
      await allDone(more)
    })
  }

  it('replaces a transaction that blocks pass by with one that pays more', async () => {
    rig.startSenders(quick)
    await rig.queueOperations(createMints(rig, 1, 'first', application))
    await rig.waitForOutcome('mint:first:0')
    await rig.node.callRpc('evm_setAutomine', false)
    const job = createMints(rig, 4, 'stuck', application)
    await rig.queueOperations(job)
    const attempts = () => countTransactionAttempts(rig.db, { kind: 'mintBatch', status: 'submitted' })
    await waitUntil('it is sent', async () => (await attempts()) === 1)
    await rig.node.callRpc('anvil_setNextBlockBaseFeePerGas', `0x${(60n * 10n ** 9n).toString(16)}`)
    for (const _ of [1, 2, 3]) await rig.node.callRpc('evm_mine')
    await waitUntil('it is replaced', async () => (await attempts()) >= 2)
    await sleep(200)
    await rig.node.callRpc('evm_setAutomine', true)
    await rig.node.callRpc('evm_mine')
    await allDone(job)
  })

  it('fills a gap in its nonces', async () => {
    const senders = rig.startSenders(quick)
    await rig.queueOperations(createMints(rig, 1, 'first', application))
    await rig.waitForOutcome('mint:first:0')
    await senders.stop()
    await skipNonces(rig.db, 2)
    rig.startSenders(quick)
    const job = createMints(rig, 3, 'after the gap', application)
    await rig.queueOperations(job)
    await allDone(job)
    expect(await countChainTransactions(rig.db, { kind: 'fill' })).to.equal(2)
  })

  it('sends again what lost its nonce to somebody else', async () => {
    // Nothing is sent again by time: between the two calls below it would get its nonce back.
    rig.startSenders({ ...quick, resendDelayMs: 60_000 })
    await rig.queueOperations(createMints(rig, 1, 'first', application))
    await rig.waitForOutcome('mint:first:0')
    await rig.node.callRpc('evm_setAutomine', false)
    const job = createMints(rig, 4, 'overtaken', application)
    await rig.queueOperations(job)
    await waitUntil('it is sent', async () => (await sent()).length === 1)
    const [{ id, sender }] = (await sent()) as [ChainTransaction]
    await rig.node.callRpc('anvil_dropAllTransactions')
    await rig.node.callRpc('anvil_impersonateAccount', sender)
    await rig.node.callRpc('eth_sendTransaction', { from: sender, to: sender, value: '0x1' })
    await rig.node.callRpc('evm_mine')
    await rig.node.callRpc('evm_setAutomine', true)
    await allDone(job)
    expect(await readChainTransactionStatus(rig.db, id)).to.equal('lost')
  })

  for (const when of ['simulated', 'mined']) {
    it(`splits a batch that reverts when it is ${when}, until the bad operation fails alone`, async () => {
      rig.startSenders(quick)
      await rig.queueOperations(createMints(rig, 1, 'first', application))
      const contract = (await rig.waitForOutcome('mint:first:0')).contract ?? ''
      const job = createMints(rig, 40, 'poisoned', application)
      if (when === 'mined') await rig.node.callRpc('evm_setAutomine', false)
      else await makeContractRefuseToken(rig.node, contract, toTokenId('poisoned 13'))
      await rig.queueOperations(job)
      if (when === 'mined') {
        await waitUntil('it is sent', async () => (await sent()).length === 1)
        await makeContractRefuseToken(rig.node, contract, toTokenId('poisoned 13'))
        await rig.node.callRpc('evm_mine')
        await rig.node.callRpc('evm_setAutomine', true)
      }
      const all = await rig.waitForOutcomes(ids(job))
      expect(
        all.filter(({ status }) => status === 'failed').map(({ operation, reason }) => [operation, reason]),
      ).to.deep.equal([['mint:poisoned:13', 'The contract refused the operation.']])
      await mintedOnce(job.filter((_, index) => index !== 13))
    })
  }

  it('is done by one of several processes, and by another when that one ends', async () => {
    const first = rig.startSenders(quick)
    rig.startSenders(quick)
    const job = createMints(rig, 600, 'shared', application)
    await rig.queueOperations(job)
    await allDone(job)
    const asks = (statement: string) => statement.includes('pg_try_advisory_lock')
    expect((await listSenderStatements(rig.db)).map(asks).sort()).to.deep.equal([false, true])
    await first.stop()
    const more = createMints(rig, 600, 'taken over', application)
    await rig.queueOperations(more)
    await allDone(more)
  })

  it('stops sending the moment its database connection is cut, and goes on with a new one', async () => {
    rig.startSenders(quick)
    await rig.queueOperations(createMints(rig, 1, 'first', application))
    await rig.waitForOutcome('mint:first:0')
    await cutSenderConnections(rig.db)
    const job = createMints(rig, 600, 'new connection', application)
    await rig.queueOperations(job)
    await allDone(job)
  })
})

describe('Chain sender on a network with several confirmations', () => {
  let server: DatabaseServer
  let rig: ChainRig

  before(async () => {
    server = await startDatabaseServer()
    rig = await startChainRig(server, { nodeFlags: ['--chain-id', '84532'], rpcVariable: 'BASE_SEPOLIA_RPC_URL' })
  })
  after(async () => {
    await rig.stop()
    await server.stop()
  })

  const statuses = async () => {
    const transactions = await listChainTransactions(rig.db)
    return transactions.map(({ status }) => status).join(' ')
  }

  it('ends nothing before enough blocks are on top, and takes back what is reorganized until then', async () => {
    rig.startSenders(quick)
    const application = randomUUID()
    const snapshot = await rig.node.callRpc<string>('evm_snapshot')
    const job = createMints(rig, 5, 'deep', application, 'BaseSepolia')
    const roots = createAnchors(rig, 2, 'deep', 'BaseSepolia')
    await rig.queueOperations(job)
    await rig.insertRecords(roots)
    await waitUntil('all is included', async () => (await statuses()) === 'included included included included')
    await sleep(300)
    expect([await rig.listSettlements(), await rig.listRecordSettlements()]).to.deep.equal([[], []])

    await rig.node.callRpc('evm_revert', snapshot)
    await waitUntil(
      'it is in the chain again',
      async () => (await rig.node.countTransfers()).mints.size === 5 && (await countAnchors(rig.node)).size === 2,
    )
    await rig.node.callRpc('anvil_mine', '0x5')
    const all = await rig.waitForOutcomes(ids(job))
    const both = [...all, ...(await rig.waitForRecords(roots))]
    expect(both.map(({ status, times }) => `${status} ${times}`)).to.deep.equal(Array(7).fill('final 1'))
  })
})
