import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createClaim, createMints, toTokenId, useChainRig } from '../../support/chains/chain-rig.ts'
import {
  forgetContracts,
  forgetDeployments,
  forgetSignatures,
  listDeployments,
} from '../../support/rows/chains/signer.ts'

describe('Signer on the data of an earlier version', () => {
  const rig = useChainRig({ env: { PASSPORT_BATCHES_PER_CONTRACT: '2' } })
  const application = randomUUID()

  before(async () => {
    const senders = rig().startSenders()
    const first = createMints(rig(), 3, 'earlier', application)
    await rig().queueOperations(first)
    await rig().waitForOutcomes(first.map(({ id }) => id))
    await senders.stop()
    // An earlier version kept what it signed, and nothing of contracts.
    await forgetDeployments(rig().signerUrl)
  })

  it('goes on with the contracts whose deployment it signed then', async () => {
    rig().startSenders()
    const to = await rig().chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    const later = [
      ...createMints(rig(), 2, 'later', application),
      createClaim(rig(), 'transferTo', toTokenId('earlier 1'), to, application),
    ]
    await rig().queueOperations(later)
    const all = await rig().waitForOutcomes(later.map(({ id }) => id))
    expect(all.map(({ status }) => status)).to.deep.equal(['final', 'final', 'final'])
    expect(await listDeployments(rig().signerUrl)).to.deep.equal([{ kind: 'passports', application }])
  })

  it('deploys a further contract behind one whose batches it signed then', async () => {
    // Nor did it keep which contract a batch was for.
    await forgetContracts(rig().signerUrl)
    const further = createMints(rig(), 2, 'further', application)
    await rig().queueOperations(further)
    const all = await rig().waitForOutcomes(further.map(({ id }) => id))
    const [first, second] = await rig().chains.listDeployedContracts(rig().db, [application])
    expect(new Set(all.map(({ status, contract }) => `${status} ${contract}`))).to.deep.equal(
      new Set([`final ${second?.address}`]),
    )
    expect(first?.address).to.not.equal(second?.address)
  })

  it('takes no contract up whose deployment it did not sign, and says so of what was queued', async () => {
    await forgetSignatures(rig().signerUrl)
    const forged = createMints(rig(), 1, 'forged', application)
    await rig().queueOperations(forged)
    const [outcome] = await rig().waitForOutcomes(forged.map(({ id }) => id))
    expect([outcome?.status, outcome?.reason]).to.deep.equal(['failed', 'The signer does not sign the operation.'])
  })
})
