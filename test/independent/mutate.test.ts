import { expect } from 'chai'
import { createApiClient } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { certifyPassport, readForms, createProductBody, createSaved, type CredentialForms } from './evidence.ts'
import { changeTextByte, changeTokenByte, mutateBytes, changeSpace } from './mutate.ts'
import { verifyEmbedded, verifyToken, type SavedDocuments } from './verify.ts'

describe('Changed credential checked by an independent verifier', function () {
  this.timeout(60_000)
  let forms: CredentialForms
  let saved: SavedDocuments

  before(async () => {
    const maker = { platform, api: createApiClient(platform.apiKey) }
    forms = await readForms(maker, await certifyPassport(maker, createProductBody(platform.application)))
    saved = await createSaved(maker, forms.ld)
    await verifyEmbedded(forms.ld, saved)
    await verifyToken(forms.jwt.toString('latin1'), saved)
  })

  for (const [form, change] of [
    ['ld', changeTextByte],
    ['ld', changeSpace],
    ['jwt', changeTokenByte],
    ['jwt', changeSpace],
  ] as const) {
    it(`fails with any byte changed (${change.name}) in the form ${form}`, async () => {
      const { tried, survivors } = await mutateBytes(forms[form], form, saved, change)
      expect(tried).to.equal(forms[form].length)
      expect(survivors).to.deep.equal([])
    })
  }

  const refused = async (verified: Promise<unknown>) =>
    expect(await verified.then(() => 'verifies', String)).to.not.equal('verifies')

  it('fails with a member named twice, whichever of the two is true', async () => {
    const text = forms.ld.toString('utf8')
    expect(text).to.include('"color":"red"')
    for (const twice of [
      '"color":"blue","color":"red"',
      '"color":"red","color":"red"',
      '"c\\u006flor":"blue","color":"red"',
    ]) {
      await refused(verifyEmbedded(Buffer.from(text.replace('"color":"red"', twice)), saved))
    }
  })

  it('fails with another spelling of the same signature', async () => {
    const token = forms.jwt.toString('latin1')
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const same = [...last].filter(
      (letter) =>
        Buffer.from(token.slice(-1).padStart(2, 'A'), 'base64url').equals(
          Buffer.from(letter.padStart(2, 'A'), 'base64url'),
        ) && letter !== token.slice(-1),
    )
    expect(same).to.have.length(15)
    for (const letter of same) await refused(verifyToken(token.slice(0, -1) + letter, saved))
    for (const other of [`${token}=`, `${token} `, `${token}.`, token.replaceAll('-', '+').replaceAll('_', '/')]) {
      if (other !== token) await refused(verifyToken(other, saved))
    }
  })

  it('fails with a changed status in the other form too, and with another list', async () => {
    const [one, other] = [...saved.lists.keys()]
    const swapped = new Map([
      [one ?? '', saved.lists.get(other ?? '') ?? Buffer.alloc(0)],
      [other ?? '', saved.lists.get(one ?? '') ?? Buffer.alloc(0)],
    ])
    await refused(verifyEmbedded(forms.ld, { ...saved, lists: swapped }))
    await refused(verifyEmbedded(forms.ld, { ...saved, lists: new Map() }))
  })
})
