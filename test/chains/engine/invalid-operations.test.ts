import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { NewTokenOperation } from '../../../core/chains/port.ts'
import { createAnchors, createMints, useChainRig } from '../../support/chains/chain-rig.ts'

describe('Chain operations that would only fail on the chain', () => {
  const rig = useChainRig()

  /** What the port says of an operation; nothing of it is queued. */
  async function queue(change: Partial<NewTokenOperation>): Promise<string> {
    const [mint] = createMints({ organization: randomUUID() }, 1, randomUUID(), randomUUID())
    if (!mint) throw new Error('there is no operation')
    const operation = { ...mint, ...change }
    const refusal = await rig()
      .queueOperations([operation])
      .then(
        () => 'queued',
        (cause: Error) => `${cause.name} ${cause.message.replace(operation.id, 'id')}`,
      )
    expect(await rig().hasOperation(operation.id)).to.equal(refusal === 'queued')
    return refusal
  }
  const to = `0x${'1'.repeat(40)}`

  it('are refused without a receiver where the act has one', async () => {
    expect(await queue({ kind: 'transferTo' })).to.equal('TypeError operation id: transferTo needs a receiver')
    expect(await queue({ kind: 'mintTo' })).to.equal('TypeError operation id: mintTo needs a receiver')
    expect(await queue({ kind: 'mintTo', to })).to.equal('queued')
    expect(await queue({ kind: 'mintToIssuer' })).to.equal('queued')
  })

  it('are refused with a token id that is no word', async () => {
    for (const tokenId of ['0x1', `0x${'A'.repeat(64)}`, '1'.repeat(66)])
      expect(await queue({ tokenId }), tokenId).to.match(/^TypeError operation id: a token id is 0x/)
  })

  it('are refused for a record whose root is no word', async () => {
    const [anchor] = createAnchors({ organization: randomUUID() }, 1, 'invalid')
    if (!anchor) throw new Error('there is no record')
    const cause = await rig()
      .insertRecords([{ ...anchor, root: '0x12' }])
      .catch((error: Error) => error)
    expect(cause).to.be.an.instanceof(TypeError)
  })
})
