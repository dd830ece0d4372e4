import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { hashAddress } from '../../../../core/commands/persons/erased.list.ts'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { deleteStagedFiles, insertStagedFile, readStagedFile } from '../../../support/rows/imports/staged-files.ts'
import { waitForJob, createSerial, readPassport } from '../../dpp/passports/fixtures.ts'
import { listStoredAcceptances } from '../../../support/rows/legal/acceptances.ts'
import {
  buildBuyer,
  buildDescribedPassport,
  buildMember,
  buildProductPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { createEmail, getOperator, createUniqueName, signInMember } from '../../identity/people.ts'
import { assignNew } from '../../loyalty/assignments/fixtures.ts'
import { admin, beginRows, done, namedIn } from './persons.admin.ts'

describe('what person erase reaches, keeps and leaves', () => {
  let shop: Shop
  before(async () => {
    await beginRows()
    shop = await buildShop()
  })

  it('reaches files that were staged, also where an address lies across two pieces or is in UTF-16', async () => {
    const email = createEmail('canary')
    const { db } = await getOperator()
    const text = `name,owner\nBag,${email}\nBag,${email.toUpperCase()}\n`
    const files = [Buffer.from(text), Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from(text)]
    const cut = text.indexOf(email) + 5
    const uploads: string[] = []
    for (const [at, bytes] of files.entries()) {
      const pieces = at === 2 ? [bytes.subarray(0, cut), bytes.subarray(cut)] : [bytes]
      uploads.push(await insertStagedFile(db, { organization: shop.organization, pieces }))
    }
    expect((await admin('person', 'erase', email)).code).to.equal(0)
    for (const [at, id] of uploads.entries()) {
      const left = await readStagedFile(db, id)
      expect(left.length).to.equal(files[at]?.length)
      expect(left.toString(at === 1 ? 'utf16le' : 'utf8').replace('\ufeff', '')).to.equal(
        text.replaceAll(new RegExp(email, 'gi'), 'x'.repeat(email.length)),
      )
    }
    await deleteStagedFiles(db, uploads)
  })

  it('leaves what a person accepted for their company, without the person and without the network address', async () => {
    const email = await buildMember(shop.organization, 'editor')
    await signInMember(email, shop.organization)
    const exported = await done('person', 'export', email)
    expect(exported['rows']?.['legal_acceptances']).to.have.length(3)
    expect((await admin('person', 'erase', email)).code).to.equal(0)
    const left = await listStoredAcceptances((await getOperator()).db, { organization: shop.organization })
    expect(left.map(({ document, version, person, address }) => [document, version, person, address])).to.deep.equal([
      ['privacy', '1', null, null],
      ['processing', '1', null, null],
      ['terms', '1', null, null],
    ])
  })

  it('keeps erased addresses as keyed hashes only, and erases again what a restored database has of them', async () => {
    const email = createEmail('canary')
    await buildProductPassport(shop, {}, { allowedClaimEmail: email })
    await admin('person', 'erase', email)
    const list = readFileSync(join(platform.dataDir, 'erased-persons.ndjson'), 'utf8')
    expect(list).to.not.contain(email)
    const size = list.split('\n').length
    await admin('person', 'erase', email)
    expect(readFileSync(join(platform.dataDir, 'erased-persons.ndjson'), 'utf8').split('\n').length).to.equal(size)
    const other = createEmail('other')
    await buildProductPassport(shop, {}, { allowedClaimEmail: email, data: { to: `${other}, ${email}` } })
    const again = await admin('person', 'erase-listed')
    expect([again.code, again.json['erased']], again.err).to.deep.equal([0, 1])
    expect(await namedIn(email)).to.deep.equal([])
    expect(await namedIn(other)).to.have.length(1)
    const refused = await shop.api.post(
      '/v1/dpp/passports',
      { product: await buildSheet(shop), fields: { serialNumber: createSerial(), [email]: 1 } },
      {
        headers: { 'idempotency-key': createUniqueName('refused') },
      },
    )
    expect([refused.status, (await namedIn(email)).length], 'only in the path of an error').to.deep.equal([422, 1])
    expect((await admin('person', 'erase-listed')).json['erased']).to.equal(1)
    expect(await namedIn(email)).to.deep.equal([])
  })

  it('knows who was erased under a key that was changed since', () => {
    const [before, after] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')]
    const [then] = hashAddress({ dataDir: '', keyEncryptionKey: before, keyEncryptionKeysOld: [] }, 'anna@example.com')
    const now = hashAddress(
      { dataDir: '', keyEncryptionKey: after, keyEncryptionKeysOld: [before] },
      'anna@example.com',
    )
    expect(now).to.have.length(2).and.to.include(then)
  })

  it('reaches points that are assigned to a person, which are exported too', async () => {
    const email = createEmail('canary')
    const pending = await assignNew(shop, { email })
    const exported = await done('person', 'export', email)
    const { account_assignments: found } = exported['rows'] as unknown as Record<string, { id: string }[]>
    expect(found?.map(({ id }) => id)).to.deep.equal([pending.id])
    await buildBuyer(shop, email)
    const consumed = await assignNew(shop, { email })
    expect((await done('person', 'erase', email))['deleted']).to.include({ account_assignments: 2 })
    expect(await namedIn(email)).to.deep.equal([])
    for (const { id } of [pending, consumed])
      expect((await shop.api.get(`/v1/account-assignments/${id}`)).status).to.equal(404)
  })

  it('tells what was signed about a person, and does not change it', async () => {
    const email = createEmail('canary')
    const { id } = await buildDescribedPassport(
      shop,
      { idGranularity: 'item', name: 'Bag', itemNumber: createSerial() },
      { data: { owner: email }, certifiedPaths: ['owner'] },
    )
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
    await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
    const signed = await createApiClient().get(`/v1/dpp/passports/${id}/vc.jsonld`)
    expect(signed.text).to.contain(email)
    expect((await done('person', 'erase', email))['remains']).to.deep.equal({ passport_credentials: 1 })
    expect(await namedIn(email)).to.have.length(1)
    expect((await readPassport(shop.api, id)).data).to.not.deep.equal({ owner: email })
  })
})
