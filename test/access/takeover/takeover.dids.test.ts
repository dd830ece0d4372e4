import { expect } from 'chai'
import type { Knex } from 'knex'
import type { DidWebConfig } from '../../../core/features/certification/index.ts'
import { createApiClient, type Client } from '../../support/client.ts'
import { getCredentialPath } from '../../core/certification/credentials/certified.ts'
import { ageDomainCheck, ageMissingDocument } from '../../support/rows/certification/did-web-domains.ts'
import { buildCertifiedPassport, buildShop, type Shop } from '../../support/world.ts'
import { startHosting, type TestHosting } from '../../core/certification/did-web/hosting.ts'
import { readActiveKey } from '../../core/certification/keys/keys.ts'
import { getOperator, createUniqueName } from '../../core/identity/people.ts'
import { getBody, formatVerdict } from '../../core/dpp/passports/fixtures.ts'

const path = '/v1/dpp/certification-key/did-web-config'
const published = '/.well-known/did.json'
const hosts = ['reserve', 'bare', 'foreign', 'spelled', 'vanish', 'race'].map(
  (name) => `${createUniqueName(name)}.example`,
)
const [reserved = '', bare = '', foreign = '', spelled = '', vanishing = '', raced = ''] = hosts

const put = (api: Client, domain: unknown) => api.put(path, { domain })
const configOf = async (api: Client) => getBody<DidWebConfig>(await api.get(path))

describe('Tenant isolation: did:web of another organization', () => {
  let brand: Shop
  let thief: Shop
  let hosting: TestHosting
  let db: Knex

  before(async () => {
    hosting = await startHosting(hosts)
    ;({ db } = await getOperator())
  })
  after(() => hosting.stop())
  beforeEach(async () => {
    hosting.clear()
    ;[brand, thief] = [await buildShop(), await buildShop()]
  })

  /** Checks through the process that reaches the hosts. */
  const verify = (shop: Shop) =>
    hosting.api.post(`${path}/verify`, undefined, { headers: { 'x-api-key': keyOf(shop) } })
  const keyOf = ({ key }: Shop) => key
  const outcome = async (shop: Shop) => {
    const { status, body } = await verify(shop)
    return status === 200 ? String(body['reason'] ?? body['status']) : String(status)
  }
  async function own(shop: Shop, domain: string): Promise<void> {
    expect(formatVerdict(await put(shop.api, domain))).to.equal('200')
    hosting.put(published, (await configOf(shop.api)).didDocument)
    expect(await outcome(shop)).to.equal('ok')
  }

  it('gives a domain to the organization that publishes its document, not to the first that asks', async () => {
    expect(formatVerdict(await put(thief.api, reserved))).to.equal('200')
    expect((await configOf(thief.api)).did).to.match(/^did:key:/)
    await own(brand, reserved)
    expect((await configOf(brand.api)).did).to.equal(`did:web:${reserved}`)
    expect(formatVerdict(await put(thief.api, reserved))).to.equal('409 DPP_DID_WEB_DOMAIN_ALREADY_TAKEN')
  })

  it('signs under did:key while the domain has no document', async () => {
    await put(thief.api, bare)
    expect(await outcome(thief)).to.equal('http_status')
    const credential = JSON.parse(
      (await createApiClient().get(getCredentialPath(await buildCertifiedPassport(thief)))).text,
    ) as {
      issuer: { id: string }
    }
    expect(credential.issuer.id)
      .to.equal((await readActiveKey(thief.api)).did)
      .and.match(/^did:key:/)
  })

  it('verifies no domain whose document has the keys of another organization', async () => {
    await own(brand, foreign)
    await ageMissingDocument(db, foreign)
    expect(formatVerdict(await put(thief.api, foreign))).to.equal('200')
    expect(await outcome(thief)).to.equal('key_missing')
    expect([(await configOf(thief.api)).did.slice(0, 8), (await configOf(brand.api)).did]).to.deep.equal([
      'did:key:',
      `did:web:${foreign}`,
    ])
  })

  it('refuses another spelling of the same domain', async () => {
    await own(brand, spelled)
    const wide = [...spelled]
      .map((letter) => (/[a-z]/.test(letter) ? String.fromCodePoint(letter.charCodeAt(0) - 97 + 0xff41) : letter))
      .join('')
    for (const name of [spelled.toUpperCase(), wide, spelled.replace('.example', '。example')]) {
      expect(formatVerdict(await put(thief.api, name)), name).to.equal('409 DPP_DID_WEB_DOMAIN_ALREADY_TAKEN')
    }
    for (const name of [`${spelled}.`, `${spelled}:443`, `${spelled}/x`]) {
      expect(formatVerdict(await put(thief.api, name)), name).to.equal('422 VALIDATION_FAILED')
    }
    expect((await configOf(thief.api)).did).to.match(/^did:key:/)
  })

  it('keeps a domain whose document vanishes from an organization that cannot publish there', async () => {
    await own(brand, vanishing)
    hosting.clear()
    await ageDomainCheck(db, vanishing)
    await hosting.upkeep()
    expect((await configOf(brand.api)).missingSince).to.be.a('string')
    expect(formatVerdict(await put(thief.api, vanishing)), 'within a day').to.equal(
      '409 DPP_DID_WEB_DOMAIN_ALREADY_TAKEN',
    )
    await ageMissingDocument(db, vanishing)
    expect(formatVerdict(await put(thief.api, vanishing)), 'after it').to.equal('200')
    expect(await outcome(thief), 'but who cannot publish there proves nothing').to.equal('http_status')
    expect((await configOf(brand.api)).did).to.equal(`did:web:${vanishing}`)
  })

  it('gives the domain to one of two organizations that check at the same moment', async () => {
    await put(brand.api, raced)
    await put(thief.api, raced)
    const [one, other] = [(await configOf(brand.api)).didDocument, (await configOf(thief.api)).didDocument]
    hosting.put(published, {
      ...one,
      verificationMethod: [...(one?.verificationMethod ?? []), ...(other?.verificationMethod ?? [])],
      assertionMethod: [...(one?.assertionMethod ?? []), ...(other?.assertionMethod ?? [])],
    })
    const verdicts = await Promise.all([outcome(brand), outcome(thief)])
    expect(verdicts.sort()).to.deep.equal(['409', 'ok'])
    const dids = [(await configOf(brand.api)).did, (await configOf(thief.api)).did]
    expect(dids.filter((did) => did === `did:web:${raced}`)).to.have.length(1)
  })
})
