import { expect } from 'chai'
import { parseTransaction, recoverTransactionAddress, toHex, type Hex } from 'viem'
import { createClaim, toTokenId, useChainRig } from '../../support/chains/chain-rig.ts'
import { deleteChainOperations } from '../../support/rows/chains/operations.ts'
import { listChainTransactions } from '../../support/rows/chains/transactions.ts'
import { createAttacks } from './attacks.ts'
import { askSigner, changeIntent, createEnvelope, type Json, type Reply } from './requests.ts'
import { createStage, type Stage } from './stage.ts'

describe('Signer: POST /sign from a compromised API process', () => {
  const rig = useChainRig()
  let stage: Stage
  before(async () => {
    stage = await createStage(rig())
  })

  it('signs nothing of 200 and more requests that no operation justifies', async () => {
    const attacks = createAttacks(stage)
    const replies: (Reply & { group: string; name: string })[] = []
    for (const { group, name, ...envelope } of attacks)
      replies.push({ group, name, ...(await askSigner(rig(), envelope)) })
    print(replies)
    expect(
      replies.filter(({ raw, status }) => raw !== undefined || status === 200).map(({ name }) => name),
    ).to.deep.equal([])
    expect(replies.filter(({ status }) => status >= 500)).to.deep.equal([])
    expect(attacks.length).to.be.at.least(200)
  })

  it('signs what the tables justify, as its own sender and without a value', async () => {
    for (const [act, intent] of Object.entries(stage.justified)) {
      const operation = `justified:${act}`
      const { raw = '', status } = await askSigner(rig(), createEnvelope(intent, operation))
      expect([act, status]).to.deep.equal([act, 200])
      const signed: Hex = toHex(Buffer.from(raw, 'base64'))
      expect(await recoverTransactionAddress({ serializedTransaction: signed as never })).to.equal(stage.sender.address)
      const { value, chainId, nonce } = parseTransaction(signed)
      expect([value ?? 0n, chainId, nonce]).to.deep.equal([0n, 31_337, intent.nonce])
      expect((await askSigner(rig(), createEnvelope(intent, operation))).raw).to.equal(raw)
    }
  })

  it('refuses another intent under an operation that it signed', async () => {
    const intents = Object.entries(stage.justified)
    for (const [index, [act, intent]] of intents.entries()) {
      const next = intents[(index + 1) % intents.length]?.[1] ?? intent
      const fees = { most: '4000000000', tip: '1000000000' }
      for (const other of [next, changeIntent(intent, { fees })] as Json[]) {
        expect((await askSigner(rig(), createEnvelope(other, `justified:${act}`))).code).to.equal('OPERATION_REUSED')
      }
    }
  })

  it('signs tokens to wallets of accounts only, whatever receiver the tables name', async () => {
    const {
      own,
      claimer,
      issuer = '',
      otherIssuer = '',
      sender,
      justified: { mint, transfer },
    } = stage
    const strangers = {
      thief: `0x${'be'.repeat(20)}`,
      issuer,
      otherIssuer,
      sender: sender.address,
      contract: stage.contracts.own,
    }
    for (const [name, to] of Object.entries(strangers)) {
      const [fresh, held] = [toTokenId(`direct to ${name}`), toTokenId('own 2')]
      const wanted = [
        createClaim(rig(), 'mintTo', fresh, to, own),
        { ...createClaim(rig(), 'transferTo', held, to, own), id: `to ${name}` },
      ]
      await rig().queueOperations(wanted)
      const changedIntents = [
        changeIntent(mint, {}, { tokenId: fresh, to }),
        changeIntent(transfer, {}, { tokenId: held, index: 1, to }),
      ]
      for (const intent of changedIntents)
        expect((await askSigner(rig(), createEnvelope(intent))).code, name).to.equal('RECIPIENT')
      await deleteChainOperations(
        rig().db,
        wanted.map(({ id }) => id),
      )
    }
    await rig().queueOperations([createClaim(rig(), 'mintTo', toTokenId('direct to a person'), claimer, own)])
    const person = changeIntent(mint, {}, { tokenId: toTokenId('direct to a person'), to: claimer })
    expect((await askSigner(rig(), createEnvelope(person))).status).to.equal(200)
  })

  it('signs what happens to a token under one nonce, and under no second one', async () => {
    const {
      next,
      justified: { mintBatch, mint, transfer },
    } = stage
    const { tokenIds } = mintBatch['act'] as { tokenIds: string[] }
    const again = [mintBatch, mint, transfer, changeIntent(mintBatch, {}, { tokenIds: tokenIds.slice(0, 1) })]
    for (const nonce of [next + 1, next + 2, next + 63]) {
      for (const intent of again) {
        const { code, text } = await askSigner(rig(), createEnvelope(changeIntent(intent, { nonce })))
        expect([code, (JSON.parse(text) as { nonce: number }).nonce]).to.deep.equal(['SIGNED_BEFORE', next])
      }
    }
    const fees = { most: '5000000000', tip: '1000000000' }
    for (const intent of [mintBatch, mint, transfer]) {
      expect((await askSigner(rig(), createEnvelope(changeIntent(intent, { fees })))).status).to.equal(200)
    }
  })

  it('signs a replacement of the same operations at a higher fee, and of no others', async () => {
    await rig().node.callRpc('evm_setAutomine', false)
    const senders = rig().startSenders()
    const { contracts, otherIssuer: issuer } = stage
    const held = () =>
      listChainTransactions(rig().db, { kind: 'mintBatch', status: 'submitted', contract: contracts.other })
    const foreign = {
      contract: contracts.other,
      issuer,
      tokenIds: [toTokenId('foreign 0'), toTokenId('foreign 1')].sort(),
    }
    const mintBatch = changeIntent(stage.justified.mintBatch, {}, foreign)
    while ((await held()).length === 0) await new Promise(setImmediate)
    await senders.stop()
    const nonces = (await held()).map(({ nonce }) => nonce)
    const fees = { most: '9000000000', tip: '2000000000' }
    const replies = await Promise.all(
      nonces.map((nonce) => askSigner(rig(), createEnvelope(changeIntent(mintBatch, { nonce, fees })))),
    )
    expect(replies.filter(({ status }) => status === 200)).to.have.length(1)
    const { tokenIds } = foreign
    for (const nonce of nonces) {
      const fewer = changeIntent(mintBatch, { nonce, fees }, { tokenIds: tokenIds.slice(1) })
      expect((await askSigner(rig(), createEnvelope(fewer))).code).to.be.oneOf(['NOT_JUSTIFIED', 'CONTRACT'])
    }
    const again = changeIntent(mintBatch, { nonce: Math.max(...nonces) + 20, fees })
    expect((await askSigner(rig(), createEnvelope(again))).code).to.equal('NOT_JUSTIFIED')
  })
})

function print(replies: readonly (Reply & { group: string })[]): void {
  console.log('      | what was asked | requests | signed | refused with |\n      | --- | ---: | ---: | --- |')
  for (const [group, list] of Map.groupBy(replies, (one) => one.group)) {
    const codes = [...Map.groupBy(list, ({ code }) => code)].map(([code, same]) => `${code} ${same.length}`).sort()
    console.log(
      `      | ${group} | ${list.length} | ${list.filter(({ raw }) => raw !== undefined).length} | ${codes.join(', ')} |`,
    )
  }
  console.log(`      | all | ${replies.length} | ${replies.filter(({ raw }) => raw !== undefined).length} | |`)
}
