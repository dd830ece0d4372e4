import type { PictureBox } from './pictures.forms.ts'

/** Fits one size of a picture into a box, as PNG. The library is large, and most processes never need it. */
export async function fitPicture(box: PictureBox, form: Buffer): Promise<Buffer> {
  const { fitAsPng } = await import('./pictures.forms.ts')
  return fitAsPng(box, form)
}

/** Writes pixels as PNG. @param pixels red, green and blue of each */
export async function writePicture(pixels: Buffer, box: Pick<PictureBox, 'width' | 'height'>): Promise<Buffer> {
  const { writePng } = await import('./pictures.forms.ts')
  return writePng(pixels, box)
}
