import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { createOtherCertificate, createPassCertificate } from '../../../../support/wallets/apple/certificates.ts'
import { openPass } from '../../../../support/wallets/apple/pkpass.ts'
import { endCertificate } from '../../../../support/rows/loyalty/cards.ts'
import { buildApplication, buildBuyer, buildKey, buildShop } from '../../../../support/world.ts'
import { createApiClient } from '../../../../support/client.ts'
import { formatVerdict, getBody } from '../../../dpp/passports/fixtures.ts'
import { getOperator } from '../../../identity/people.ts'
import { createNames, getAuthority } from './authority.ts'
import { buildCardShop, downloadPath, getCredentialsPath, type CardShop } from './fixtures.ts'

const getIssues = ({ body }: { body: unknown }) =>
  (body as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => `${path} ${code}`)

describe('PUT /v1/applications/:appId/wallet-credentials/:channel', () => {
  let shop: CardShop
  before(async () => {
    shop = await buildCardShop()
  })

  it('keeps a certificate, tells what it is for, and never shows the key', async () => {
    const answer = await shop.api.get(getCredentialsPath(shop.application))
    const { expiresAt, updatedAt, ...rest } = getBody<Record<string, unknown>>(answer)
    expect(rest).to.deep.equal({ channel: 'apple-wallet', isConfigured: true, ...shop.names })
    expect(Date.parse(String(expiresAt))).to.be.greaterThan(Date.now())
    expect(updatedAt).to.be.a('string')
    expect(answer.text).not.to.include('PRIVATE KEY')
  })

  it('refuses what cannot sign passes of the application, at its path', async () => {
    const { api, application, names, certificate } = shop
    const authority = getAuthority()
    const put = async (body: object) => {
      const answer = await api.put(getCredentialsPath(application), body)
      expect(formatVerdict(answer)).to.equal('422 VALIDATION_FAILED')
      expect(answer.text).not.to.include('PRIVATE KEY')
      return getIssues(answer)
    }
    expect(await put({})).to.deep.equal(['certificate required'])
    expect(await put({ certificate: certificate.certificate })).to.deep.equal(['privateKey required'])
    expect(await put({ ...certificate, certificate: 'no' })).to.deep.equal(['certificate invalid'])
    expect(await put({ ...certificate, privateKey: 'no' })).to.deep.equal(['privateKey invalid'])
    const other = createPassCertificate(authority, names)
    expect(await put({ ...certificate, privateKey: other.privateKey })).to.deep.equal(['privateKey mismatch'])
    expect(await put(createPassCertificate(authority, names, 0))).to.deep.equal(['certificate expired'])
    expect(await put(createPassCertificate(authority, createNames()))).to.deep.equal(['certificate mismatch'])
    const { passTypeIdentifier } = names
    expect(
      await put(createPassCertificate(authority, { passTypeIdentifier, teamIdentifier: 'ZZZZZ99999' })),
    ).to.deep.equal(['certificate mismatch'])
    expect(await put(createOtherCertificate(authority))).to.deep.equal(['certificate invalid'])
    expect(await put({ serviceAccount: createServiceAccount() })).to.deep.equal(['serviceAccount unknown_member'])
  })

  it('keeps a service account of Google, and tells its name alone', async () => {
    const path = getCredentialsPath(shop.application, 'google-wallet')
    await shop.api.patch(`/v1/applications/${shop.application}`, {
      loyaltySettings: { googleWallet: { issuerId: '338800001' } },
    })
    const answer = await shop.api.put(path, { serviceAccount: createServiceAccount() })
    expect(answer.status, answer.text).to.equal(200)
    const { updatedAt, ...rest } = getBody<Record<string, unknown>>(answer)
    expect(updatedAt).to.be.a('string')
    expect(rest).to.deep.equal({
      channel: 'google-wallet',
      isConfigured: true,
      issuerId: '338800001',
      clientEmail: 'cards@shop.iam.gserviceaccount.com',
    })
    const wrong = await shop.api.put(path, { serviceAccount: { ...createServiceAccount(), private_key: 'no' } })
    expect(getIssues(wrong)).to.deep.equal(['serviceAccount.private_key invalid'])
  })

  it('needs the permission to change the application, and is closed to other organizations', async () => {
    const { key } = await buildKey(shop.organization, { application: ['read'] })
    const path = getCredentialsPath(shop.application)
    expect((await createApiClient(key).get(path)).status).to.equal(200)
    expect(formatVerdict(await createApiClient(key).put(path, shop.certificate))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
    const stranger = await buildShop()
    expect(formatVerdict(await stranger.api.get(path))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await stranger.api.put(path, shop.certificate))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await stranger.api.delete(path))).to.equal('404 NOT_FOUND')
  })
})

describe('GET /v1/apple-wallet/loyalty-pass after the certificate has ended', () => {
  it('says that the application issues no cards', async () => {
    const shop = await buildCardShop()
    const buyer = await buildBuyer(shop)
    await endCertificate((await getOperator()).db, shop.application, -1)
    expect(formatVerdict(await buyer.get(downloadPath))).to.equal('409 WALLET_NOT_CONFIGURED')
  })
})

describe('DELETE /v1/applications/:appId/wallet-credentials/:channel', () => {
  it('leaves an application with the certificate of development, outside production', async () => {
    const { api, organization } = await buildShop()
    const application = await buildApplication(organization)
    const names = createNames()
    const path = getCredentialsPath(application)
    await api.put(path, createPassCertificate(getAuthority(), names))
    const buyer = await buildBuyer({ application })
    const own = openPass((await buyer.get(downloadPath)).bytes, getAuthority().certificate)
    expect(own.passTypeIdentifier).to.equal(names.passTypeIdentifier)
    const removed = await api.delete(path)
    expect(removed.body).to.deep.equal({ channel: 'apple-wallet', isConfigured: false, updatedAt: null })
    const answer = await buyer.get(downloadPath)
    expect(answer.status).to.equal(200)
    expect(() => openPass(answer.bytes, getAuthority().certificate)).to.throw('signature')
  })
})

function createServiceAccount() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return {
    type: 'service_account',
    client_email: 'cards@shop.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    private_key_id: 'k1',
  }
}
