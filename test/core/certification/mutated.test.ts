import { expect } from 'chai'
import { client } from '../../support/client.ts'
import { newShop } from '../passports/fixtures.ts'
import { credentialAt, newCertified } from './certified.ts'
import { mutatedCredentials } from './mutated.ts'
import { refused } from './refused.ts'
import { richCredential } from './rich.ts'
import { newIssuer, type Vc } from './signers.ts'
import { verified } from './verify.ts'

/** Requests at a time. */
const atOnce = 8
const each = 500

describe('Verifying credentials that are wrong in one place', function () {
  this.timeout(60_000)

  it(`names exactly the place of each of ${2 * each}, whoever issued them and however they are sent`, async () => {
    const own = JSON.parse((await client().get(credentialAt(await newCertified(await newShop())))).text) as Vc
    const issuer = newIssuer()
    const foreign = await issuer.proved(richCredential(issuer))
    for (const credential of [own, foreign]) await verified(credential)
    const all = [...mutatedCredentials(own, each, 20_261_122), ...mutatedCredentials(foreign, each, 7)]
    const began = performance.now()
    const wrong: object[] = []
    const queue = all.values()
    await Promise.all(Array.from({ length: atOnce }, async () => {
      for (const { what, given, path, code } of queue) {
        const found = await refused(given)
        if (found.length !== 1 || found[0] !== `${path} ${code}`) wrong.push({ what, path, code, found })
      }
    }))
    const [paths, codes] = [new Set(all.map(({ path }) => path)), new Set(all.map(({ code }) => code))]
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    console.log(`      ${all.length} mutated credentials, ${paths.size} paths, ${codes.size} codes: ${all.length - wrong.length} named exactly, ${seconds} s`)
    expect(wrong.slice(0, 5), `${wrong.length} of ${all.length}`).to.deep.equal([])
    expect(paths.size).to.be.above(150)
  })
})
