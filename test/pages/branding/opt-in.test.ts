import { expect } from 'chai'
import { signInMember } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'
import { readText } from '../passports/visitor.ts'

interface SentFile {
  name: string
  type: string
  bytes: Buffer | string
}

const pdf = Buffer.from('%PDF-1.7\nhello')

describe('Console: upload of an opt-in form', () => {
  let shop: Shop
  let path: string
  let cookie: string
  before(async () => {
    shop = await buildShop()
    path = `/console/branding/${shop.application}/opt-in-form`
    cookie = await signInMember(shop.owner, shop.organization)
  })

  /** Sends a file as the form of the page does. */
  const upload = ({ name, type, bytes }: SentFile, by = cookie, to = path) => {
    const head = `--edge\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`
    return createApiClient({ cookie: by }).send('POST', to, undefined, {
      raw: Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from('\r\n--edge--\r\n')]),
      headers: {
        'content-type': 'multipart/form-data; boundary=edge',
        'accept-language': 'en',
        origin: new URL(platform.api).origin,
      },
      skipsDocumentCheck: true,
    })
  }

  it('shows the address that the operation gives the same file', async () => {
    const kept = await upload({ name: 'Opt-in (été).pdf', type: 'application/pdf', bytes: pdf })
    expect(kept.status, kept.text).to.equal(200)
    const { body } = await shop.api.post('/v1/dpp/opt-in-forms', {
      application: shop.application,
      fileName: 'a.pdf',
      contentType: 'application/pdf',
      content: pdf.toString('base64'),
    })
    expect(kept.text).to.contain(`<code id="address">${String(body['uri'])}</code>`)
    expect(kept.text).to.contain('data-copy="address"').and.to.contain('/assets/copy.js')
    expect(readText(kept)).to.contain('The form is kept.').and.to.contain('14 bytes')
  })

  it('takes pictures of each type, and files of exactly 5 MiB', async () => {
    const files: SentFile[] = [
      { name: 'a.png', type: 'image/png', bytes: Buffer.from('89504e470d0a1a0a0000000d', 'hex') },
      { name: 'a.jpg', type: 'image/jpeg', bytes: Buffer.from('ffd8ffe000104a46', 'hex') },
      { name: 'a.webp', type: 'image/webp', bytes: 'RIFF\x1a\0\0\0WEBPVP8L' },
      { name: 'a.pdf', type: 'application/pdf', bytes: Buffer.concat([pdf, Buffer.alloc(5 * 2 ** 20 - pdf.length)]) },
    ]
    for (const file of files) expect((await upload(file)).text, file.name).to.contain('The form is kept.')
  })

  it('refuses other files, each in a sentence, and shows no address', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const wrong: [sentence: string, file: SentFile][] = [
      ['is of another type', { name: 'a.svg', type: 'image/svg+xml', bytes: svg }],
      ['is of another type', { name: 'a.html', type: 'text/html', bytes: svg }],
      ['is not what its name says', { name: 'a.png', type: 'image/png', bytes: svg }],
      ['is not what its name says', { name: 'a.pdf', type: 'application/pdf', bytes: `${svg}\n${pdf.toString()}` }],
      ['is not what its name says', { name: 'a.jpg', type: 'image/jpeg', bytes: pdf }],
      ['is not what its name says', { name: 'a.webp', type: 'image/webp', bytes: 'RIFF\x1a\0\0\0AVI LIST' }],
      [
        'is larger than 5 MiB',
        { name: 'a.pdf', type: 'application/pdf', bytes: Buffer.concat([pdf, Buffer.alloc(6e6)]) },
      ],
      ['is missing: choose a file', { name: '', type: 'application/octet-stream', bytes: '' }],
      ['is not what its name says', { name: 'empty.pdf', type: 'application/pdf', bytes: '' }],
      ['has a name that is no plain name of a file', { name: 'a\u202efdp.pdf', type: 'application/pdf', bytes: pdf }],
    ]
    for (const [sentence, file] of wrong) {
      const refused = await upload(file)
      expect(refused.status, file.name).to.equal(422)
      expect(readText(refused), file.name).to.contain(`Please check: The form ${sentence}`)
      expect(refused.text, file.name).to.not.contain('ipfs://')
    }
  })

  it('is for those who may create passports, at an application of their own', async () => {
    const file = { name: 'a.pdf', type: 'application/pdf', bytes: pdf }
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    expect((await upload(file, viewer)).status).to.equal(403)
    const other = await buildShop()
    expect((await upload(file, cookie, `/console/branding/${other.application}/opt-in-form`)).status).to.equal(404)
    const nobody = await upload(file, 'tessera.none=1')
    expect([nobody.status, String(nobody.headers['location']).split('?')[0]]).to.deep.equal([303, '/console/sign-in'])
  })
})
