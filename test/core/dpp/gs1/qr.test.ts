import { expect } from 'chai'
import { BinaryBitmap, HybridBinarizer, QRCodeReader, RGBLuminanceSource } from '@zxing/library'
import jsqr from 'jsqr'
import decodeQR from 'qr/decode.js'
import { createApiClient } from '../../../support/client.ts'
import { blurImage, scaleImage, type GreyImage } from '../../../support/values/images.ts'
import { platform } from '../../../support/platform.ts'
import { createGtin } from './gtin-values.ts'
import { createFamily, publishAll, createPublishedProduct } from './gtins.ts'
import { drawQrPaths, readQrPixels } from './qr-pictures.ts'
import { formatVerdict } from '../passports/fixtures.ts'
import {
  buildDescribedPassport,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'

/** How many lines there are before the first one with a dark pixel. */
function edge(size: number, light: (line: number, at: number) => number): number {
  const all = Array.from({ length: size }, (_, at) => at)
  return all.findIndex((line) => all.some((at) => light(line, at) === 0))
}

/** A code in grey, as a camera takes it. */
function grey(png: Uint8Array): GreyImage {
  const { width, height, data } = readQrPixels(png)
  return { width, height, data: new Uint8ClampedArray(width * height).map((_, at) => data[at * 3] ?? 0) }
}

/** What a camera sees that is held over a code: in another size, out of focus, not straight. */
const seen = (code: GreyImage, factor: number, picture: number): GreyImage =>
  blurImage(scaleImage(code, factor, picture * 3 - 5), 1 + (picture % 2))

type Reader = (picture: GreyImage) => string | undefined

const jsQr: Reader = ({ width, height, data }) => {
  const colours = new Uint8ClampedArray(data.length * 4).map((_, at) => (at % 4 === 3 ? 255 : (data[at >> 2] ?? 0)))
  return jsqr.default(colours, width, height)?.data
}

const zxing: Reader = ({ width, height, data }) => {
  try {
    return new QRCodeReader()
      .decode(new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(data, width, height))))
      .getText()
  } catch {
    return undefined
  }
}

/** What a reader that is held over a code makes of it within ten pictures: its hand is never still. */
function reading(code: GreyImage, reader: Reader, nearness: number): string | undefined {
  for (let picture = 0; picture < 10; picture++) {
    const text = reader(seen(code, nearness - picture * 0.03, picture))
    if (text !== undefined) return text
  }
  return undefined
}

describe('GET /v1/dpp/passports/{id}/qr-code: QR codes', () => {
  let shop: Shop
  let sheet: string

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })

  const code = (id: unknown, query = '') => shop.api.get(`/v1/dpp/passports/${id}/qr-code${query}`)

  it('are images of the public address that a reader reads', async () => {
    const { id } = await buildPublishedPassport(shop, sheet)
    const { headers, bytes, status } = await code(id)
    expect(status).to.equal(200)
    expect(headers).to.include({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-disposition': `attachment; filename="${id}.png"`,
    })
    const image = readQrPixels(bytes)
    expect(image).to.include({ width: 512, height: 512 })
    expect(decodeQR(image)).to.equal(`${platform.api}/p/${id}`)
  })

  it('come as SVG that holds paths and nothing else', async () => {
    const { id } = await buildPublishedPassport(shop, sheet)
    const { headers, text } = await code(id, '?format=svg&size=300')
    expect(headers).to.include({
      'content-type': 'image/svg+xml',
      'x-content-type-options': 'nosniff',
      'content-disposition': `attachment; filename="${id}.svg"`,
    })
    expect([...text.matchAll(/<([a-z!?/]+)/gi)].map(([, name]) => name)).to.deep.equal(['svg', 'path', 'path', '/svg'])
    expect([...text.matchAll(/([a-z-]+)=/gi)].map(([, name]) => name)).to.deep.equal([
      'xmlns',
      'width',
      'height',
      'viewBox',
      'shape-rendering',
      'fill',
      'd',
      'd',
    ])
    expect(text).to.include('width="300" height="300"')
    expect(decodeQR(drawQrPaths(text))).to.equal(`${platform.api}/p/${id}`)
  })

  it('have the size that is asked for, in whole pixels a module, with a quiet zone of four', async () => {
    const { id } = await buildPublishedPassport(shop, sheet)
    for (const size of [64, 100, 511, 2048]) {
      const { width, light, data } = readQrPixels((await code(id, `?size=${size}`)).bytes)
      expect(width).to.equal(size)
      const [left, right, top] = [
        edge(size, (x, y) => light(x, y)),
        size - 1 - edge(size, (x, y) => light(size - 1 - x, y)),
        edge(size, (y, x) => light(x, y)),
      ]
      // The finder pattern begins with seven dark modules.
      const module = Array.from({ length: size }, (_, x) => light(left + x, top)).indexOf(1) / 7
      expect(module, `${size}`).to.equal(Math.floor(size / ((right - left + 1) / module + 8)))
      expect(left).to.be.at.least(4 * module)
      expect(size - 1 - right).to.be.at.least(4 * module)
      if (size > 64) expect(decodeQR({ width, height: width, data })).to.equal(`${platform.api}/p/${id}`)
    }
  })

  const read = async (id: string) => {
    const { bytes, status, text } = await code(id)
    expect(status, text).to.equal(200)
    return decodeQR(readQrPixels(bytes))
  }

  it('carry the GS1 Digital Link of a product with a GTIN, its own or that of its batch or model', async () => {
    const gtin = createGtin()
    const { model, batch, item } = await createFamily(shop, gtin)
    for (const [id, path] of [
      [model, ''],
      [batch, '/10/B'],
      [item, '/10/B/21/S'],
    ] as const) {
      const text = await read(id)
      expect(text).to.equal(`${platform.api}/01/${gtin}${path}`)
      const led = await createApiClient().get(text.slice(platform.api.length))
      expect(led.headers['location']).to.equal(`${platform.api}/p/${id}`)
    }
    const { id: alone } = await buildDescribedPassport(shop, {
      idGranularity: 'model',
      name: 'Bag',
      modelNumber: `${gtin}d`,
      gtin: createGtin(),
    })
    const below = await createPublishedProduct(shop, {
      idGranularity: 'item',
      modelNumber: `${gtin}d`,
      itemNumber: 'a',
    })
    expect(await read(below), 'the model is a draft').to.equal(`${platform.api}/p/${below}`)
    await publishAll(alone)
    expect(await read(below)).to.match(/\/21\/a$/)
    for (const product of [
      { itemNumber: 'a b', gtin },
      { itemNumber: 'b', gtin: '09520123456789' },
      { itemNumber: 'c' },
    ]) {
      const id = await createPublishedProduct(shop, { idGranularity: 'item', ...product })
      expect(await read(id)).to.equal(`${platform.api}/p/${id}`)
    }
  })

  it('are read by two other readers for 100 passports, in other sizes and out of focus', async () => {
    const gtin = createGtin()
    const made = await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        const product = { idGranularity: 'item', name: 'Bag', batchNumber: `LOT-${at}`, itemNumber: `S/${at}` }
        return (await buildDescribedPassport(shop, at % 2 ? { ...product, gtin } : product)).id
      }),
    )
    await publishAll(...made)
    const missed: string[] = []
    for (const [at, id] of made.entries()) {
      const { bytes, status, text: said } = await code(id, '?size=256')
      expect(status, said).to.equal(200)
      const wanted = at % 2 ? `${platform.api}/01/${gtin}/10/LOT-${at}/21/S%2F${at}` : `${platform.api}/p/${id}`
      const image = grey(bytes)
      for (const reader of [jsQr, zxing]) {
        const text = reading(image, reader, 0.9 + (at % 10) * 0.05)
        if (text !== wanted) missed.push(`${at} ${text}`)
      }
    }
    expect(missed).to.deep.equal([])
  })

  it('are refused for what the public cannot open, and in other sizes and formats', async () => {
    const draft = await buildPassport(shop, sheet)
    const { id } = await buildPublishedPassport(shop, sheet)
    expect(formatVerdict(await code(draft.id))).to.equal('409 DPP_PASSPORT_NOT_PUBLISHED')
    expect(formatVerdict(await (await buildShop()).api.get(`/v1/dpp/passports/${id}/qr-code`))).to.equal(
      '404 NOT_FOUND',
    )
    for (const query of ['size=63', 'size=2049', 'size=x', 'format=gif'])
      expect(formatVerdict(await code(id, `?${query}`))).to.equal('400 INVALID_REQUEST')
    await shop.api.patch(`/v1/dpp/passports/${id}`, { status: 'archived' })
    expect(formatVerdict(await code(id))).to.equal('409 DPP_PASSPORT_NOT_PUBLISHED')
  })
})
