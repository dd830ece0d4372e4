import { createHash } from 'node:crypto'
import sharp, { type Sharp } from 'sharp'
import type { PictureFailure, PictureForm } from './pictures.types.ts'

/** The widths of the sizes, in pixels. A smaller picture has its own width as the largest one: none is enlarged. */
const formWidths = [320, 640, 1_280] as const

/** A size is at most this many times as high as it is wide. */
const maxHeightRatio = 2

/**
 * The most pixels of a picture, more than phones take. Each needs four bytes of memory while it is read, whatever the
 * size of its file, so that a file of few bytes could take all of it.
 */
const maxPixels = 50_000_000

/** The seconds that one size may take. */
const maxSeconds = 15

/** The kinds of pictures that are read, as sharp names them. `heif` is read as AVIF only. */
const formats: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'gif', 'heif'])

// One picture at a time has one thread, and none is kept in memory. No other reader than those of the kinds that are
// read can be reached, whatever the bytes of a file say: above all none of SVG, which may name other files.
sharp.concurrency(1)
sharp.cache(false)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadHeifBuffer',
  ],
})

/**
 * Makes the sizes of a picture, upright, in sRGB and without anything that it says about where and how it was taken. Of
 * a picture that moves only the beginning is taken.
 */
export async function createForms(source: Buffer): Promise<PictureForm[] | PictureFailure> {
  const metadata = await sharp(source, { limitInputPixels: false })
    .metadata()
    .catch(() => null)
  if (!metadata || !formats.has(metadata.format) || (metadata.format === 'heif' && metadata.compression !== 'av1'))
    return 'not_a_picture'
  if (metadata.width * metadata.height > maxPixels) return 'too_many_pixels'
  try {
    return await resizePicture(source, metadata.autoOrient.width)
  } catch {
    // The library says with plain errors what is wrong with bytes that it cannot read; whoever sent them did not do so to us.
    return 'unreadable'
  }
}

async function resizePicture(source: Buffer, sourceWidth: number): Promise<PictureForm[]> {
  const largest = Math.min(sourceWidth, formWidths.at(-1) ?? sourceWidth)
  const { data, info } = await limitSize(sharp(source, { limitInputPixels: maxPixels }).autoOrient(), largest)
    .toColourspace('srgb')
    .timeout({ seconds: maxSeconds })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  const forms = new Map<number, PictureForm>()
  for (const width of [...formWidths.filter((each) => each < info.width), info.width]) {
    const form = await limitSize(sharp(data, { raw }), width)
      .webp({ quality: 80 })
      .timeout({ seconds: maxSeconds })
      .toBuffer({ resolveWithObject: true })
    const hash = createHash('sha256').update(form.data).digest()
    forms.set(form.info.width, { width: form.info.width, height: form.info.height, hash, body: form.data })
  }
  return [...forms.values()]
}

const limitSize = (image: Sharp, width: number): Sharp =>
  image.resize({ width, height: width * maxHeightRatio, fit: 'inside', withoutEnlargement: true })

/** A picture is fitted into this box, in pixels. */
export interface PictureBox {
  width: number
  height: number
  /** As `#rrggbb`: what is left of the box has it; without one the picture is as small as it can be. */
  background?: string
  /** What stays free on each side of the picture. */
  margin?: number
}

/** Fits one size of a picture into a box, as PNG. */
export const fitAsPng = ({ width, height, background, margin = 0 }: PictureBox, form: Buffer): Promise<Buffer> =>
  sharp(form, { limitInputPixels: maxPixels })
    .resize({
      width: width - 2 * margin,
      height: height - 2 * margin,
      fit: background === undefined ? 'inside' : 'contain',
      ...(background && { background }),
    })
    .extend({ top: margin, bottom: margin, left: margin, right: margin, ...(background && { background }) })
    .png({ compressionLevel: 9 })
    .timeout({ seconds: maxSeconds })
    .toBuffer()

/** Writes pixels as PNG. @param pixels red, green and blue of each */
export const writePng = (pixels: Buffer, { width, height }: Pick<PictureBox, 'width' | 'height'>): Promise<Buffer> =>
  sharp(pixels, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 9 })
    .toBuffer()
