import { expect } from 'chai'
import { createPoints, toTokenId, useChainRig } from '../../support/chains/chain-rig.ts'
import { listChainTransactions } from '../../support/rows/chains/transactions.ts'
import { waitUntil } from '../../support/processes.ts'
import { askSigner, changeIntent, createEnvelope } from './requests.ts'
import { createStage, type Stage } from './stage.ts'

describe('Signer: POST /sign for points', () => {
  const rig = useChainRig()
  let stage: Stage
  before(async () => {
    stage = await createStage(rig())
  })

  it('signs queued entries again under another nonce, since their contract counts them once', async () => {
    const { next, justified } = stage
    for (const nonce of [next, next + 1]) {
      const { status } = await askSigner(rig(), createEnvelope(changeIntent(justified.postPoints, { nonce })))
      expect([nonce, status]).to.deep.equal([nonce, 200])
    }
  })

  it('signs a replacement of exactly the entries of a transaction at a higher fee', async () => {
    await rig().node.callRpc('evm_setAutomine', false)
    const { own, claimer, bystander, contracts, justified } = stage
    const accounts = [claimer, bystander]
    const entries = createPoints(rig(), 'replaced', { application: own, accounts, amounts: [3n, -4n] })
    await rig().queuePoints(entries)
    const senders = rig().startSenders()
    const held = () =>
      listChainTransactions(rig().db, { kind: 'postPoints', status: 'submitted', contract: contracts.ownPoints })
    await waitUntil('the points are sent', async () => (await held()).length > 0)
    await senders.stop()
    const [{ nonce } = { nonce: -1 }] = await held()
    const { operations: first, accounts: owners, amounts } = justified.postPoints['act'] as Record<string, string[]>
    const act = {
      operations: [...(first ?? []), ...entries.map(({ id }) => id)],
      accounts: [...(owners ?? []), ...accounts],
      amounts: [...(amounts ?? []), '3', '-4'],
    }
    const fees = { most: '9000000000', tip: '2000000000' }
    const replacement = changeIntent(justified.postPoints, { nonce, fees, gas: '300000' }, act)
    const fewer = Object.fromEntries(Object.entries(act).map(([name, list]) => [name, list.slice(1)]))
    expect((await askSigner(rig(), createEnvelope(changeIntent(replacement, {}, fewer)))).code).to.equal(
      'NOT_JUSTIFIED',
    )
    const changed = { amounts: [...act.amounts.slice(0, -1), '-5'] }
    expect((await askSigner(rig(), createEnvelope(changeIntent(replacement, {}, changed)))).code).to.equal(
      'NOT_JUSTIFIED',
    )
    expect((await askSigner(rig(), createEnvelope(replacement))).status).to.equal(200)
  })

  it('names what is wrong with an entry', async () => {
    const { justified, bystander } = stage
    const single = (account: string) => ({
      operations: [toTokenId('invented')],
      accounts: [account],
      amounts: ['5'],
    })
    const codes = await Promise.all(
      [
        single(bystander),
        single(`0x${'be'.repeat(20)}`),
        { ...single(bystander), amounts: ['5', '6'] },
        { ...single(bystander), amounts: ['5.0'] },
      ].map(async (act) => (await askSigner(rig(), createEnvelope(changeIntent(justified.postPoints, {}, act)))).code),
    )
    expect(codes).to.deep.equal(['NOT_JUSTIFIED', 'RECIPIENT', 'MALFORMED', 'MALFORMED'])
  })
})
