import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ContextHandle } from '../../../core/app/context.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { buildOperator } from '../../core/identity/people.ts'
import { runAdmin } from '../../support/admin-command.ts'
import { createApiClient, type Client } from '../../support/client.ts'
import { createAuthority, createCertificate, startSecureServer, type SecureServer } from '../../support/network/tls.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { repeatUntil, waitUntil } from '../../support/processes.ts'
import {
  ageNaming,
  deleteIdlePictures,
  inflatePicture,
  insertIdlePictures,
  listPictures,
  makePictureDue,
  readPicture,
} from '../../support/rows/pictures/pictures.ts'
import { dateDeletionBack } from '../../support/rows/identity/organizations/deleted-organizations.ts'
import { createBomb, createPhoto, readPictureFile } from '../../support/values/picture-files.ts'

const brand = 'https://brand.example'

describe('GET /p/{id}: pictures that a brand has elsewhere', () => {
  let own: OwnPlatform
  let server: SecureServer
  let operator: ContextHandle
  let api: Client
  let serial = 0
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-pictures-'))
  const requested: string[] = []
  const files = new Map<string, { type: string; body: Buffer | string } | { location: string } | 'never'>()

  before(async () => {
    const ca = await createAuthority()
    writeFileSync(join(folder, 'ca.pem'), ca.cert)
    const names = ['brand.example', 'private.example']
    server = await startSecureServer(await createCertificate(ca, names), ({ url = '', headers }, response) => {
      requested.push(`${headers.host}${url}`)
      const file = files.get(url)
      if (file === 'never') return
      if (!file) response.writeHead(404).end()
      else if ('location' in file) response.writeHead(302, { location: file.location }).end()
      else response.writeHead(200, { 'content-type': file.type }).end(file.body)
    })
    own = await startPlatform({
      env: {
        NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
        OUTBOUND_ALLOW: 'brand.example',
        OUTBOUND_RESOLVE: names.map((name) => `${name}=127.0.0.1:${server.port}`).join(),
      },
    })
    operator = await buildOperator(own.database)
    api = createApiClient(own.apiKey, own.api)
  })
  after(async () => {
    await operator.close()
    await own.stop()
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  const putPicture = (path: string, body: Buffer | string, type = 'image/jpeg') => void files.set(path, { type, body })
  const linkTo = (path: string, linkName: string) => ({ linkURL: `${brand}${path}`, linkName, mediaType: 'image/jpeg' })
  const countRequests = (path: string) => requested.filter((one) => one === `brand.example${path}`).length

  async function build(product: object): Promise<string> {
    const item = { idGranularity: 'item', name: 'Bag', itemNumber: `P-${++serial}`, ...product }
    const { body, status, text } = await api.post('/v1/dpp/passports', { application: own.application, product: item })
    expect(status, text).to.equal(201)
    return String(body['id'])
  }
  async function publish(filter: string): Promise<void> {
    const started = await api.post(`/v1/dpp/passports/publish?skipCertification=true&${filter}`)
    expect(started.status, started.text).to.equal(202)
    await waitForJob(api, `/v1/jobs/${started.body['jobId']}`)
  }
  async function buildPublished(product: object): Promise<string> {
    const id = await build(product)
    await publish(`filters[id][eq]=${id}`)
    return id
  }
  const open = (id: string) => createApiClient({}, own.api).get(`/p/${id}`)
  const listTags = (text: string) => [...text.matchAll(/<img\b[^>]*>/g)].map(([tag]) => tag)
  const waitForTags = (id: string, count: number) =>
    repeatUntil(
      `the page shows ${count} pictures`,
      async () => listTags((await open(id)).text),
      (tags) => tags.length === count,
    )
  const read = (path: string) => readPicture(operator.context.db, own.organization, `${brand}${path}`)
  const waitForFailure = (path: string) =>
    repeatUntil(
      `${path} has failed`,
      () => read(path),
      (stored) => (stored?.failures ?? 0) > 0,
    )

  it('are shown in sizes of our own, upright and without what the file says of its place', async () => {
    putPicture('/photo.jpg', await createPhoto(2_000, 1_000))
    putPicture('/small.jpg', await createPhoto(100, 200))
    const id = await buildPublished({
      productImage: linkTo('/photo.jpg', 'The bag'),
      relatedDocument: [linkTo('/small.jpg', 'Its lock')],
    })
    const [first = '', second = ''] = await waitForTags(id, 2)
    expect(first).to.contain('alt="The bag"').and.to.contain('fetchpriority="high"').and.to.contain('loading="lazy"')
    expect(first).to.contain('width="240" height="480"').and.to.contain('decoding="async"')
    expect(second)
      .to.contain('alt="Its lock"')
      .and.to.contain('loading="lazy"')
      .and.not.to.contain('srcset')
      .and.not.to.contain('fetchpriority')
    const [, set = ''] = /srcset="([^"]+)"/.exec(first) ?? []
    const forms = set.split(', ').map((one) => one.split(' '))
    expect(forms.map(([, width]) => width)).to.deep.equal(['320w', '640w', '1000w'])
    for (const [path = '', width] of forms) {
      const picture = await createApiClient({}, own.api).get(path)
      expect(picture.status).to.equal(200)
      expect(picture.headers).to.include({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      const side = Number.parseInt(width ?? '', 10)
      expect(await readPictureFile(picture.bytes)).to.deep.equal({
        format: 'webp',
        width: side,
        height: 2 * side,
        hasMetadata: false,
      })
      expect(picture.bytes.toString('latin1')).not.to.match(/Exif|photographer/)
    }
    const page = await open(id)
    expect(page.headers['content-security-policy']).to.contain("img-src 'self';").and.not.to.contain('https:')
    expect(listTags(page.text).join()).not.to.contain(brand)
  })

  it('leave no element and no text of theirs where they cannot be fetched, and are tried again later', async () => {
    putPicture('/bomb.png', createBomb(10_000, 10_000), 'image/png')
    putPicture('/page.jpg', '<!doctype html><title>Not found</title>', 'text/html')
    putPicture('/drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'image/svg+xml')
    putPicture('/cut.jpg', (await createPhoto(900, 900)).subarray(0, 1_500))
    putPicture('/large.jpg', Buffer.concat([await createPhoto(9, 9), Buffer.alloc(10 * 1024 * 1024)]))
    files.set('/inside.jpg', { location: 'https://private.example/secret.jpg' })
    files.set('/metadata.jpg', { location: 'https://169.254.169.254/latest' })
    putPicture('/secret.jpg', await createPhoto(9, 9))
    files.set('/never.jpg', 'never')
    const failures = {
      '/bomb.png': 'too_many_pixels',
      '/page.jpg': 'not_a_picture',
      '/drawing.svg': 'not_a_picture',
      '/cut.jpg': 'unreadable',
      '/large.jpg': 'no_answer',
      '/inside.jpg': 'no_answer',
      '/metadata.jpg': 'no_answer',
      '/never.jpg': 'no_answer',
      '/missing.jpg': 'no_answer',
    }
    const sheet = await api.post('/v1/dpp/products', {
      application: own.application,
      network: 'EthereumAnvil',
      name: 'Album',
      status: 'ACTIVE',
      passportsFields: Object.keys(failures).map((path) => ({ name: path, label: `Photo of ${path}`, type: 'image' })),
    })
    expect(sheet.status, sheet.text).to.equal(201)
    const fields = Object.fromEntries(Object.keys(failures).map((path) => [path, `${brand}${path}`]))
    const made = await api.post('/v1/dpp/passports', { product: sheet.body['id'], fields })
    expect(made.status, made.text).to.equal(201)
    await publish(`filters[id][eq]=${made.body['id']}`)
    for (const [path, failure] of Object.entries(failures)) {
      const stored = await waitForFailure(path)
      expect(stored?.failure, path).to.equal(failure)
      expect(stored?.waitSeconds, path).to.be.within(200, 300)
    }
    const { text } = await open(String(made.body['id']))
    expect(listTags(text)).to.deep.equal([])
    expect(text).not.to.contain('Photo of').and.not.to.contain('class="gallery"')
    expect(requested.filter((one) => one.startsWith('private.example'))).to.deep.equal([])

    putPicture('/missing.jpg', await createPhoto(40, 30))
    await makePictureDue(operator.context.db, own.organization, `${brand}/missing.jpg`)
    expect(await waitForTags(String(made.body['id']), 1)).to.have.length(1)
    await makePictureDue(operator.context.db, own.organization, `${brand}/page.jpg`)
    await waitUntil('it failed twice', async () => (await read('/page.jpg'))?.failures === 2)
    expect((await read('/page.jpg'))?.waitSeconds).to.be.within(1_700, 1_800)
  })

  it('are fetched once however many passports have them, also those that nobody has published before', async () => {
    putPicture('/shared.jpg', await createPhoto(400, 300))
    const product = { modelNumber: 'SHARED', productImage: linkTo('/shared.jpg', 'Shared') }
    const ids: string[] = []
    for (let at = 0; at < 5; at++) ids.push(await build(product))
    await publish('filters[product.modelNumber][eq]=SHARED')
    for (const id of ids) expect(await waitForTags(id, 1)).to.have.length(1)
    expect(countRequests('/shared.jpg')).to.equal(1)
  })

  it('are those of a published passport after a change, at addresses of that passport alone', async () => {
    putPicture('/old.jpg', await createPhoto(60, 40))
    putPicture('/new.jpg', await createPhoto(80, 40))
    const id = await buildPublished({ productImage: linkTo('/old.jpg', 'Old') })
    const other = await buildPublished({})
    const [tag = ''] = await waitForTags(id, 1)
    const [, path = ''] = /src="([^"]+)"/.exec(tag) ?? []
    const get = (address: string) => createApiClient({}, own.api).get(address)
    expect((await get(path)).status).to.equal(200)
    expect((await get(path.replace(id, other))).status).to.equal(404)
    const draft = await build({ productImage: linkTo('/old.jpg', 'Old') })
    expect((await get(path.replace(id, draft))).status).to.equal(404)
    const patch = { product: { productImage: linkTo('/new.jpg', 'New') } }
    expect((await api.patch(`/v1/dpp/passports/${id}`, patch)).status).to.equal(200)
    await waitUntil('the new one was fetched', () => countRequests('/new.jpg') === 1)
    await repeatUntil(
      'the page shows the new one',
      async () => (await open(id)).text,
      (text) => text.includes('alt="New"'),
    )
    expect((await get(path)).status).to.equal(404)
  })

  it('are not fetched for drafts, and no more of them than the share of the organization allows', async () => {
    const { db } = operator.context
    putPicture('/share.jpg', await createPhoto(50, 50))
    putPicture('/heavy.jpg', await createPhoto(50, 60))
    await build({ productImage: linkTo('/draft.jpg', 'Draft') })
    await insertIdlePictures(db, own.organization, 5_000)
    const id = await buildPublished({ productImage: linkTo('/share.jpg', 'Share') })
    expect(listTags((await open(id)).text)).to.deep.equal([])
    expect(await read('/share.jpg')).to.equal(undefined)
    await deleteIdlePictures(db, own.organization)
    await inflatePicture(db, own.organization, `${brand}/new.jpg`, 512 * 1024 * 1024)
    await buildPublished({ productImage: linkTo('/heavy.jpg', 'Heavy') })
    expect((await waitForFailure('/heavy.jpg'))?.failure).to.equal('share_used')
    await inflatePicture(db, own.organization, `${brand}/new.jpg`, 1_000)
    expect(await read('/draft.jpg')).to.equal(undefined)
  })

  it('show the logo of the application, and are on the card that other sites show', async () => {
    putPicture('/logo.jpg', await createPhoto(64, 192))
    const theme = { logoUrl: `${brand}/logo.jpg` }
    const set = await api.patch(`/v1/applications/${own.application}`, { theme })
    expect(set.status, set.text).to.equal(200)
    const id = await buildPublished({ productImage: linkTo('/shared.jpg', 'Shared') })
    const readCard = async () => /property="og:image" content="([^"]+)"/.exec((await open(id)).text)?.[1] ?? ''
    const before = await readCard()
    const [logo = ''] = await waitForTags(id, 2)
    expect(logo).to.contain('class="logo"').and.to.contain(`/p/${id}/pictures/`)
    const after = await readCard()
    expect(after).not.to.equal(before)
    const card = await createApiClient({}, own.api).get(new URL(after).pathname)
    expect(card.headers).to.include({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(await readPictureFile(card.bytes)).to.include({ format: 'jpeg', width: 1_200, height: 630 })
    expect(card.bytes.length).to.be.below(100_001)
    const old = await createApiClient({}, own.api).get(new URL(before).pathname)
    expect([old.status, old.headers['location']]).to.deep.equal([302, new URL(after).pathname])
  })

  it('go when nothing has named them for 90 days, and for ever with a deleted organization', async () => {
    const { db } = operator.context
    const id = await buildPublished({ productImage: linkTo('/photo.jpg', 'The bag') })
    await waitForTags(id, 2)
    await ageNaming(db, own.organization, `${brand}/small.jpg`, 91)
    await ageNaming(db, own.organization, `${brand}/photo.jpg`, 89)
    const cleanUp = async () => expect(await runAdmin(own.dataDir, 'cleanup', '--json')).to.include({ code: 0 })
    await cleanUp()
    const left = await listPictures(db, own.organization)
    expect(left).to.include(`${brand}/photo.jpg`).and.not.to.include(`${brand}/small.jpg`)
    await dateDeletionBack(db, own.organization, 31)
    await cleanUp()
    expect(await listPictures(db, own.organization)).to.deep.equal([])
    expect(listTags((await open(id)).text)).to.deep.equal([])
    expect(await listPictures(db, own.organization)).to.deep.equal([])
  })
})
