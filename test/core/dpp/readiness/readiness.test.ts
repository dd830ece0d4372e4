import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Finding, Readiness } from '../../../../core/features/dpp/index.ts'
import { createUntpItem } from '../../../support/values/untp.ts'
import { createApiClient } from '../../../support/client.ts'
import { moveCompromise } from '../../../support/rows/certification/key-faults.ts'
import { loseAnchor } from '../../../support/rows/dpp/anchors.ts'
import { getCredentialPath } from '../../certification/credentials/certified.ts'
import {
  buildCertifiedPassport,
  buildModelTree,
  buildPassport,
  buildProductPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { readActiveKey, revokeKey } from '../../certification/keys/keys.ts'
import { verifyByApi } from '../../certification/verify/verify.ts'
import { getOperator } from '../../identity/people.ts'
import { getBody, waitForJob, createSerial, formatVerdict } from '../passports/fixtures.ts'
import { publishPassports } from '../passports/products.ts'

const errorsOf = ({ findings }: Readiness) => findings.filter(({ severity }) => severity === 'error').map(formatFinding)
const formatFinding = ({ code, path }: Finding) => `${code} ${path}`

describe('GET /v1/dpp/passports/{id}/readiness', () => {
  let shop: Shop
  let other: Shop
  before(async () => {
    ;[shop, other] = await Promise.all([buildShop(), buildShop()])
  })

  const readiness = async (id: unknown): Promise<Readiness> => {
    const answer = await shop.api.get(`/v1/dpp/passports/${id}/readiness`)
    expect(answer.status, answer.text).to.equal(200)
    return getBody<Readiness>(answer)
  }
  const codesOf = async (id: unknown) => (await readiness(id)).findings.map(formatFinding)

  it('is there for a product with every member that UNTP demands, which is told what the Union will ask for', async () => {
    const { id } = await buildProductPassport(shop, createUntpItem(createSerial()))
    const { ready, findings } = await readiness(id)
    expect(ready).to.equal(true)
    const codes = findings.map(formatFinding)
    expect(codes).to.include.members([
      'nothing_to_certify certifiedPaths',
      'not_published status',
      'not_certified certificationStatus',
      'eu_commodity_code_missing product.productCategory',
      'eu_manufacturer_missing product.relatedParty',
      'model_not_linked product.modelNumber',
    ])
    // Primary cells, by their code: no battery that has a passport, whatever the name says.
    expect(codes.filter((code) => /battery|cannot_tell/.test(code))).to.deep.equal([])
    expect(codes).not.to.include('eu_gtin_missing product.gtin')
    expect(
      findings.every(({ rule, fix, message, path }) => rule !== '' && fix.endsWith('.') && message.startsWith(path)),
    ).to.equal(true)
  })

  it('is not while members that UNTP demands are missing, each told at its own path', async () => {
    const { id } = await buildProductPassport(shop)
    expect(errorsOf(await readiness(id))).to.deep.equal([
      'untp_required product.countryOfProduction',
      'untp_required product.idScheme',
      'untp_required product.producedAtFacility',
      'untp_required product.productCategory',
    ])
  })

  it('tells findings in the order of paths, then of codes', async () => {
    const paths = (await readiness((await buildProductPassport(shop)).id)).findings.map(
      ({ path, code }) => `${path}\0${code}`,
    )
    expect(paths).to.deep.equal([...paths].sort())
  })

  it('finds what GTIN, identifier and numbers say against each other', async () => {
    const made = await buildProductPassport(shop, {
      ...createUntpItem('A1'),
      id: 'https://id.example.com/01/09520123456788/10/LOT7/21/B2',
      itemNumber: randomUUID(),
      batchNumber: 'LOT8',
      gtin: '4006381333931',
      producedAtFacility: { id: 'https://id.example.com/414/9520123456780', name: 'A' },
    })
    expect(errorsOf(await readiness(made.id))).to.deep.equal([
      'identifier_number_mismatch product.batchNumber',
      'gtin_mismatch product.gtin',
      'identifier_number_mismatch product.itemNumber',
      'gln_check_digit product.producedAtFacility.id',
    ])
  })

  it('says where numbers lead to no passport, to a draft, or to the batch of another model', async () => {
    const tree = await buildModelTree(shop)
    expect(await codesOf(tree.item.id)).to.include.members([
      'parent_not_published product.batchNumber',
      'parent_not_published product.modelNumber',
    ])
    await publishPassports(shop, tree.model.id)
    const links = (codes: string[]) => codes.filter((code) => /^(parent|batch_|model_|no_parent)/.test(code))
    expect(links(await codesOf(tree.item.id))).to.deep.equal([])
    const lost = await buildProductPassport(shop, { modelNumber: randomUUID(), batchNumber: tree.batchNumber })
    expect(links(await codesOf(lost.id))).to.deep.equal([
      'batch_of_other_model product.batchNumber',
      'model_not_linked product.modelNumber',
    ])
    const alone = await buildProductPassport(shop, { batchNumber: randomUUID() })
    expect(links(await codesOf(alone.id))).to.deep.equal(['batch_not_linked product.batchNumber'])
    expect(links(await codesOf((await buildProductPassport(shop)).id))).to.deep.equal(['no_parent product.modelNumber'])
  })

  it('asks a certified passport for a copy elsewhere, and for nothing that it has', async () => {
    const codes = await codesOf(await buildCertifiedPassport(shop))
    expect(codes.filter((code) => /status$|Status$|certifiedPaths|ipfsCid/i.test(code))).to.deep.equal([
      'backup_copy_missing ipfsCid',
    ])
  })

  /** What readiness has against the certificate, and whether it verifies. */
  async function standing(own: Shop, id: string) {
    const { text } = await createApiClient().get(getCredentialPath(id))
    const { ready, findings } = getBody<Readiness>(await own.api.get(`/v1/dpp/passports/${id}/readiness`))
    const against = findings
      .filter(({ path }) => path === 'anchor' || path === 'proof.verificationMethod')
      .map(({ code }) => code)
    return { ready, against, verified: (await verifyByApi(JSON.parse(text))).verified }
  }
  async function certifyAgain(own: Shop, id: string): Promise<void> {
    const started = await own.api.post(`/v1/dpp/passports/certify?filters[id][eq]=${id}`)
    expect(started.status, started.text).to.equal(202)
    expect((await waitForJob(own.api, `/v1/jobs/${started.body.jobId}`)).status).to.equal('completed')
  }
  const good = { ready: true, against: [], verified: true }

  it('is lost with the key of its certificate, unless that was anchored before the key was, and comes back with another certificate', async () => {
    const own = await buildShop()
    const id = await buildCertifiedPassport(own)
    expect(await standing(own, id)).to.deep.equal(good)
    const { id: key } = await readActiveKey(own.api)
    const { db } = await getOperator()
    await revokeKey(own.api, key)
    expect(await standing(own, id)).to.deep.equal({ ready: false, against: ['key_revoked'], verified: false })
    await moveCompromise(db, key, new Date(Date.now() + 60_000))
    expect(await standing(own, id), 'anchored before').to.deep.equal(good)
    await moveCompromise(db, key, new Date('2020-01-01'))
    expect(await standing(own, id), 'anchored after').to.deep.equal({
      ready: false,
      against: ['key_revoked'],
      verified: false,
    })
    await certifyAgain(own, id)
    expect(await standing(own, id)).to.deep.equal(good)
  })

  it('is lost with the anchor that a chain took back, and comes back with another one', async () => {
    const own = await buildShop()
    const id = await buildCertifiedPassport(own)
    await loseAnchor((await getOperator()).db, id)
    expect(await standing(own, id)).to.deep.equal({ ready: false, against: ['anchor_lost'], verified: null })
    await certifyAgain(own, id)
    expect(await standing(own, id)).to.deep.equal(good)
  })

  it('says that nothing comes of an archived passport', async () => {
    const { id } = await buildProductPassport(shop)
    await shop.api.patch(`/v1/dpp/passports/${id}`, { status: 'archived' })
    expect(await codesOf(id)).to.include('archived status')
  })

  it('checks a passport with a sheet by the fields of the sheet and by its certified subject', async () => {
    const sheet = await buildSheet(shop, { certifiedPaths: ['serialNumber'] })
    const passport = await buildPublishedPassport(shop, sheet)
    const before = await readiness(passport.id)
    expect(errorsOf(before)).to.deep.equal([
      'untp_member_no_field product.countryOfProduction',
      'untp_member_no_field product.idScheme',
      'untp_member_no_field product.producedAtFacility',
      'untp_member_no_field product.productCategory',
    ])
    const changed = await shop.api.patch(`/v1/dpp/products/${sheet}`, {
      passportsFields: [
        { name: 'serialNumber', type: 'string', required: true },
        { name: 'weight', type: 'number', required: true },
      ],
      migrate: true,
    })
    await waitForJob(shop.api, String(changed.headers['location']))
    expect(errorsOf(await readiness(passport.id))).to.deep.equal(errorsOf(before))
    expect(await codesOf(passport.id)).to.include('sheet_version_old fields.weight')
  })

  it('is told to the organization of the passport alone', async () => {
    const { id } = await buildPassport(shop, await buildSheet(shop))
    expect(formatVerdict(await other.api.get(`/v1/dpp/passports/${id}/readiness`))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await shop.api.get(`/v1/dpp/passports/${randomUUID()}/readiness`))).to.equal('404 NOT_FOUND')
  })
})
