import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { buildCertifiedPassport, buildShop } from '../../../support/world.ts'
import { getCredentialPath } from '../credentials/certified.ts'
import { createMutatedCredentials } from './mutated.ts'
import { verifyRefused } from './refused-credentials.ts'
import { createRichCredential } from './rich-credential.ts'
import { createIssuer, type Vc } from '../suites/signers.ts'
import { verifyByApi } from '../verify/verify.ts'

/** Requests at a time. */
const maxConcurrent = 8
const each = 500

describe('POST /v1/dpp/credentials/verify: credentials with one mistake', function () {
  this.timeout(60_000)

  it(`names exactly the place of each of ${2 * each}, whoever issued them and however they are sent`, async () => {
    const own = JSON.parse(
      (await createApiClient().get(getCredentialPath(await buildCertifiedPassport(await buildShop())))).text,
    ) as Vc
    const issuer = createIssuer()
    const foreign = await issuer.proved(createRichCredential(issuer))
    for (const credential of [own, foreign]) await verifyByApi(credential)
    const all = [...createMutatedCredentials(own, each, 20_261_122), ...createMutatedCredentials(foreign, each, 7)]
    const began = performance.now()
    const wrong: object[] = []
    const queue = all.values()
    await Promise.all(
      Array.from({ length: maxConcurrent }, async () => {
        for (const { what, submission, path, code } of queue) {
          const found = await verifyRefused(submission)
          if (found.length !== 1 || found[0] !== `${path} ${code}`) wrong.push({ what, path, code, found })
        }
      }),
    )
    const [paths, codes] = [new Set(all.map(({ path }) => path)), new Set(all.map(({ code }) => code))]
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    console.log(
      `      ${all.length} mutated credentials, ${paths.size} paths, ${codes.size} codes: ${all.length - wrong.length} named exactly, ${seconds} s`,
    )
    expect(wrong.slice(0, 5), `${wrong.length} of ${all.length}`).to.deep.equal([])
    expect(paths.size).to.be.above(150)
  })
})
