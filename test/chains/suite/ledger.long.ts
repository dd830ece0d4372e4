import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createKeyRecords, createMints, createPoints, toTokenId } from '../../support/chains/chain-rig.ts'
import { ledgerCapabilities, ledgerNetwork as network } from '../../support/chains/ledger/family.ts'
import { senderWallet, toAccount } from '../../support/chains/ledger/keys.ts'
import { startLedgerRig } from '../../support/chains/ledger/rig.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { waitUntil } from '../../support/processes.ts'
import { countChainOperations } from '../../support/rows/chains/operations.ts'
import type { FamilyStage } from './stage.ts'
import { defineFamilySuite } from './suite.ts'

const countValues = (values: readonly string[]) =>
  new Map([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]))

async function startLedgerStage(server: DatabaseServer): Promise<FamilyStage> {
  const rig = await startLedgerRig(server)
  const { ledger } = rig
  return {
    rig,
    network,
    capabilities: ledgerCapabilities,
    invalidAddress: toAccount('account that nobody opened'),
    async openWallet(name) {
      ledger.state.openAccount(toAccount(name), 0)
      return rig.chains.ensureWalletAddress(network, name)
    },
    countMints: async () => countValues(ledger.state.listTokens()),
    countAnchors: async () => countValues(ledger.state.listApplied().map(({ memo }) => `0x${memo}`)),
    loseAnswers(times) {
      ledger.lostAnswers = times
    },
    async expireTransactions() {
      ledger.isClosing = false
      await waitUntil('what waits has expired', async () => ledger.state.hasExpired())
      ledger.isClosing = true
    },
    stop: rig.stop,
  }
}

defineFamilySuite('a ledger of accounts with sequence numbers', ledgerCapabilities, startLedgerStage)

describe('Chain sender on a ledger whose rules differ from those of contracts', () => {
  let server: DatabaseServer
  let rig: Awaited<ReturnType<typeof startLedgerRig>>
  const sender = toAccount(senderWallet)

  before(async () => {
    server = await startDatabaseServer()
    rig = await startLedgerRig(server)
    rig.startSenders({ idleIntervalMs: 200, resendDelayMs: 200 })
  })
  after(async () => {
    await rig.stop()
    await server.stop()
  })

  it('waits while the sender cannot pay, and goes on when it can', async () => {
    rig.ledger.state.openAccount(sender, 0)
    const mints = createMints(rig, 5, 'unpaid', randomUUID(), network)
    await rig.queueOperations(mints)
    await waitUntil('the ledger refuses', async () => rig.ledger.failures.includes('INSUFFICIENT_BALANCE'))
    expect(await rig.listSettlements()).to.deep.equal([])
    rig.ledger.state.openAccount(sender, 1_000_000)
    const outcomes = await rig.waitForOutcomes(mints.map(({ id }) => id))
    expect(new Set(outcomes.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
  })

  it('goes on after somebody else used a number of its account', async () => {
    const before = createMints(rig, 2, 'before', randomUUID(), network)
    await rig.queueOperations(before)
    await rig.waitForOutcomes(before.map(({ id }) => id))
    rig.ledger.state.useNumber(sender)
    const mints = createMints(rig, 5, 'behind', randomUUID(), network)
    await rig.queueOperations(mints)
    const outcomes = await rig.waitForOutcomes(mints.map(({ id }) => id))
    expect(new Set(outcomes.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
  })

  it('queues no operation that its family does not perform', async () => {
    const [register] = createKeyRecords(rig.organization, [toTokenId('a'), toTokenId('b')])
    if (!register) throw new Error('unreachable')
    const refused = await rig.insertRecords([{ ...register, network }]).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    expect(refused).to.be.instanceOf(TypeError)
    expect(await countChainOperations(rig.db, { kind: 'registerKey' })).to.equal(0)
    const accounts = [toAccount('account:1')]
    const points = createPoints(rig, 'refused', { application: randomUUID(), network, accounts, amounts: [5n] })
    const refusedPoints = await rig.queuePoints(points).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    expect(refusedPoints).to.be.instanceOf(TypeError)
    expect([rig.chains.performs(network, 'postPoints'), rig.chains.performs(network, 'anchor')]).to.deep.equal([
      false,
      true,
    ])
  })
})
