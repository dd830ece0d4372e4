import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import pg from 'pg'
import { claim, mints, tokenOf, useRig } from '../support/chains.ts'

describe('A signer over the data of an earlier version', () => {
  const rig = useRig({ env: { PASSPORT_BATCHES_PER_CONTRACT: '2' } })
  const application = randomUUID()

  const inSigner = async (sql: string) => {
    const client = new pg.Client(rig().signerUrl)
    await client.connect()
    return client.query<Record<string, string>>(sql).finally(() => client.end())
  }

  before(async () => {
    const senders = rig().send()
    const first = mints(rig(), 3, 'earlier', application)
    await rig().queue(first)
    await rig().outcomes(first.map(({ id }) => id))
    await senders.stop()
    // An earlier version kept what it signed, and nothing of contracts.
    await inSigner('delete from signer.deployments')
  })

  it('goes on with the contracts whose deployment it signed then', async () => {
    rig().send()
    const to = await rig().chains.address('EthereumAnvil', 'account:1')
    const later = [...mints(rig(), 2, 'later', application), claim(rig(), 'transferTo', tokenOf('earlier 1'), to, application)]
    await rig().queue(later)
    const all = await rig().outcomes(later.map(({ id }) => id))
    expect(all.map(({ status }) => status)).to.deep.equal(['final', 'final', 'final'])
    const { rows } = await inSigner('select kind, application from signer.deployments')
    expect(rows).to.deep.equal([{ kind: 'passports', application }])
  })

  it('deploys a further contract behind one whose batches it signed then', async () => {
    // Nor did it keep which contract a batch was for.
    await inSigner('delete from signer.deployments; update signer.signatures set contract = null')
    const further = mints(rig(), 2, 'further', application)
    await rig().queue(further)
    const all = await rig().outcomes(further.map(({ id }) => id))
    const [first, second] = await rig().chains.contracts(rig().db, [application])
    expect(new Set(all.map(({ status, contract }) => `${status} ${contract}`)))
      .to.deep.equal(new Set([`final ${second?.address}`]))
    expect(first?.address).to.not.equal(second?.address)
  })

  it('takes no contract up whose deployment it did not sign, and says so of what was queued', async () => {
    await inSigner('delete from signer.deployments; delete from signer.signatures')
    const forged = mints(rig(), 1, 'forged', application)
    await rig().queue(forged)
    const [outcome] = await rig().outcomes(forged.map(({ id }) => id))
    expect([outcome?.status, outcome?.reason]).to.deep.equal(['failed', 'The signer does not sign the operation.'])
  })
})
