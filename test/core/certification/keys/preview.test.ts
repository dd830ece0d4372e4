import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { CertificationKey } from '../../../../core/features/certification/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { rehearse } from '../../../support/dpp/dry-runs.ts'
import { buildCertifiedPassport, buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody, listFaultPaths } from '../../dpp/passports/fixtures.ts'

const rotatePath = '/v1/dpp/certification-key/rotate'
const revokePath = (id: string) => `/v1/dpp/certification-keys/${id}/revoke`
const activeKey = async ({ api }: Shop) => getBody<CertificationKey>(await api.get('/v1/dpp/certification-key'))

/** Whether verification takes the certificate of a passport. */
async function verifies({ api }: Shop, passport: string): Promise<boolean> {
  const credential = await createApiClient().get(`/v1/dpp/passports/${passport}/vc.jsonld`)
  const verdict = await api.post('/v1/dpp/credentials/verify', { credential: credential.body })
  expect(verdict.status, verdict.text).to.equal(200)
  return verdict.body['verified'] === true
}

describe('POST /v1/dpp/certification-key/rotate?dryRun=true', () => {
  it('names the key, the networks and how many transactions, as the rotation then has them', async () => {
    const shop = await buildShop()
    const { id, kid } = await activeKey(shop)
    const unused = await rehearse(shop, 'post', `${rotatePath}?dryRun=true`)
    expect(unused).to.deep.include({ matched: 1, willChange: 1, samples: [{ id, name: kid }] })
    expect(unused.warnings).to.deep.equal([
      'No network knows a key of yours, so nothing is sent and the new key signs at once.',
    ])
    await buildCertifiedPassport(shop)
    const used = await rehearse(shop, 'post', `${rotatePath}?dryRun=true`)
    expect(used.warnings).to.deep.equal([
      '1 transaction will be sent, on EthereumAnvil; the new key signs once the first is final.',
    ])
    const rotation = await shop.api.post(rotatePath)
    expect([rotation.status, rotation.body['queuedJobs']]).to.deep.equal([200, 1])
  })

  it('is refused like the act', async () => {
    const shop = await buildShop()
    await buildCertifiedPassport(shop)
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    expect(formatVerdict(await reader.post(`${rotatePath}?dryRun=true`))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect((await shop.api.post(rotatePath)).status).to.equal(200)
    const [act, preview] = await Promise.all([shop.api.post(rotatePath), shop.api.post(`${rotatePath}?dryRun=true`)])
    expect(formatVerdict(preview)).to.equal(formatVerdict(act))
  })
})

describe('POST /v1/dpp/certification-keys/{id}/revoke?dryRun=true', () => {
  it('counts the credentials that verification refuses once the key is revoked', async () => {
    const shop = await buildShop()
    const early = await buildCertifiedPassport(shop)
    // The time of a block is in whole seconds: the second passport is anchored in a later one.
    const { body: anchor } = await shop.api.get(`/v1/dpp/passports/${early}/anchor`)
    const compromisedAt = new Date(Date.parse(String(anchor.anchoredAt)) + 1).toISOString()
    while (Date.now() < Date.parse(compromisedAt) + 1_000) await sleep(20)
    const late = await buildCertifiedPassport(shop)
    const { id } = await activeKey(shop)
    const preview = (body: object) => rehearse(shop, 'post', `${revokePath(id)}?dryRun=true`, body)
    const all = await preview({ reason: 'lost' })
    expect(all).to.deep.include({ matched: 2, willChange: 2, skipped: [] })
    expect(all.samples.map((sample) => sample.id).sort()).to.deep.equal([early, late].sort())
    expect(all.warnings).to.deep.equal([
      'What fails belongs to 2 passports, which can be certified again.',
      'It is the active key: another one takes its place.',
      '2 transactions will be sent.',
    ])
    const some = await preview({ reason: 'lost', compromisedAt })
    expect(some).to.deep.include({
      matched: 2,
      willChange: 1,
      skipped: [{ reason: 'They were anchored before the key was compromised', count: 1 }],
    })
    expect(some.samples.map((sample) => sample.id)).to.deep.equal([late])
    expect([await verifies(shop, early), await verifies(shop, late)]).to.deep.equal([true, true])
    expect((await shop.api.post(revokePath(id), { reason: 'lost', compromisedAt })).status).to.equal(200)
    expect([await verifies(shop, early), await verifies(shop, late)]).to.deep.equal([true, false])
    // The networks record the revocation meanwhile, so nothing is compared before and after.
    expect((await shop.api.post(`${revokePath(id)}?dryRun=true`, { reason: 'lost' })).body).to.deep.include({
      matched: 2,
      willChange: 1,
      skipped: [{ reason: 'They fail already', count: 1 }],
    })
    expect((await shop.api.post(revokePath(id), { reason: 'lost' })).status).to.equal(200)
    expect(await verifies(shop, early)).to.equal(false)
  })

  it('is refused like the act', async () => {
    const shop = await buildShop()
    const { id } = await activeKey(shop)
    const future = { reason: 'lost', compromisedAt: new Date(Date.now() + 3_600_000).toISOString() }
    const refused = await shop.api.post(`${revokePath(id)}?dryRun=true`, future)
    expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal([
      '422 VALIDATION_FAILED',
      ['compromisedAt'],
    ])
    const foreign = await (await buildShop()).api.post(`${revokePath(id)}?dryRun=true`, { reason: 'lost' })
    expect(formatVerdict(foreign)).to.equal('404 DPP_CERTIFICATION_KEY_NOT_FOUND')
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    expect(formatVerdict(await reader.post(`${revokePath(id)}?dryRun=true`, { reason: 'lost' }))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
  })
})
