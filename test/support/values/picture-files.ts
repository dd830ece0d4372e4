import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

/** Creates a photo as a phone stores it: lying on its side by a mark, and with the place where it was taken. */
export const createPhoto = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#c87832' } })
    .jpeg()
    .withExif({
      IFD0: { Copyright: 'A photographer' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '41/1 8/1 5652/100' },
    })
    .withMetadata({ orientation: 6 })
    .toBuffer()

/** A picture in one size, with its hash. */
interface PictureSize {
  width: number
  height: number
  hash: Buffer
  body: Buffer
}

/** Creates the sizes of a picture that the platform would have made of it. */
export async function createSizes(source: Buffer): Promise<PictureSize[]> {
  const { width: own } = await sharp(source).metadata()
  const widths = [...[320, 640].filter((width) => width < own), Math.min(own, 1_280)]
  return Promise.all(
    widths.map(async (wanted) => {
      const { data: body, info } = await sharp(source).resize(wanted).webp().toBuffer({ resolveWithObject: true })
      const hash = createHash('sha256').update(body).digest()
      return { width: info.width, height: info.height, hash, body }
    }),
  )
}

/** Creates a PNG of one colour that has so many pixels, in a file of few bytes. */
export function createBomb(width: number, height: number): Buffer {
  const size = Buffer.alloc(13)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  // One bit a pixel, grey.
  size.set([1, 0, 0, 0, 0], 8)
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)))
  const chunks = [
    createChunk('IHDR', size),
    createChunk('IDAT', deflateSync(rows)),
    createChunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
}

function createChunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** What a picture file says of itself. */
export async function readPictureFile(bytes: Buffer) {
  const { format, width, height, exif, xmp, icc } = await sharp(bytes).metadata()
  return { format, width, height, hasMetadata: [exif, xmp, icc].some((part) => part !== undefined) }
}
