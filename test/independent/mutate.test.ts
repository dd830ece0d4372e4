import { expect } from 'chai'
import { client } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { certify, formsOf, newBody, savedFor, type Forms } from './evidence.ts'
import { inText, inToken, mutate, toSpace } from './mutate.ts'
import { verifyEmbedded, verifyToken, type Saved } from './verify.ts'

describe('A credential that was changed', function () {
  this.timeout(60_000)
  let forms: Forms
  let saved: Saved

  before(async () => {
    const maker = { platform, api: client(platform.apiKey) }
    forms = await formsOf(maker, await certify(maker, newBody(platform.application)))
    saved = await savedFor(maker, forms.ld)
    await verifyEmbedded(forms.ld, saved)
    await verifyToken(forms.jwt.toString('latin1'), saved)
  })

  for (const [form, change] of [['ld', inText], ['ld', toSpace], ['jwt', inToken], ['jwt', toSpace]] as const) {
    it(`in any byte (${change.name}) does not verify in the form ${form}`, async () => {
      const { tried, survivors } = await mutate(forms[form], form, saved, change)
      expect(tried).to.equal(forms[form].length)
      expect(survivors).to.deep.equal([])
    })
  }

  const refused = async (verified: Promise<unknown>) => expect(await verified.then(() => 'verifies', String)).to.not.equal('verifies')

  it('to name a member twice does not verify, whichever of the two is true', async () => {
    const text = forms.ld.toString('utf8')
    expect(text).to.include('"color":"red"')
    for (const twice of ['"color":"blue","color":"red"', '"color":"red","color":"red"', '"c\\u006flor":"blue","color":"red"']) {
      await refused(verifyEmbedded(Buffer.from(text.replace('"color":"red"', twice)), saved))
    }
  })

  it('to another spelling of the same signature does not verify', async () => {
    const token = forms.jwt.toString('latin1')
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const same = [...last].filter((letter) => Buffer.from(token.slice(-1).padStart(2, 'A'), 'base64url')
      .equals(Buffer.from(letter.padStart(2, 'A'), 'base64url')) && letter !== token.slice(-1))
    expect(same).to.have.length(15)
    for (const letter of same) await refused(verifyToken(token.slice(0, -1) + letter, saved))
    for (const other of [`${token}=`, `${token} `, `${token}.`, token.replaceAll('-', '+').replaceAll('_', '/')]) {
      if (other !== token) await refused(verifyToken(other, saved))
    }
  })

  it('in its status does not verify in the other form either, nor with another list', async () => {
    const [one, other] = [...saved.lists.keys()]
    const swapped = new Map([[one ?? '', saved.lists.get(other ?? '') ?? Buffer.alloc(0)], [other ?? '', saved.lists.get(one ?? '') ?? Buffer.alloc(0)]])
    await refused(verifyEmbedded(forms.ld, { ...saved, lists: swapped }))
    await refused(verifyEmbedded(forms.ld, { ...saved, lists: new Map() }))
  })
})
