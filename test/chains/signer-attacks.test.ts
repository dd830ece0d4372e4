import { expect } from 'chai'
import { parseTransaction, recoverTransactionAddress, toHex, type Hex } from 'viem'
import { useRig } from '../support/chains.ts'
import { attacksOn } from './signer/attacks.ts'
import { ask, changed, signing, type Json, type Reply } from './signer/requests.ts'
import { setStage, type Stage } from './signer/stage.ts'

describe('POST /sign of the signer, as a stolen API process could ask', () => {
  const rig = useRig()
  let stage: Stage
  before(async () => { stage = await setStage(rig()) })

  it('signs nothing of 200 and more requests that no operation justifies', async () => {
    const attacks = attacksOn(stage)
    const replies: (Reply & { group: string; name: string })[] = []
    for (const { group, name, ...envelope } of attacks) replies.push({ group, name, ...await ask(rig(), envelope) })
    print(replies)
    expect(replies.filter(({ raw, status }) => raw !== undefined || status === 200).map(({ name }) => name)).to.deep.equal([])
    expect(replies.filter(({ status }) => status >= 500)).to.deep.equal([])
    expect(attacks.length).to.be.at.least(200)
  })

  it('signs what the tables justify, as its own sender and without a value', async () => {
    for (const [act, intent] of Object.entries(stage.justified)) {
      const operation = `justified:${act}`
      const { raw = '', status } = await ask(rig(), signing(intent, operation))
      expect([act, status]).to.deep.equal([act, 200])
      const signed: Hex = toHex(Buffer.from(raw, 'base64'))
      expect(await recoverTransactionAddress({ serializedTransaction: signed as never })).to.equal(stage.sender.address)
      const { value, chainId, nonce } = parseTransaction(signed)
      expect([value ?? 0n, chainId, nonce]).to.deep.equal([0n, 31_337, intent.nonce])
      expect((await ask(rig(), signing(intent, operation))).raw).to.equal(raw)
    }
  })

  it('refuses another intent under an operation that it signed', async () => {
    const intents = Object.entries(stage.justified)
    for (const [index, [act, intent]] of intents.entries()) {
      const next = intents[(index + 1) % intents.length]?.[1] ?? intent
      const fees = { most: '4000000000', tip: '1000000000' }
      for (const other of [next, changed(intent, { fees })] as Json[]) {
        expect((await ask(rig(), signing(other, `justified:${act}`))).code).to.equal('OPERATION_REUSED')
      }
    }
  })

  it('signs a replacement of the same operations at a higher fee, and of no others', async () => {
    const senders = rig().send()
    await rig().node.ask('evm_setAutomine', false)
    const held = async () => (await rig().db('chain_transactions').where({ kind: 'mintBatch', status: 'submitted' })
      .select<{ nonce: string }[]>('nonce'))
    const { justified: { mintBatch } } = stage
    while ((await held()).length === 0) await new Promise(setImmediate)
    await senders.stop()
    const nonces = (await held()).map(({ nonce }) => Number(nonce))
    const fees = { most: '9000000000', tip: '2000000000' }
    const replies = await Promise.all(nonces.map((nonce) => ask(rig(), signing(changed(mintBatch, { nonce, fees })))))
    expect(replies.filter(({ status }) => status === 200)).to.have.length(1)
    const { tokenIds } = mintBatch['act'] as { tokenIds: string[] }
    for (const nonce of nonces) {
      const fewer = changed(mintBatch, { nonce, fees }, { tokenIds: tokenIds.slice(1) })
      expect((await ask(rig(), signing(fewer))).code).to.be.oneOf(['NOT_JUSTIFIED', 'CONTRACT'])
    }
    const again = changed(mintBatch, { nonce: Math.max(...nonces) + 20, fees })
    expect((await ask(rig(), signing(again))).code).to.equal('NOT_JUSTIFIED')
  })
})

function print(replies: readonly (Reply & { group: string })[]): void {
  console.log('      | what was asked | requests | signed | refused with |\n      | --- | ---: | ---: | --- |')
  for (const [group, list] of Map.groupBy(replies, (one) => one.group)) {
    const codes = [...Map.groupBy(list, ({ code }) => code)].map(([code, same]) => `${code} ${same.length}`).sort()
    console.log(`      | ${group} | ${list.length} | ${list.filter(({ raw }) => raw !== undefined).length} | ${codes.join(', ')} |`)
  }
  console.log(`      | all | ${replies.length} | ${replies.filter(({ raw }) => raw !== undefined).length} | |`)
}
