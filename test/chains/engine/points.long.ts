import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { encodeFunctionData } from 'viem'
import { pointsAbi } from '../../../core/chains/evm/contracts/points.abi.ts'
import type { NewPointsOperation } from '../../../core/chains/port.ts'
import { contractOwner, createMints, createPoints, useChainRig } from '../../support/chains/chain-rig.ts'
import { waitUntil } from '../../support/processes.ts'
import { countChainOperations } from '../../support/rows/chains/operations.ts'
import { countChainTransactions } from '../../support/rows/chains/transactions.ts'

const quick = { idleIntervalMs: 200, resendDelayMs: 500, maxHoldMs: 800 }

describe('Chain sender: points', () => {
  const rig = useChainRig()
  const [still, lively] = [randomUUID(), randomUUID()]
  let account: string

  before(async () => {
    rig().startSenders(quick)
    account = await rig().chains.ensureWalletAddress('EthereumAnvil', 'account:customer')
    await post([...create('first', still, [1n]), ...create('first of the other', lively, [1n])])
  })

  const create = (series: string, application: string, amounts: readonly bigint[], organization?: string) =>
    createPoints(organization === undefined ? rig() : { organization }, series, {
      application,
      accounts: [account],
      amounts,
    })
  const expectFinal = async (entries: readonly NewPointsOperation[]) => {
    const settled = await rig().waitForPoints(entries)
    expect(new Set(settled.map(({ statuses }) => statuses.join(' ')))).to.deep.equal(new Set(['final']))
    return settled
  }
  async function post(entries: readonly NewPointsOperation[]) {
    await rig().queuePoints(entries)
    return expectFinal(entries)
  }
  const countQueued = (application: string) => countChainOperations(rig().db, { application, status: 'queued' })
  const readPoints = async (application: string) =>
    (await rig().chains.readPoints(rig().db, 'EthereumAnvil', application, [account])).get(account)

  /** Has the owner of the contract of an application's points pause it, or end the pause. */
  async function callOwner(application: string, functionName: 'pause' | 'unpause'): Promise<void> {
    const [contract] = await rig().chains.listDeployedContracts(rig().db, [application])
    const data = encodeFunctionData({ abi: pointsAbi, functionName })
    await rig().node.callRpc('eth_sendTransaction', { from: contractOwner, to: contract?.address, data })
  }

  it('wait while their contract is paused, and no other points do', async () => {
    await callOwner(still, 'pause')
    const waiting = create('waiting', still, [2n, 3n])
    await rig().queuePoints(waiting)
    await post(create('beside', lively, [4n]))
    expect(await countQueued(still)).to.equal(waiting.length)
    await callOwner(still, 'unpause')
    await expectFinal(waiting)
    expect([await readPoints(still), await readPoints(lively)]).to.deep.equal([6n, 5n])
  })

  it('fail in nothing when the pause comes after they were sent', async () => {
    await rig().node.callRpc('evm_setAutomine', false)
    const entries = create('overtaken', still, [5n, 6n])
    await rig().queuePoints(entries)
    const transactions = (status: 'submitted' | 'reverted') =>
      countChainTransactions(rig().db, { kind: 'postPoints', status })
    await waitUntil('they are sent', async () => (await transactions('submitted')) === 1)
    // The owner pays more, so that its transaction comes first in the block.
    const [contract] = await rig().chains.listDeployedContracts(rig().db, [still])
    const data = encodeFunctionData({ abi: pointsAbi, functionName: 'pause' })
    const pause = { from: contractOwner, to: contract?.address, data, gasPrice: '0x174876e800' }
    await rig().node.callRpc('eth_sendTransaction', pause)
    await rig().node.callRpc('evm_mine')
    await rig().node.callRpc('evm_setAutomine', true)
    await waitUntil('they reverted', async () => (await transactions('reverted')) === 1)
    await callOwner(still, 'unpause')
    await expectFinal(entries)
    expect(await readPoints(still)).to.equal(17n)
  })

  it('of one application come before many of another that were queued earlier', async () => {
    const count = 6_000
    const many = create(
      'many',
      lively,
      Array.from({ length: count }, () => 1n),
    )
    await rig().queuePoints(many)
    await post(create('single', still, [1n], randomUUID()))
    expect(await countQueued(lively)).to.be.above(count / 2)
    await waitUntil('all are posted', async () => (await countQueued(lively)) === 0, 60_000)
    await expectFinal(many)
    expect(await readPoints(lively)).to.equal(5n + BigInt(count))
  })

  it('and batches of passports of one organization go on side by side', async () => {
    const entries = create(
      'side by side',
      still,
      Array.from({ length: 900 }, () => 1n),
    )
    const mints = createMints(rig(), 1_500, 'side by side', still)
    await rig().queueOperations(mints)
    await rig().queuePoints(entries)
    await expectFinal(entries)
    const minted = await rig().waitForOutcomes(mints.map(({ id }) => id))
    expect(new Set(minted.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
    const contracts = await rig().chains.listDeployedContracts(rig().db, [still])
    expect(contracts.map(({ kind }) => kind)).to.deep.equal(['points', 'passports'])
  })

  it('have no state where nothing was queued, and no points where there is no contract', async () => {
    expect(await rig().chains.readOperationStates(rig().db, [`0x${'0'.repeat(64)}`])).to.deep.equal(new Map())
    expect(await readPoints(randomUUID())).to.equal(0n)
  })
})
